// SPDX-License-Identifier: Apache-2.0
#pragma once
// Columns, or long rows, of which many lanes have a part each, as of loaders/column_parts.hpp, and
// how their sums are joined: by a second launch, a block an answer. A request of columns has its
// strided_request `request`, `parts`, `inner()`, `written(parts)` and `partials`.
//
// A lane adds the elements in runs of column_loads, then of few_column_loads and the rest, and the
// sums of those: it has at most column_loads + n / (column_loads parts) + column_loads /
// few_column_loads + 1 additions one after another. Where blocks join parts of few columns, there
// are strided_threads / inner more. The second launch adds so many written parts / strided_threads
// + 1 and 7 levels of a tree (additions_of).

#include "cuda/accumulators/interval.cuh"
#include "cuda/kernels/strided/nest.cuh"
#include "cuda/primitives/load.cuh"

namespace onefold::cuda {

/// Loads of a lane at once, and of what is left of its elements.
inline constexpr int column_loads = 12, few_column_loads = 8;

/// How many additions of a column, one after another, its sum has to allow for.
template <class Columns>
ONEFOLD_DEVICE double additions_of(const Columns& a) {
  const double joined = double(a.inner() < strided_threads ? strided_threads / a.inner() : 0);
  return double(a.request.items) / (column_loads * double(a.parts)) +
         double(a.written(a.parts)) / strided_threads + joined + column_loads +
         column_loads / few_column_loads + 9;
}

/// Parts of sums in memory, `apart` words from one to the next; what is not in it is that of
/// `sums`.
template <class Sums>
ONEFOLD_DEVICE Sums read_part(Sums sums, const std::int64_t* from, std::int64_t apart) {
  sums.for_each_part([&]<class Part>(Part& part) {
    part = __builtin_bit_cast(Part, *from);
    from += apart;
  });
  return sums;
}

/// The elements of answer k, of one reduced axis.
template <class T>
class column_reader {
 public:
  using bits = typename detail::float_format<T>::bits;

  ONEFOLD_DEVICE column_reader(const strided_request& request, std::int64_t k) : of_(request) {
    nest_place at;
    step_into(request.axes, 0, request.axes.kept, request.first_output + k, at);
    x_ = request.x + at.x;
  }
  ONEFOLD_DEVICE bits first() const { return element(x_); }
  /// Precondition: there are two.
  ONEFOLD_DEVICE bits second() const { return element(place(1)); }

  /// The sums of elements part, part + parts, …: add(sums, bits) of each, from `none` on.
  template <class Sums, class Add>
  ONEFOLD_DEVICE Sums sums(const Sums& none, std::int64_t part, std::int64_t parts,
                           const Add& add) const {
    Sums made = none;
    const std::byte* at = place(part);
    const std::int64_t apart = place(parts) - x_;
    std::int64_t left = part < of_.items ? quotient(of_.items - part - 1, parts) + 1 : 0;
    const auto take_runs = [&]<int Loads>() {
      ONEFOLD_ROLLED
      for (; left >= Loads; left -= Loads, at += Loads * apart)
        made.join(sums_of<Loads, true>(at, apart, Loads, none, add));
    };
    take_runs.template operator()<column_loads>();
    take_runs.template operator()<few_column_loads>();
    if (left > 0) made.join(sums_of<few_column_loads, false>(at, apart, int(left), none, add));
    return made;
  }

 private:
  ONEFOLD_DEVICE const std::byte* place(std::int64_t r) const {
    return x_ + r * of_.axes.axis[of_.axes.kept].x_bytes;
  }
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
  const std::int64_t all = a.request.outputs * a.parts, step = std::int64_t(gridDim.x) * blockDim.x;
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
template <class Columns, class Sums>
ONEFOLD_DEVICE void write_part(const Columns& a, const Sums& sums, std::int64_t k,
                               std::int64_t part, std::int64_t parts) {
  write_sum(sums, a.partials + (part * a.request.outputs + k), a.request.outputs * parts);
}
/// The same of this thread, if it is `there`, in column c; none: sums of nothing. Every thread of
/// the block calls it.
template <class Columns, class Sums>
ONEFOLD_COLD void write_joined(const Columns& a, Sums sums, const Sums& none, std::int64_t k,
                               std::int64_t c, std::int64_t part, bool there) {
  __shared__ std::int64_t meeting[Sums::parts * strided_threads];
  const std::int64_t inner = a.inner(), written = a.written(a.parts);
  if (written != a.parts) {
    join_across_block(
        sums, unsigned(inner), meeting,
        [&](const std::int64_t* from, std::int64_t apart) { return read_part(none, from, apart); });
    there = threadIdx.x < unsigned(inner);
    part = unsigned(part * inner + c) / strided_threads;
  }
  if (there) write_part(a, sums, k, part, written);
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

/// Answers blockIdx.x, blockIdx.x + gridDim.x, … of those that `counts`, of so many written parts:
/// finish(k, sums) by the first warp, with the sums in each of its lanes; nothing(k): sums of no
/// element.
template <class Sums, class Columns, class Nothing, class Counts, class Finish>
ONEFOLD_DEVICE void join_parts(const Columns& a, std::int64_t parts, const Nothing& nothing,
                               const Counts& counts, const Finish& finish) {
  constexpr unsigned warps = strided_threads / warp_lanes;
  __shared__ std::int64_t meeting[Sums::parts * warps];
  const std::int64_t outputs = a.request.outputs, all = outputs * parts;
  const unsigned warp = threadIdx.x / warp_lanes, lane = lane_index();
  ONEFOLD_ROLLED
  for (std::int64_t k = blockIdx.x; k < outputs; k += gridDim.x) {
    if (!counts(k)) continue;
    const Sums none = nothing(k);
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

}  // namespace onefold::cuda
