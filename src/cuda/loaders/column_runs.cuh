// SPDX-License-Identifier: Apache-2.0
#pragma once
// The elements of a part of an answer, as of column_parts.hpp: runs of elements at one distance.

#include "cuda/loaders/column_parts.hpp"
#include "cuda/primitives/divisor.hpp"

namespace onefold::cuda {

/// So many elements of an answer, the first of which is at x.
struct element_run {
  const std::byte* x;
  std::int64_t apart;  ///< bytes
  int count;
  int index, index_step;  ///< in the order of an answer's elements
};

/// take(run) of each run of part `part` of the answer whose first element is at x. Answers have
/// less than 2^31 elements.
template <class Take>
ONEFOLD_DEVICE void for_each_run(const column_parts& lanes, const std::byte* x, std::int64_t part,
                                 const Take& take) {
  const shared_axis &loop = lanes.loop, &run = lanes.run;
  const std::int64_t inner_parts = lanes.loop_is_inner ? loop.parts : run.parts;
  const int outer = int(part < inner_parts ? 0 : quotient(part, inner_parts));
  const int inner = int(part - outer * inner_parts);
  const int of_loop = lanes.loop_is_inner ? inner : outer;
  const int of_run = lanes.loop_is_inner ? outer : inner;
  element_run each = {x + (of_loop * loop.bytes + of_run * run.bytes), run.parts * run.bytes,
                      int(run.count(of_run)), int(of_loop * loop.items + of_run * run.items),
                      int(run.parts * run.items)};
  ONEFOLD_ROLLED
  for (int left = int(loop.count(of_loop)); left > 0; --left) {
    take(each);
    each.x += loop.parts * loop.bytes, each.index += int(loop.parts * loop.items);
  }
}

}  // namespace onefold::cuda
