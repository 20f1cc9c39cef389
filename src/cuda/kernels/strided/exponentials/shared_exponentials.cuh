// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exact sums of exponentials that many warps share: a warp takes a piece of an answer, whose words
// are added to the answer's record by atomics. Integers commute, so the order does not matter. The
// first launch finds what the elements are, and so the band; the second one the sums, which the
// warp of the last piece rounds.
//
// Every launch is enqueued, and leaves answers alone that are not open.

#include "cuda/kernels/strided/exponentials/exponential_columns.hpp"
#include "cuda/kernels/strided/exponentials/exponential_fallback.cuh"
#include "cuda/kernels/strided/joined_parts.cuh"

namespace onefold::cuda {

/// Whole numbers in the order of finite doubles, all above 0; 0 is that of none.
ONEFOLD_DEVICE unsigned long long place_of_finite(double x) {
  const std::uint64_t bits = detail::to_bits(x);
  return (bits >> 63) != 0 ? ~bits : bits | std::uint64_t(1) << 63;
}
ONEFOLD_DEVICE double finite_at(unsigned long long place) {
  return detail::from_bits<double>((place >> 63) != 0 ? place & ~(std::uint64_t(1) << 63) : ~place);
}

/// Adds what the elements of a piece are to a record.
template <class Wide>
ONEFOLD_DEVICE void survey_piece(const strided_request& request, const nest_piece& piece,
                                 exponential_record* to) {
  to = in_global_memory(to);
  const exponential_survey<Wide> found = survey_of(elements_of<Wide>(request, piece));
  if (lane_index() != 0) return;
  ONEFOLD_UNROLL
  for (int i = 0; i < exponential_words::band; ++i)
    if (found.counts[i] != 0)
      atomicAdd(&to->words[i], static_cast<unsigned long long>(found.counts[i]));
  if (found.finite() > 0) atomicMax(&to->largest, place_of_finite(double(found.largest)));
}

/// Adds the sums of a piece to a record that has been surveyed; whether it was the last one, and
/// then own has the words of the state. own: as of finish_exactly.
template <class Wide>
ONEFOLD_COLD bool add_exact_piece(const strided_request& request, const nest_piece& piece,
                                  exponential_record* to, std::int64_t* own) {
  constexpr unsigned words = exponential_words::all, first = exponential_words::top;
  to = in_global_memory(to);
  const bool any = to->largest != 0;
  const Wide band = any ? detail::banded_of(Wide(finite_at(to->largest))).band : Wide(0);
  if (any) {
    write_bands(elements_of<Wide>(request, piece), band, own);
    for (unsigned i = first + lane_index(); i < words; i += warp_lanes)
      if (own[i] != 0) atomicAdd(&to->words[i], static_cast<unsigned long long>(own[i]));
  }
  __syncwarp();
  bool last = false;
  if (lane_index() == 0) {
    __threadfence();
    last = atomicAdd(&to->done, 1ull) == static_cast<unsigned long long>(request.pieces - 1);
    __threadfence();
  }
  if (!any_lane(last)) return false;
  __syncwarp();  // a vote orders no memory
  for (unsigned i = lane_index(); i < words; i += warp_lanes)
    own[i] = i == unsigned(exponential_words::band) ? std::int64_t(detail::to_bits(double(band)))
                                                    : std::int64_t(to->words[i]);
  __syncwarp();
  carry_digits<detail::band_sum::limbs>(own + exponential_words::top + 1);
  carry_digits<detail::band_sum::limbs>(own + exponential_words::below + 1);
  return true;
}

/// Neighbouring warps have neighbouring columns.
template <class Wide>
ONEFOLD_DEVICE void take_shared_pieces(const exponential_columns& a, std::int64_t* own) {
  constexpr unsigned warps = strided_threads / warp_lanes;
  const std::int64_t all = a.request.outputs * a.request.pieces,
                     step = std::int64_t(gridDim.x) * warps;
  ONEFOLD_ROLLED
  for (std::int64_t task = std::int64_t(blockIdx.x) * warps + threadIdx.x / warp_lanes; task < all;
       task += step) {
    const std::int64_t at = quotient(task, a.request.outputs), k = task - at * a.request.outputs;
    if (a.records[k].open == 0) continue;
    const nest_piece piece(a.request, k * a.request.pieces + at);
    if (a.step == exponential_step::survey) {
      survey_piece<Wide>(a.request, piece, a.records + k);
      continue;
    }
    if (!add_exact_piece<Wide>(a.request, piece, a.records + k, own)) continue;
    if (lane_index() == 0)
      report_of_batched(finish_exponentials<Wide>(own, a.request.finish, a.request.first_output + k,
                                                  own + exponential_words::all),
                        a.request.finish);
    __syncwarp();
  }
}

/// Shape:  as strided_exponential_columns, of answers that share the fallback, after its launches;
///         block of strided_threads, any grid.
/// Error:  none: answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(strided_threads)
    shared_exponentials(ONEFOLD_KERNEL_ARGUMENT exponential_columns a) {
  __shared__ std::int64_t shared[strided_threads / warp_lanes][exponential_space_words];
  write_tables();
  std::int64_t* const own = shared[threadIdx.x / warp_lanes];
  if (a.request.x_kind.type == dtype::f64)
    take_shared_pieces<double>(a, own);
  else
    take_shared_pieces<float>(a, own);
}

}  // namespace onefold::cuda
