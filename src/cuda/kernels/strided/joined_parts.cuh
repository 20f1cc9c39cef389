// SPDX-License-Identifier: Apache-2.0
#pragma once
// Columns, or long rows, of which many lanes have a part each, as of loaders/column_parts.hpp, and
// how their sums are joined: by a second launch, a warp or a block an answer. A request of columns
// has its strided_request `request`, its column_parts `lanes` and `partials`.
//
// A lane has its indices of one reduced axis in runs, one for each of the other's. It adds the
// elements of a run by column_loads, then by few_column_loads and the rest, and the sums of those:
// of runs of n elements it has at most column_loads + runs (n / column_loads + column_loads /
// few_column_loads + 1) additions one after another. Where blocks join parts there are 7 levels of
// a tree more. The second launch adds so many written parts / strided_threads + 1 and 7 levels of a
// tree (additions_of).

#include "cuda/accumulators/block_join.cuh"
#include "cuda/kernels/strided/nest.cuh"
#include "cuda/loaders/column_runs.cuh"
#include "cuda/primitives/load.cuh"

namespace onefold::cuda {

/// Loads of a lane at once, and of what is left of its elements.
inline constexpr int column_loads = 12, few_column_loads = 8;

/// How many additions of a column, one after another, its sum has to allow for.
template <class Columns>
ONEFOLD_DEVICE double additions_of(const Columns& a) {
  const column_parts& lanes = a.lanes;
  const double runs = double(lanes.loop.count(0)), each = double(lanes.run.count(0));
  return runs * (each / column_loads + column_loads / few_column_loads + 1) +
         double(lanes.written()) / strided_threads + column_loads + 15;
}

/// Where the first element of answer k is.
ONEFOLD_DEVICE const std::byte* first_of(const strided_request& request, std::int64_t k) {
  nest_place at;
  step_into(request.axes, 0, request.axes.kept, request.first_output + k, at);
  return request.x + at.x;
}

/// The elements of answer k.
template <class T>
class column_reader {
 public:
  using bits = typename detail::float_format<T>::bits;

  ONEFOLD_DEVICE column_reader(const strided_request& request, std::int64_t k)
      : of_(request), x_(first_of(request, k)) {}
  ONEFOLD_DEVICE bits first() const { return element(x_); }
  /// Precondition: there are two.
  ONEFOLD_DEVICE bits second() const { return element(x_ + of_.axes.axis[of_.axes.kept].x_bytes); }

  /// The sums of the elements of a part: add(sums, bits) of each, from `none` on.
  template <class Sums, class Add>
  ONEFOLD_DEVICE Sums sums(const Sums& none, const column_parts& lanes, std::int64_t part,
                           const Add& add) const {
    Sums made = none;
    for_each_run(lanes, x_, part, [&](const element_run& run) {
      const std::byte* at = run.x;
      int left = run.count;
      const auto take_some = [&]<int Loads>() {
        ONEFOLD_ROLLED
        for (; left >= Loads; left -= Loads, at += Loads * run.apart)
          made.join(sums_of<Loads, true>(at, run.apart, Loads, none, add));
      };
      take_some.template operator()<column_loads>();
      take_some.template operator()<few_column_loads>();
      if (left > 0) made.join(sums_of<few_column_loads, false>(at, run.apart, left, none, add));
    });
    return made;
  }

 private:
  ONEFOLD_DEVICE static bits element(const std::byte* at) {
    return bits_at(reinterpret_cast<const T*>(at));
  }
  template <int Loads, bool All, class Sums, class Add>
  ONEFOLD_DEVICE static Sums sums_of(const std::byte* at, std::int64_t apart, int count, Sums some,
                                     const Add& add) {
    bits held[Loads] = {};
    ONEFOLD_UNROLL
    for (int i = 0; i < Loads; ++i)
      if (All || i < count) held[i] = element(at + i * apart);
    ONEFOLD_UNROLL
    for (int i = 0; i < Loads; ++i)
      if (All || i < count) add(some, held[i]);
    return some;
  }

