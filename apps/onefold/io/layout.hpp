// SPDX-License-Identifier: Apache-2.0
// The layout of a binary input: shape, order, element type, byte order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onefold/array_view.hpp"
#include "onefold/dtype.hpp"

namespace onefold::program {

struct layout {
  dtype type = dtype::f64;
  bool big_endian = false;
  bool column_major = false;
  std::vector<std::int64_t> shape;
  std::optional<std::int64_t> items;  ///< none: until the end of the stream
  std::uint64_t data_offset = 0;      ///< bytes before the first element

  /// The bytes of all elements; none if their number is not known.
  std::optional<std::uint64_t> data_bytes() const noexcept {
    if (!items) return std::nullopt;
    return std::uint64_t(*items) * size_bytes(type);
  }

  friend bool operator==(const layout&, const layout&) = default;
};

/// The number of elements of a shape. None if the extents other than 0 make more bytes than 63 bits
/// hold: NumPy's rule, which refuses (0, 2^40, 2^40) too.
std::optional<std::int64_t> count_items(std::span<const std::int64_t> shape,
                                        std::size_t item_bytes) noexcept;

/// The view of the elements as if they were in memory at `data`.
array_view view_of(const layout& described, const void* data) noexcept;

/// "f32 (10, 20), column major, big endian": for --verbose.
std::string describe(const layout& described);

/// Converts stored bytes to elements of this machine, in place: a foreign byte order is reversed,
/// and a bool other than 0 becomes 1.
void make_native(const layout& described, std::span<std::byte> bytes) noexcept;

}  // namespace onefold::program
