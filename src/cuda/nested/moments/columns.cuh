// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variances and deviations of columns of narrow floats, decided by the interval of
// quick_moments.cuh. A lane has every `parts`-th element of a column, so that in each step
// neighbouring lanes read neighbouring elements, however few columns there are. Parts are joined by
// a second launch, a block an answer.
//
// A lane adds the elements in runs of column_loads and the sums of those: it has at most
// column_loads + n / (column_loads parts) + 1 additions one after another. The second launch adds
// parts / nested_threads + 1 and 7 levels of a tree (additions_of).

#include "cuda/nested/moments/columns.hpp"
#include "cuda/nested/moments/moments.cuh"

namespace onefold::cuda {

/// Loads of a lane at once.
inline constexpr int column_loads = 8;
/// Sums of the distances of some elements of a column from its first one.
using column_sums_of_moments = shifted_sums<false>;

/// How many additions of a column, one after another, its interval has to allow for.
ONEFOLD_DEVICE double additions_of(const moment_columns& a) {
  const double parts = double(a.parts);
  return double(a.of.items) / (column_loads * parts) + parts / nested_threads + column_loads + 9;
}

template <class T>
class moment_column {
 public:
  /// Answer k.
  ONEFOLD_DEVICE moment_column(const nested_request& of, std::int64_t k) : of_(of) {
    nest_place at;
    step_into(of.axes, 0, of.axes.kept, of.first_output + k, at);
    x_ = of.x + at.x;
  }
  ONEFOLD_DEVICE double first() const { return double_of<T>(element(x_)); }

  /// The sums of elements part, part + parts, …
  ONEFOLD_DEVICE column_sums_of_moments sums(std::int64_t part, std::int64_t parts) const {
    column_sums_of_moments made = {first()};
    const std::byte* at = place(part);
    const std::int64_t apart = place(parts) - x_;
    std::int64_t left = part < of_.items ? quotient(of_.items - part - 1, parts) + 1 : 0;
    ONEFOLD_ROLLED
    for (; left >= column_loads; left -= column_loads, at += column_loads * apart)
      made.join(sums_of<true>(at, apart, column_loads, made.first));
    if (left > 0) made.join(sums_of<false>(at, apart, int(left), made.first));
    return made;
  }

 private:
  using bits = typename detail::float_format<T>::bits;
  ONEFOLD_DEVICE const std::byte* place(std::int64_t r) const {
    return x_ + r * of_.axes.axis[of_.axes.kept].x_bytes;
  }
  ONEFOLD_DEVICE static bits element(const std::byte* at) {
    return bits_at(reinterpret_cast<const T*>(at));
  }
  template <bool All>
  ONEFOLD_DEVICE static column_sums_of_moments sums_of(const std::byte* at, std::int64_t apart,
                                                       int count, double first) {
    bits held[column_loads] = {};
    ONEFOLD_UNROLL
    for (int i = 0; i < column_loads; ++i)
      if (All || i < count) held[i] = element(at + i * apart);
    column_sums_of_moments some = {first};
    ONEFOLD_UNROLL
    for (int i = 0; i < column_loads; ++i)
      if (All || i < count) some.add(double_of<T>(held[i]));
    return some;
  }

  const nested_request& of_;
  const std::byte* x_;
};

/// Element (o, part, c) of all lanes is part `part` of answer (o, c).
template <class T>
ONEFOLD_DEVICE void take_moment_columns(const moment_columns& a, std::int64_t* own) {
  const std::int64_t all = a.of.outputs * a.parts, step = std::int64_t(gridDim.x) * blockDim.x;
  const std::int64_t inner = a.of.axes.axis[a.of.axes.kept - 1].extent;
  const quick_moments quick(a.of, additions_of(a));
  ONEFOLD_ROLLED
  for (std::int64_t base = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x - lane_index();
       base < all; base += step) {
    const std::int64_t q = min(base + lane_index(), all - 1), line = quotient(q, inner);
    const std::int64_t o = quotient(line, a.parts), part = line - o * a.parts;
    const std::int64_t k = o * inner + (q - line * inner);
    const auto sums = moment_column<T>(a.of, k).sums(part, a.parts);
    const bool there = q == base + lane_index();
    if (a.parts > 1) {
      double* const to = reinterpret_cast<double*>(a.partials) + (part * a.of.outputs + k);
      if (there) to[0] = sums.s1, to[all] = sums.s2;
      continue;
    }
    const bool certified = quick.write(a.of.finish, sums, a.of.first_output + k, there);
    ONEFOLD_ROLLED
    for (unsigned left = __ballot_sync(whole_warp, there && !certified); left != 0;
         left &= left - 1)
      finish_moments(a.of, __shfl_sync(whole_warp, (long long)k, __ffs(int(left)) - 1), own);
  }
}

/// Answers blockIdx.x, blockIdx.x + gridDim.x, …, each by the first warp when all lanes have met.
template <class T>
ONEFOLD_DEVICE void join_moment_columns(const moment_columns& a, std::int64_t* own) {
  constexpr unsigned warps = nested_threads / warp_lanes;
  __shared__ double meeting[2][warps];
  const std::int64_t outputs = a.of.outputs, all = outputs * a.parts;
  const auto* const from = reinterpret_cast<const double*>(a.partials);
  const unsigned warp = threadIdx.x / warp_lanes, lane = lane_index();
  const quick_moments quick(a.of, additions_of(a));
  ONEFOLD_ROLLED
  for (std::int64_t k = blockIdx.x; k < outputs; k += gridDim.x) {
    column_sums_of_moments total = {moment_column<T>(a.of, k).first()};
    ONEFOLD_UNROLL_BY_4
    for (std::int64_t part = threadIdx.x; part < a.parts; part += blockDim.x)
      total.join({total.first, from[part * outputs + k], from[all + part * outputs + k]});
    total.fold(warp_lanes);
    if (lane == 0) meeting[0][warp] = total.s1, meeting[1][warp] = total.s2;
    __syncthreads();
    if (warp == 0) {
      total.s1 = lane < warps ? meeting[0][lane] : 0,
      total.s2 = lane < warps ? meeting[1][lane] : 0;
      total.fold(warps);
      const bool certified = quick.write(a.of.finish, total, a.of.first_output + k, lane == 0);
      if (any_lane(lane == 0 && !certified)) finish_moments(a.of, k, own);
    }
    __syncthreads();
  }
}

template <class T>
ONEFOLD_DEVICE void moments_of_columns(const moment_columns& a, std::int64_t* own) {
  if (a.joins) return join_moment_columns<T>(a, own);
  take_moment_columns<T>(a, own);
}

/// Shape:  a request of one piece an answer, of one reduced axis, the last kept one of neighbouring
///         elements of f16, bf16 or f32, aligned to them; or, of several parts, partials that a
///         launch with `joins` reads; block of nested_threads, any grid.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(nested_threads, 8)
    nested_moment_columns(ONEFOLD_KERNEL_ARGUMENT moment_columns a) {
  using state = detail::moments<float>;
  __shared__ std::int64_t shared[nested_threads / warp_lanes]
                                [state::words + finish_space_words<state>];
  std::int64_t* const own = shared[threadIdx.x / warp_lanes];
  if (a.of.x_kind.type == dtype::f32) return moments_of_columns<float>(a, own);
  if (a.of.x_kind.type == dtype::bf16) return moments_of_columns<bf16>(a, own);
  moments_of_columns<f16>(a, own);
}

}  // namespace onefold::cuda
