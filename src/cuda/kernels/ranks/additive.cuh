// SPDX-License-Identifier: Apache-2.0
#pragma once
// States of a device as groups of words that add, and sums of groups as rounded answers, by the
// accumulators' own conversions. A block of one warp takes one answer after another: its lanes copy
// words, and one of them converts. A kernel serves the accumulators of a type of elements.
//
// Sums of exponentials add in one band: before their groups a kernel writes the bands, of which the
// ranks take the maximum (docs/numerics/additive.md, section 6).

#include <algorithm>

#include "cuda/kernels/ranks/additive.hpp"
#include "cuda/kernels/ranks/refused.cuh"
#include "cuda/kernels/strided/exponentials/exponential_fallback.cuh"
#include "onefold/exact.hpp"

namespace onefold::cuda {

template <class State>
inline constexpr int group_words_of = detail::additive_header + State::additive_words;

/// Whether it is rounded by write_exact, and not by write_selection.
template <class State>
concept exact_sum_state = requires {
  typename State::storage;
};

// Wide integers are in shared memory, as in rounding/epilogue.cuh.
template <class State>
inline constexpr int space_words = int(sizeof(State) + 7) / 8;
template <exact_sum_state State>
inline constexpr int space_words<State> = int(finish_space_words<State>);

/// Whether its groups are of a band.
template <class State>
concept banded_state = requires(const State& state) {
  state.band_key();
};

/// Shared memory of a block: a state as it comes, the space to convert it, its group.
template <class State>
inline constexpr int shared_group_words = State::words + space_words<State> + group_words_of<State>;

/// Calls f with a tag of the states of an accumulator over elements of T; of counts and bits T is
/// bool, of sums of integers std::int64_t, of exponentials it is the state.
template <class T, class F>
ONEFOLD_DEVICE void with_state(accumulator kind, const F& f) {
  if constexpr (banded_state<T>) {
    return f(detail::tag<T>());
  } else if constexpr (std::is_same_v<T, bool>) {
    if (kind == accumulator::counts) return f(detail::tag<detail::nonzero_counts>());
    return f(detail::tag<detail::bit_fold>());
  } else {
    if (kind == accumulator::total || kind == accumulator::magnitudes)
      return f(detail::tag<exact_sum<T>>());
    if (kind == accumulator::moments) return f(detail::tag<exact_moments<T>>());
    return f(detail::tag<exact_dot<T>>());
  }
}
template <class T>
inline constexpr int shared_groups = std::max({shared_group_words<exact_sum<T>>,
                                               shared_group_words<exact_dot<T>>,
                                               shared_group_words<exact_moments<T>>});
template <>
inline constexpr int shared_groups<bool> = std::max(shared_group_words<detail::nonzero_counts>,
                                                    shared_group_words<detail::bit_fold>);
template <banded_state State>
inline constexpr int shared_groups<State> = shared_group_words<State>;

ONEFOLD_DEVICE std::int64_t band_key_of(const std::int64_t* words) {
  if (words[exponential_words::top] == 0) return detail::no_band;
  return detail::key_of_band(
      detail::from_bits<double>(std::uint64_t(words[exponential_words::band])));
}

/// Shape:  words[answers][pieces][exponential_words::all], or null: states without elements;
///         bands[answers]; blocks of one warp, any number of them.
/// Error:  none.
/// Order:  none: maxima.
static __global__ void __launch_bounds__(warp_lanes)
    write_group_bands(std::int64_t answers, const std::int64_t* words, std::int64_t pieces,
                      std::int64_t* bands) {
  ONEFOLD_ROLLED
  for (std::int64_t k = blockIdx.x; k < answers; k += gridDim.x) {
    std::int64_t highest = detail::no_band;
    ONEFOLD_ROLLED
    for (std::int64_t piece = threadIdx.x; words != nullptr && piece < pieces; piece += warp_lanes)
      highest = max(highest, band_key_of(words + (k * pieces + piece) * exponential_words::all));
    ONEFOLD_ROLLED
    for (unsigned step = 1; step < warp_lanes; step *= 2) {
      const auto own = static_cast<long long>(highest);
      highest = max(highest, std::int64_t(__shfl_xor_sync(whole_warp, own, int(step))));
    }
    if (threadIdx.x == 0) bands[k] = highest;
  }
}

/// Sums of bands are copied within their state, with padding. All lanes call it.
template <class State>
ONEFOLD_DEVICE void clear_space(std::int64_t* space) {
  if constexpr (banded_state<State>)
    for (int i = int(threadIdx.x); i < space_words<State>; i += warp_lanes) space[i] = 0;
}

/// `band`: of an accumulator that has bands.
template <class State>
ONEFOLD_COLD void write_group(const std::int64_t* words, std::int64_t signature,
                              const std::int64_t* band, std::int64_t* space, std::int64_t* group) {
  auto* const state = new (space) State;
  const auto next = [&words] { return *words++; };
  if (words != nullptr) {
    if constexpr (exact_sum_state<State>)
      state->read_words(next);
    else
      *state = State::from_words(next);
  }
  if constexpr (banded_state<State>)
    if (*band != state->band_key()) state->raise(detail::band_of_key(*band));
  detail::write_additive_header(group, signature);
  state->write_additive(group + detail::additive_header);
}

template <class State>
ONEFOLD_DEVICE void write_groups_of(const group_request& request, const std::int64_t* words,
                                    std::int64_t pieces, const std::int64_t* bands,
                                    std::int64_t* groups, std::int64_t* shared) {
  constexpr int size = group_words_of<State>, each = (size + warp_lanes - 1) / warp_lanes;
  std::int64_t *const space = shared + State::words, *const group = space + space_words<State>;
  clear_space<State>(space);
  for (std::int64_t k = blockIdx.x; k < request.answers; k += gridDim.x) {
    std::int64_t sums[each] = {};
    ONEFOLD_ROLLED
    for (std::int64_t piece = k * pieces; piece < (k + 1) * pieces; ++piece) {
      for (unsigned i = threadIdx.x; words != nullptr && i < State::words; i += warp_lanes)
        shared[i] = words[piece * State::words + i];
      __syncthreads();
      if (threadIdx.x == 0)
        write_group<State>(words != nullptr ? shared : nullptr, request.signature,
                           banded_state<State> ? bands + k : nullptr, space, group);
      __syncthreads();
      ONEFOLD_UNROLL
      for (int i = 0; i < each; ++i)
        if (i * warp_lanes + threadIdx.x < size) sums[i] += group[i * warp_lanes + threadIdx.x];
    }
    ONEFOLD_UNROLL
    for (int i = 0; i < each; ++i)
      if (i * warp_lanes + threadIdx.x < size)
        groups[k * size + i * warp_lanes + threadIdx.x] = sums[i];
  }
}

/// Shape:  words[answers][pieces][words of a state], or null: states without elements, of one
///         piece; bands[answers], or null; groups[answers][group_words]; blocks of one warp, any
///         number of them.
/// Error:  none: the group of an answer is the sum of its pieces' groups, whose limbs are carried.
/// Order:  none: integers.
template <class T>
__global__ void __launch_bounds__(warp_lanes)
    write_groups(ONEFOLD_KERNEL_ARGUMENT group_request request, const std::int64_t* words,
                 std::int64_t pieces, const std::int64_t* bands, std::int64_t* groups) {
  [[maybe_unused]] __shared__ std::int64_t shared[shared_groups<T>];
  with_state<T>(request.accumulator, [&]<class State>(detail::tag<State>) {
    write_groups_of<State>(request, words, pieces, bands, groups, shared);
  });
}

/// Whether groups of one signature are of one band, too.
template <class State>
ONEFOLD_DEVICE bool is_of_one_band(const std::int64_t* group) {
  if constexpr (banded_state<State>)
    return detail::has_one_band(group[0], group + detail::additive_header);
  else
    return true;
}

/// Writes answer k, from the sum of the groups. One lane.
template <class State>
ONEFOLD_COLD void round_group(const std::int64_t* group, const group_request& request,
                              const element_kind& kind, std::int64_t k, std::int64_t* space) {
  const std::int64_t* const words = group + detail::additive_header;
  if constexpr (banded_state<State>) {
    auto* const in = new (space) finish_space<State>;
    in->state.read_additive(group[0], words);
    report_of_batched(write_logarithms(*in, request.finish, k), request.finish);
  } else if constexpr (exact_sum_state<State>) {
    auto* const in = new (space) finish_space<State>;
    in->state.read_additive(words);
    report_of_batched(write_sums(*in, request.finish, k), request.finish);
  } else {
    State state;
    state.read_additive(words);
    report_of_batched(write_selections(state, kind, request.finish, k), request.finish);
  }
}

template <class State>
ONEFOLD_DEVICE void round_groups_of(const group_request& request, const element_kind& kind,
                                    const std::int64_t* groups, std::int64_t* shared) {
  constexpr int size = group_words_of<State>;
  std::int64_t *const group = shared, *const space = shared + size;
  clear_space<State>(space);
  if constexpr (banded_state<State>) write_tables();
  for (std::int64_t k = blockIdx.x; k < request.answers; k += gridDim.x) {
    for (int i = int(threadIdx.x); i < size; i += warp_lanes) group[i] = groups[k * size + i];
    __syncthreads();
    if (threadIdx.x == 0) {
      if (detail::read_additive_header(group) == request.signature && is_of_one_band<State>(group))
        round_group<State>(group, request, kind, k, space);
      else
        refuse_answers(request.finish, k);
    }
    __syncthreads();
  }
}

/// Shape:  groups[answers][group_words], sums of groups; kind: of the request's elements; blocks of
///         one warp, any number of them.
/// Error:  answers as on the host: rounded once.
/// Order:  none.
template <class T>
__global__ void __launch_bounds__(warp_lanes)
    round_groups(ONEFOLD_KERNEL_ARGUMENT group_request request, const element_kind kind,
                 const std::int64_t* groups) {
  [[maybe_unused]] __shared__ std::int64_t shared[shared_groups<T>];
  with_state<T>(request.accumulator, [&]<class State>(detail::tag<State>) {
    round_groups_of<State>(request, kind, groups, shared);
  });
}

struct group_kernels {
  void (*write)(group_request request, const std::int64_t* words, std::int64_t pieces,
                const std::int64_t* bands, std::int64_t* groups) = nullptr;
  void (*round)(group_request request, element_kind kind, const std::int64_t* groups) = nullptr;
};

/// Without kernels where the states do not add.
inline group_kernels group_kernels_of(const group_request& request) {
  const bool is_sum = request.accumulator <= accumulator::moments;
  if (request.accumulator == accumulator::counts ||
      (request.accumulator == accumulator::bits && !is_floating(request.input)))
    return {write_groups<bool>, round_groups<bool>};
  if (has_bands(request.accumulator))
    return is_floating(request.input) && request.input != dtype::f64
               ? group_kernels{write_groups<detail::exponential_sum<float>>,
                               round_groups<detail::exponential_sum<float>>}
               : group_kernels{write_groups<detail::exponential_sum<double>>,
                               round_groups<detail::exponential_sum<double>>};
  if (!is_sum) return {};
  switch (request.input) {
  case dtype::f16:
    return {write_groups<f16>, round_groups<f16>};
  case dtype::bf16:
    return {write_groups<bf16>, round_groups<bf16>};
  case dtype::f32:
    return {write_groups<float>, round_groups<float>};
  case dtype::f64:
    return {write_groups<double>, round_groups<double>};
  default:
    return {write_groups<std::int64_t>, round_groups<std::int64_t>};
  }
}

}  // namespace onefold::cuda
