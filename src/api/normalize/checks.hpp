// SPDX-License-Identifier: Apache-2.0
// What the functions of normalized rows refuse: shapes, types, alignment, overlap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "onefold/array_view.hpp"
#include "onefold/status.hpp"
#include "request/reach.hpp"

namespace onefold {

inline status mismatch(std::string problem) {
  return {status_code::mismatch, std::move(problem)};
}

inline status not_of_doubles(const char* function) {
  return {status_code::unsupported,
          function + std::string(" of f64 is not supported; f16, bf16 and f32 are")};
}

inline bool is_aligned(const void* address, dtype type) {
  return reinterpret_cast<std::uintptr_t>(address) % size_bytes(type) == 0;
}

// Whether the elements of the last axis are adjacent, and those of all others whole elements away.
inline bool has_rows(const array_view& x) {
  const auto item = std::int64_t(size_bytes(x.type()));
  const auto& axes = x.axes();
  const axis_layout& last = axes[axes.size() - 1];
  return (last.extent < 2 || last.stride_bytes == item) &&
         (axes.size() == 1 || axes[0].stride_bytes % item == 0) && is_aligned(x.data(), x.type());
}

/// role: "weight", or what else is a number for each column.
inline status check_weight(const array_view& x, const array_view& weight,
                           const std::string& role = "weight") {
  if (weight.rank() != 1 || weight.axes()[0].extent != x.axes()[1].extent)
    return mismatch("the " + role + " is not one axis of as many elements as a row");
  const bool narrow = x.type() == dtype::f16 || x.type() == dtype::bf16;
  if (weight.type() != x.type() && !(narrow && weight.type() == dtype::f32))
    return mismatch("the " + role + "'s elements are " + std::string(name(weight.type())) +
                    ", those of x are " + std::string(name(x.type())) +
                    "; convert one of them (f16 and bf16 take weights of f32 too)");
  if (!has_rows(weight)) return mismatch("the " + role + "'s elements are not adjacent; copy it");
  return {};
}

inline byte_range contiguous(const void* data, std::int64_t bytes) {
  const auto* const first = static_cast<const std::byte*>(data);
  return {first, first == nullptr ? first : first + bytes};
}

/// The bytes of a weight or the like; of none no bytes.
inline byte_range bytes_of_vector(const std::optional<array_view>& x) {
  if (!x) return contiguous(nullptr, 0);
  return contiguous(x->data(), x->axes()[0].extent * std::int64_t(size_bytes(x->type())));
}

inline byte_range read_of(const array_view& x) {
  const auto item = std::int64_t(size_bytes(x.type()));
  return x.axes()[1].extent > 0 ? bytes_of(x.data(), x.axes(), item) : contiguous(x.data(), 0);
}
inline byte_range written_of(const array_view& x, const void* y) {
  return contiguous(y,
                    x.axes()[0].extent * x.axes()[1].extent * std::int64_t(size_bytes(x.type())));
}

// Whether y is exactly where x is, so that each element is read before it is written.
inline bool is_in_place(const array_view& x, const void* y) {
  const axis_list& axes = x.axes();
  const auto item = std::int64_t(size_bytes(x.type()));
  return x.data() == y && (axes[0].extent < 2 || axes[0].stride_bytes == axes[1].extent * item);
}

// The rows and what is written of the same shape, which may overlap.
inline status check_layout(const char* function, const array_view& x, const void* y) {
  if (x.rank() != 2)
    return mismatch(function + (" takes rows: two axes, not " + std::to_string(x.rank())));
  if (!is_floating(x.type()))
    return mismatch(function + (" takes floating elements, not " + std::string(name(x.type()))));
  const std::int64_t rows = x.axes()[0].extent, n = x.axes()[1].extent;
  if (rows < 0 || n < 0) return mismatch("an extent is below zero; extents are >= 0");
  if (rows == 0) return {};
  if (n > 0 && !reach_of(x.axes()))
    return mismatch("the strides reach over 2^63 bytes or more, which no memory has");
  if (!has_rows(x) || !is_aligned(y, x.type()))
    return mismatch(
        "elements of a row are not adjacent, rows are not whole elements apart, or an address is "
        "not aligned; copy to an array with contiguous rows");
  return {};
}

// No output overlaps another one or what is read.
inline status check_apart(std::span<const byte_range> written, std::span<const byte_range> read) {
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto meets = [&](const byte_range& other) { return overlap(written[i], other); };
    if (std::any_of(read.begin(), read.end(), meets) ||
        std::any_of(written.begin() + std::ptrdiff_t(i) + 1, written.end(), meets))
      return mismatch("an output overlaps what is read or another output; give it other memory");
  }
  return {};
}

// The rows of x and of the gradient of what was made of them, and dx.
inline status check_gradient(const char* function, const array_view& x, const array_view& g,
                             const void* dx) {
  if (auto fine = check_layout(function, x, dx); !fine) return fine;
  if (auto fine = check_layout(function, g, dx); !fine) return fine;
  if (g.type() != x.type())
    return mismatch("the gradient's elements are " + std::string(name(g.type())) +
                    ", those of x are " + std::string(name(x.type())) + "; convert one of them");
  if (g.axes()[0].extent != x.axes()[0].extent || g.axes()[1].extent != x.axes()[1].extent)
    return mismatch("the gradient and x have different shapes");
  return {};
}

inline status check_rows(const char* function, const array_view& x, const void* y) {
  if (auto fine = check_layout(function, x, y); !fine) return fine;
  if (x.axes()[0].extent > 0 && overlap(written_of(x, y), read_of(x)))
    return mismatch("an output overlaps x or the other output; give it other memory");
  return {};
}

}  // namespace onefold