  const strided_request& of_;
  const std::byte* x_;
};

/// Calls take(k, c, part, there) of every lane: element (o, part, c) of all lanes is part `part` of
/// answer k = (o, c), and `there` if no other lane has it.
template <class Columns, class Function>
ONEFOLD_DEVICE void for_each_part(const Columns& a, const Function& take) {
  const std::int64_t inner = a.lanes.inner, parts = a.lanes.count();
  const std::int64_t all = a.request.outputs * parts, step = std::int64_t(gridDim.x) * blockDim.x;
  ONEFOLD_ROLLED
  for (std::int64_t base = std::int64_t(blockIdx.x) * blockDim.x; base < all; base += step) {
    const std::int64_t q = min(base + threadIdx.x, all - 1), line = quotient(q, inner);
    const std::int64_t o = quotient(line, parts), part = line - o * parts;
    const std::int64_t c = q - line * inner;
    take(o * inner + c, c, part, q == base + threadIdx.x);
  }
}

/// Of `parts` written ones.
template <class Columns, class Sums>
ONEFOLD_DEVICE void write_part(const Columns& a, const Sums& sums, std::int64_t k,
                               std::int64_t part, std::int64_t parts) {
  write_sum(sums, a.partials + (part * a.request.outputs + k), a.request.outputs * parts);
}

/// Joins what the threads of a block have of an answer; then those that are `there` have the sums
/// of part `part` of the written ones. c: the column; none: sums of nothing. Every thread calls it.
template <class Columns, class Sums>
ONEFOLD_COLD void join_in_block(const Columns& a, Sums& sums, const Sums& none, std::int64_t c,
                                std::int64_t& part, bool& there) {
  __shared__ std::int64_t meeting[Sums::parts * strided_threads];
  const auto inner = unsigned(a.lanes.inner);
  const unsigned group = a.lanes.group();
  join_groups(sums, none, inner, group, meeting);
  there = there && threadIdx.x % group < inner;
  part = unsigned(part * inner + c) / group;
}

/// A pointer that a function that is not inlined knows to be of global memory: elsewhere an atomic
/// addition of 64 bits may be a loop.
template <class T>
ONEFOLD_DEVICE T* in_global_memory(T* at) {
#if !defined(ONEFOLD_PLAIN_DEVICE_CODE)
  __builtin_assume(__isGlobal(at));
#endif
  return at;
}

using atomic_word = unsigned long long;

/// The first warp of a block: all of its threads' sums in each lane. meeting: a sum for each warp.
template <class Sums>
ONEFOLD_DEVICE void join_warps(Sums& total, const Sums& none, std::int64_t* meeting) {
  const unsigned warps = blockDim.x / warp_lanes, lane = lane_index();
  join_group(total, warp_lanes);
  if (lane == 0) write_sum(total, meeting + threadIdx.x / warp_lanes, warps);
  __syncthreads();
  if (threadIdx.x < warp_lanes) {
    total = lane < warps ? read_part(none, meeting + lane, warps) : none;
    join_group(total, warps);
  }
  __syncthreads();
}

/// Of the answers that `counts`, of so many written parts: finish(k, sums) by a warp, with the sums
/// in each of its lanes; nothing(k): sums of no element. Of few parts a warp joins them, else a
/// block.
template <class Sums, class Columns, class Nothing, class Counts, class Finish>
ONEFOLD_DEVICE void join_parts(const Columns& a, std::int64_t parts, const Nothing& nothing,
                               const Counts& counts, const Finish& finish) {
  __shared__ std::int64_t meeting[Sums::parts * (strided_threads / warp_lanes)];
  const std::int64_t outputs = a.request.outputs, all = outputs * parts;
  const bool by_warps = parts <= 2 * warp_lanes;
  const unsigned threads = by_warps ? warp_lanes : blockDim.x, groups = blockDim.x / threads;
  const unsigned place = threadIdx.x % threads;
  ONEFOLD_ROLLED
  for (std::int64_t k = std::int64_t(blockIdx.x) * groups + threadIdx.x / threads; k < outputs;
       k += std::int64_t(gridDim.x) * groups) {
    if (!counts(k)) continue;
    const Sums none = nothing(k);
    Sums total = none;
    ONEFOLD_UNROLL_BY_4
    for (std::int64_t part = place; part < parts; part += threads)
      total.join(read_part(none, a.partials + (part * outputs + k), all));
    if (by_warps)
      join_group(total, warp_lanes);
    else
      join_warps(total, none, meeting);
    if (place < warp_lanes) finish(k, total);
  }
}

}  // namespace onefold::cuda
