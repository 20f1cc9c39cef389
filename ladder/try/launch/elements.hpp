// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements in memory: the numbers of a vector or of a struct, and where each of them is.

#include "ladder/try/answer/expectation.hpp"

#include <cstddef>

namespace onefold::ladder::learner {

inline bool is_struct(const parameter& p) {
  return p.component_count != 0;
}

/// Whether both point to the same type.
bool same_elements(const parameter& a, const parameter& b);

struct element_layout {
  unsigned bytes = 0;
  std::vector<component> parts;  ///< one for each number

  std::size_t width() const { return parts.size(); }
  scalar type_of(std::size_t number) const { return parts[number % parts.size()].type; }
  /// Bytes of a number among those of many elements.
  std::size_t offset_of(std::size_t number) const {
    return number / parts.size() * bytes + parts[number % parts.size()].offset;
  }
};

element_layout layout_of(const parameter& p);

/// Of elements one after the other; bytes between their numbers are 0.
std::vector<std::byte> bytes_of(const element_layout& layout, const numbers& values);
numbers numbers_at(const element_layout& layout, const std::byte* at, std::size_t count);

/// Whether each byte of a struct belongs to a number of it.
std::vector<bool> held_bytes(const parameter& p);

/// "value", "position.x", "cells[2]"
std::string name_of(const component& part);
/// "7", or "{value 7, index 3}" of a struct.
std::string text_of(const element_layout& layout, const numbers& element);

}  // namespace onefold::ladder::learner
