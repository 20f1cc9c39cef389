// SPDX-License-Identifier: Apache-2.0
// Segmented reduction: one answer for each segment of an array, of equal or uneven length or empty.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "onefold/array.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/functions.hpp"
#include "onefold/reduce.hpp"

namespace onefold {

/// Answer k is that of the elements offsets[k] … offsets[k + 1] - 1 of x.
/// Shape:  x one axis of n elements, any stride; offsets non-decreasing, within 0 … n, at least
///         one; output one axis of offsets.size() - 1 answers (for minmax one more of extent 2,
///         contiguous).
/// Units:  as reduce; positions are indices into x, and first_index is the index of x[0].
/// Error:  as reduce. The options `axes` and `keepdims` are unsupported.
/// Order:  exact: none. Others: that of the segment's elements.
/// Device: executor::cuda takes contiguous elements and answers in device memory, aligned to their
///         size, and offsets there or on the host: sums, means, norms of floats; sums and means of
///         integers; extrema, counts, bits; no mask, no initial value; outputs of floats at most
///         f32 unless the input is f64, others of the default type. After a failure the output is
///         undefined.
/// Fails:  mismatch (offsets that decrease or exceed n, with the first such index; shapes),
///         unsupported (dot), and as reduce; `empty` does not name the segment: give an initial
///         value or an empty_value if some may be empty.
ONEFOLD_API status reduce_segments(const executor& executor, op op, const array_view& x,
                                   std::span<const std::int64_t> offsets, const output_view& output,
                                   const options& options = {});

/// The same as an array of answers; for minmax it has two columns. Fails: as reduce_segments.
template <op Op, element_range R>
auto try_segments(const R& x, std::span<const std::int64_t> offsets, const options& options = {})
    -> result<array<answer_type<Op, detail::element_of<R>>>> ONEFOLD_TRY {
  using answer = answer_type<Op, detail::element_of<R>>;
  std::vector<std::int64_t> shape = {offsets.empty() ? 0 : std::int64_t(offsets.size()) - 1};
  if (answers_of(Op) > 1) shape.push_back(answers_of(Op));
  array<answer> answers(shape);
  const output_view output(answers.data(), dtype_of<answer>, answers.axes());
  if (auto done = reduce_segments(executor{}, Op, array_view(x), offsets, output, options); !done)
    return done;
  return answers;
}
ONEFOLD_CATCH_NO_MEMORY

/// As try_segments. Fails: throws onefold::error.
template <op Op, element_range R>
auto segments(const R& x, std::span<const std::int64_t> offsets, const options& options = {}) {
  return try_segments<Op>(x, offsets, options).value();
}

}  // namespace onefold
