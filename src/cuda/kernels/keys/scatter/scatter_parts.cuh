// SPDX-License-Identifier: Apache-2.0
#pragma once
// Long answers: the sums of their parts, and what joins them. docs/numerics/scatter.md.

#include "cuda/kernels/keys/scatter/scatter_warp.cuh"
#include "cuda/primitives/divisor.hpp"

namespace onefold::cuda {

template <class T>
class scatter_parts : public scatter_warp<T> {
 public:
  using base = scatter_warp<T>;
  using base::base;

  /// Adds the rows of long answers among the places of a part: of the one that it begins in, and of
  /// the one that it ends in.
  ONEFOLD_DEVICE void take_part(std::int64_t part, std::int64_t tile) {
    const auto first = std::uint32_t(part * part_rows),
               last = std::uint32_t(min((part + 1) * part_rows, a_.request.rows));
    open(tile);
    const std::int64_t begun = answer_at(first), ended = answer_at(last - 1);
    add_part(begun, {first, last}, 2 * part);
    if (ended != begun) add_part(ended, {first, last}, 2 * part + 1);
    if (tile == 0 && lane_index() == 0)
      a_.long_answers[part] = is_long(ended) && range(ended).first >= first ? ended : -1;
  }

  /// Joins the parts of the long answer that begins in a part.
  ONEFOLD_DEVICE void join_parts(std::int64_t begun_in, std::int64_t tile) {
    const std::int64_t answer = a_.long_answers[begun_in];
    if (answer < 0) return;
    const list_range list = range(answer);
    open(tile);
    const std::int64_t first = list.first / part_rows, last = (list.last - 1) / part_rows;
    const bool begins_within = list.first % part_rows != 0;
    columns total;
    ONEFOLD_ROLLED
    for (std::int64_t part = first + place_; part <= last; part += down_) {
      const std::int64_t* const from = partial(2 * part + (part == first && begins_within));
      ONEFOLD_ROLLED
      for (int i = 0; i < count_; ++i) staged_join(total, i, from + i);
    }
    total.join(across());
    if (has_initial(list) && count_ > 0) total.add(load(initial(answer)));
    write(answer, list, tile, total);
  }

 private:
  using base::a_, base::column_, base::count_, base::down_, base::items, base::place_;
  using base::added, base::has_initial, base::initial, base::load, base::open, base::range,
      base::write, base::across, base::offset_of;
  using typename base::columns, typename base::sum;

  ONEFOLD_DEVICE bool is_long(std::int64_t answer) const {
    return answer >= 0 && answer < a_.request.answers && a_.is_long(range(answer).count());
  }
  // The last answer that begins at the position or before; -1: none.
  ONEFOLD_DEVICE std::int64_t answer_at(std::int64_t position) const {
    std::int64_t low = 0, high = a_.request.answers;
    ONEFOLD_ROLLED
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (a_.offsets[middle] <= position)
        low = middle + 1;
      else
        high = middle;
    }
    return low - 1;
  }

  ONEFOLD_DEVICE std::int64_t* partial(std::int64_t slot) const {
    return a_.partials + (slot * sum::parts * a_.request.n + column_);
  }
  ONEFOLD_DEVICE void add_part(std::int64_t answer, list_range part, std::int64_t slot) {
    if (!is_long(answer)) return;
    const list_range list = range(answer);
    part = {max(part.first, list.first), min(part.last, list.last)};
    const columns total = added(part);
    std::int64_t* const to = partial(slot);
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i)
      if (place_ == 0 && i < count_) write_sum(total.sums[i], to + i, a_.request.n);
  }
  // One column after the other, so that the loop over parts needs few registers.
  ONEFOLD_DEVICE void staged_join(columns& total, int column, const std::int64_t* from) const {
    const sum one = read_sum<sum>(from, a_.request.n);
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i)
      if (i == column) total.sums[i].join(one);
  }
};

template <class T>
ONEFOLD_COLD void take_part(const scatter_launch& a, std::int64_t* memory, std::int64_t task,
                            bool joins) {
  const std::int64_t part = quotient(task, a.tiles), tile = task - part * a.tiles;
  scatter_parts<T> warp(a, memory);
  if (joins)
    warp.join_parts(part, tile);
  else
    warp.take_part(part, tile);
}

}  // namespace onefold::cuda
