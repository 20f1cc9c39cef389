// SPDX-License-Identifier: Apache-2.0
// Matrix transpose: a copy of a matrix with its two axes exchanged.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

#include "onefold/array_view.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// Writes out[c][r] = in[r][c]; elements keep their bits.
/// Shape:  `in` of rank 2, any strides; `out_axes` the extents of `in` in reverse, with strides in
///         bytes of any sign such that no two elements of the output share a byte. `out` points to
///         element [0][0]. Only the elements of the output are written. With executor::cuda both
///         matrices are in device memory; the call returns when the copy is complete.
/// Fails:  mismatch (another rank or extents, output that overlaps itself or the input); nothing is
///         then written. unsupported (ONEFOLD_SIMD names an unavailable target; executor::cuda
///         without a device, or for matrices in host memory). device_error. cancelled (a CPU polls
///         `stop` regularly; some elements are then written).
/// Cost:   one read and one write; by far the fastest if the rows of both matrices are contiguous.
ONEFOLD_API status transpose(const executor& executor, const array_view& in, void* out,
                             const axis_list& out_axes, const std::stop_token& stop = {});

/// The same for a contiguous matrix of `rows` rows in a contiguous output of in.size() elements.
/// Fails: mismatch (sizes that do not fit, overlap).
template <element T>
status transpose(const executor& executor, std::span<const T> in, std::int64_t rows,
                 std::span<T> out) ONEFOLD_TRY {
  const auto size = static_cast<std::int64_t>(in.size());
  if (rows < 0 || (rows == 0 ? size != 0 : size % rows != 0) || out.size() != in.size())
    return {status_code::mismatch, std::to_string(size) + " elements in " + std::to_string(rows) +
                                       " rows, and room for " + std::to_string(out.size()) +
                                       "; give whole rows and as large an output"};
  constexpr auto item = static_cast<std::int64_t>(sizeof(T));
  const std::int64_t columns = rows == 0 ? 0 : size / rows;
  return transpose(executor,
                   array_view(in.data(), dtype_of<T>, {{rows, columns * item}, {columns, item}}),
                   out.data(), {{columns, rows * item}, {rows, item}});
}
ONEFOLD_CATCH_NO_MEMORY

}  // namespace onefold
