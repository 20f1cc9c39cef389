// SPDX-License-Identifier: Apache-2.0
// One answer for each distinct key: group by, in one call.
//
//   auto [keys, totals] = onefold::by_key<onefold::op::sum>(account, amount);
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"
#include "onefold/functions.hpp"
#include "onefold/groups.hpp"
#include "onefold/reduce.hpp"

namespace onefold {

/// The groups are the distinct keys, ascending; the answer of a group is that of the elements
/// values[i] whose key keys[i] is the group's.
/// Shape:  keys and values one axis of n elements each, any stride. Keys are integers or bool.
/// Error:  as reduce. If a mask or a NaN policy leaves out all elements of a group, the group is
///         empty but listed. Positions are indices into `values`. The options `axes` and `keepdims`
///         are unsupported.
/// Order:  exact: none. Others: that of the group's elements in `values`.
/// Memory: exact sum, mean, norm1, count, count_nonzero: about 60 bytes a group, and 0.6 KiB more
///         for one whose sum spans more than about 150 bits; the elements are read once.
///         Others, if keys are not ascending: 32 bytes an element and a copy of it. Ascending
///         keys: 8 bytes a group.
/// Device: executor::cuda takes contiguous keys, and values as reduce_segments does; the outputs of
///         `make` are device memory. Memory there: 8 bytes a group, and for each key a bit and an
///         eighth of its size. Of keys that do not ascend, sums and means of finite floats need
///         up to 4 bytes an element in addition, where the keys lie close together; other answers,
///         of up to 2^32 keys, 24 bytes each, and a copy of keys and values.
/// Fails:  mismatch (lengths, ranks, shape of the answers), unsupported (floating keys, dot),
///         as reduce, and what `make` throws. `empty` does not name the group: give an initial
///         value or an empty_value if some may be empty.
ONEFOLD_API status reduce_by_key(const executor& executor, op op, const array_view& keys,
                                 const array_view& values, const group_maker& make,
                                 const options& options = {});

/// The same as arrays.
template <op Op, element_range K, element_range X>
auto try_by_key(const K& keys, const X& values, const options& options = {})
    -> result<groups<detail::element_of<K>, answer_type<Op, detail::element_of<X>>>> ONEFOLD_TRY {
  using answer = answer_type<Op, detail::element_of<X>>;
  groups<detail::element_of<K>, answer> grouped;
  const auto make = [&](std::int64_t n) -> group_outputs {
    grouped.keys = array<detail::element_of<K>>({n});
    grouped.answers = answers_of(Op) > 1 ? array<answer>({n, answers_of(Op)}) : array<answer>({n});
    return {grouped.keys.data(),
            {grouped.answers.data(), dtype_of<answer>, grouped.answers.axes()}};
  };
  auto done = reduce_by_key(executor{}, Op, array_view(keys), array_view(values), make, options);
  if (!done) return done;
  return grouped;
}
ONEFOLD_CATCH_NO_MEMORY

/// As try_by_key. Fails: throws onefold::error.
template <op Op, element_range K, element_range X>
auto by_key(const K& keys, const X& values, const options& options = {}) {
  return try_by_key<Op>(keys, values, options).value();
}

}  // namespace onefold
