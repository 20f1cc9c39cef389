// SPDX-License-Identifier: Apache-2.0
// Conversion of the words of options to values. All throw failure (usage) that names the option.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "messages.hpp"
#include "onefold/dtype.hpp"

namespace onefold::program {

template <class T>
using choices = std::initializer_list<std::pair<std::string_view, T>>;

/// One of a few words.
template <class T>
T parse_choice(std::string_view option, const std::string& word, choices<T> known) {
  std::string allowed;
  for (const auto& [name, value] : known) {
    if (name == word) return value;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name);
  }
  throw failure(messages::bad_value(option, word, allowed));
}

/// An element type by its short name or NumPy's.
dtype parse_type(std::string_view option, const std::string& word);
/// An unsigned integer between `least` and `most`.
std::uint64_t parse_count(std::string_view option, const std::string& word, std::uint64_t least,
                          std::uint64_t most);
/// An integer of either sign.
std::int64_t parse_integer(std::string_view option, const std::string& word, std::int64_t least,
                           std::int64_t most);
/// A finite number in decimal.
double parse_real(std::string_view option, const std::string& word);
/// "0,-1": axes, in any order.
std::vector<int> parse_axes(std::string_view option, const std::string& word);
/// "8G", "512M", "64KiB", "1000": powers of 1024.
std::uint64_t parse_size(std::string_view option, const std::string& word);
/// "10,20": the extents of a shape.
std::vector<std::int64_t> parse_shape(std::string_view option, const std::string& word);

}  // namespace onefold::program
