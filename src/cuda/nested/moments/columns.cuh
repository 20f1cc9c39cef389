// SPDX-License-Identifier: Apache-2.0
#pragma once
// Variances and deviations of columns of narrow floats, decided by the interval of
// quick_moments.cuh, by lanes as of loaders/column_parts.hpp. Parts are joined by a second launch,
// a block an answer. Ambiguous columns are a warp's, or, of long ones, left to
// ambiguous_columns.cuh.
//
// A lane adds the elements in runs of column_loads, then of few_column_loads and the rest, and the
// sums of those: it has at most column_loads + n / (column_loads parts) + column_loads /
// few_column_loads + 1 additions one after another. Where blocks join parts of few columns, there
// are nested_threads / inner more. The second launch adds so many written parts / nested_threads +
// 1 and 7 levels of a tree (additions_of).

#include "cuda/exact/interval.cuh"
#include "cuda/nested/moments/columns.hpp"
#include "cuda/nested/moments/moments.cuh"

namespace onefold::cuda {

/// Loads of a lane at once, and of what is left of its elements.
inline constexpr int column_loads = 12, few_column_loads = 8;

using atomic_word = unsigned long long;

/// How many additions of a column, one after another, its interval has to allow for.
ONEFOLD_DEVICE double additions_of(const moment_columns& a) {
  const double joined = double(a.inner() < nested_threads ? nested_threads / a.inner() : 0);
  return double(a.of.items) / (column_loads * double(a.parts)) +
         double(a.written(a.parts)) / nested_threads + joined + column_loads +
         column_loads / few_column_loads + 9;
}

/// Parts of sums in memory, `apart` words from one to the next; what is not in it is that of
/// `sums`.
template <class Sums>
ONEFOLD_DEVICE Sums read_part(Sums sums, const std::int64_t* from, std::int64_t apart) {
  sums.for_each_part([&](double& part) {
    part = __builtin_bit_cast(double, *from);
    from += apart;
  });
  return sums;
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
  /// The sums of no element.
  template <class Sums>
  ONEFOLD_DEVICE Sums nothing() const {
    if constexpr (std::is_same_v<Sums, shifted_sums<false>>)
      return {double_of<T>(element(x_))};
    else
      return {};
  }

  /// Of two elements, d from the first to the second.
  ONEFOLD_DEVICE bool has_short_distance(double d) const {
    return is_short_distance<T>(d, element(x_), element(place(1)));
  }

  /// The sums of elements part, part + parts, …
  template <class Sums>
  ONEFOLD_DEVICE Sums sums(std::int64_t part, std::int64_t parts) const {
    const Sums none = nothing<Sums>();
    Sums made = none;
    const std::byte* at = place(part);
    const std::int64_t apart = place(parts) - x_;
    std::int64_t left = part < of_.items ? quotient(of_.items - part - 1, parts) + 1 : 0;
    const auto take_runs = [&]<int Loads>() {
      ONEFOLD_ROLLED
      for (; left >= Loads; left -= Loads, at += Loads * apart)
        made.join(sums_of<Loads, true>(at, apart, Loads, none));
    };
    take_runs.template operator()<column_loads>();
    take_runs.template operator()<few_column_loads>();
    if (left > 0) made.join(sums_of<few_column_loads, false>(at, apart, int(left), none));
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
  template <int Loads, bool All, class Sums>
  ONEFOLD_DEVICE static Sums sums_of(const std::byte* at, std::int64_t apart, int count,
                                     Sums some) {
    bits held[Loads] = {};
    ONEFOLD_UNROLL
    for (int i = 0; i < Loads; ++i)
      if (All || i < count) held[i] = element(at + i * apart);
    ONEFOLD_UNROLL
    for (int i = 0; i < Loads; ++i)
      if (All || i < count) some.add(double_of<T>(held[i]));
    return some;
  }

  const nested_request& of_;
  const std::byte* x_;
};

/// Calls take(k, c, part, there) of every lane: element (o, part, c) of all lanes is part `part` of
/// answer k = (o, c), and `there` if no other lane has it.
template <class Function>
ONEFOLD_DEVICE void for_each_part(const moment_columns& a, const Function& take) {
  const std::int64_t all = a.of.outputs * a.parts, step = std::int64_t(gridDim.x) * blockDim.x;
  const std::int64_t inner = a.inner();
  ONEFOLD_ROLLED
  for (std::int64_t base = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x - lane_index();
       base < all; base += step) {
    const std::int64_t q = min(base + lane_index(), all - 1), line = quotient(q, inner);
    const std::int64_t o = quotient(line, a.parts), part = line - o * a.parts;
    const std::int64_t c = q - line * inner;
    take(o * inner + c, c, part, q == base + lane_index());
  }
}

/// Of `parts` written ones.
template <class Sums>
ONEFOLD_DEVICE void write_part(const moment_columns& a, const Sums& sums, std::int64_t k,
                               std::int64_t part, std::int64_t parts) {
  write_sum(sums, a.partials + (part * a.of.outputs + k), a.of.outputs * parts);
}
/// The same of this thread, if it is `there`, in column c. Every thread of the block calls it.
ONEFOLD_COLD inline void write_joined(const moment_columns& a, shifted_sums<false> sums,
                                      std::int64_t k, std::int64_t c, std::int64_t part,
                                      bool there) {
  __shared__ std::int64_t meeting[shifted_sums<false>::parts * nested_threads];
  const std::int64_t inner = a.inner(), written = a.written(a.parts);
  if (written != a.parts) {
    const shifted_sums<false> none = {sums.first};
    join_across_block(
        sums, unsigned(inner), meeting,
        [&](const std::int64_t* from, std::int64_t apart) { return read_part(none, from, apart); });
    there = threadIdx.x < unsigned(inner);
    part = unsigned(part * inner + c) / nested_threads;
  }
  if (there) write_part(a, sums, k, part, written);
}

/// Whether answer k, of a column of this lane alone, is certified by double words, and so written.
template <class T>
ONEFOLD_COLD bool write_double_words_of_column(const nested_request& of, std::int64_t k) {
  const auto sums = moment_column<T>(of, k).template sums<double_word_moments>(0, 1);
  return write_certified(of, sums, k, true);
}

template <class T>
ONEFOLD_DEVICE void take_moment_columns(const moment_columns& a, std::int64_t* own) {
  const quick_moments quick(a.of.items, a.of.finish.correction, additions_of(a));
  if (a.ambiguous != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *a.ambiguous = 0;
  for_each_part(a, [&](std::int64_t k, std::int64_t c, std::int64_t part, bool there) {
    const moment_column<T> column(a.of, k);
    const auto sums = column.template sums<shifted_sums<false>>(part, a.parts);
    if (a.parts > 1) return write_joined(a, sums, k, c, part, there);
    const bool exact = a.of.items == 2 && column.has_short_distance(sums.s1);
    bool open = there && !quick.write(a.of.finish, sums, a.of.first_output + k, there, exact);
    const bool by_lanes = suits_lanes(a.of.items, __popc(__ballot_sync(whole_warp, open)));
    if (by_lanes && open) open = !write_double_words_of_column<T>(a.of, k);
    ONEFOLD_ROLLED
    for (unsigned left = __ballot_sync(whole_warp, open); left != 0; left &= left - 1) {
      const std::int64_t other = __shfl_sync(whole_warp, (long long)k, __ffs(int(left)) - 1);
      __syncwarp();  // another lane may have written some answers
      by_lanes ? finish_exact_moments<float>(a.of, other, own) : finish_moments(a.of, other, own);
    }
  });
}

/// Answers blockIdx.x, blockIdx.x + gridDim.x, … of those that `counts`, of so many written parts:
/// finish(k, sums) by the first warp, with the sums in each of its lanes.
template <class T, class Sums, class Counts, class Finish>
ONEFOLD_DEVICE void join_parts(const moment_columns& a, std::int64_t parts, const Counts& counts,
                               const Finish& finish) {
  constexpr unsigned warps = nested_threads / warp_lanes;
  __shared__ std::int64_t meeting[Sums::parts * warps];
  const std::int64_t outputs = a.of.outputs, all = outputs * parts;
  const unsigned warp = threadIdx.x / warp_lanes, lane = lane_index();
  ONEFOLD_ROLLED
  for (std::int64_t k = blockIdx.x; k < outputs; k += gridDim.x) {
    if (!counts(k)) continue;
    const Sums none = moment_column<T>(a.of, k).template nothing<Sums>();
    Sums total = none;
    ONEFOLD_UNROLL_BY_4
    for (std::int64_t part = threadIdx.x; part < parts; part += blockDim.x)
      total.join(read_part(none, a.partials + (part * outputs + k), all));
    total.fold(warp_lanes);
    if (lane == 0) write_sum(total, meeting + warp, warps);
    __syncthreads();
    if (warp == 0) {
      total = lane < warps ? read_part(none, meeting + lane, warps) : none;
      total.fold(warps);
      finish(k, total);
    }
    __syncthreads();
  }
}

template <class T>
ONEFOLD_DEVICE void join_moment_columns(const moment_columns& a, std::int64_t* own) {
  const quick_moments quick(a.of.items, a.of.finish.correction, additions_of(a));
  join_parts<T, shifted_sums<false>>(
      a, a.written(a.parts), [](std::int64_t) { return true; },
      [&](std::int64_t k, const shifted_sums<false>& sums) {
        const bool writes = lane_index() == 0;
        const bool certified = quick.write(a.of.finish, sums, a.of.first_output + k, writes);
        const bool left = any_lane(writes && !certified);
        if (a.ambiguous == nullptr) {
          if (left) finish_moments(a.of, k, own);
        } else if (writes) {
          a.ambiguous[1 + k] = left;
          if (left) atomicAdd(reinterpret_cast<atomic_word*>(a.ambiguous), atomic_word(1));
        }
      });
}

template <class T>
ONEFOLD_DEVICE void moments_of_columns(const moment_columns& a, std::int64_t* own) {
  if (a.step == column_step::join) return join_moment_columns<T>(a, own);
  take_moment_columns<T>(a, own);
}

/// Shape:  a request of one reduced axis, the last kept one of neighbouring elements of f16, bf16
///         or f32, aligned to them; or, of several parts, partials that the step `join` reads;
///         block of nested_threads, any grid.
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
