// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exponentials of general strided layouts, summed up exactly.

#include "cuda/accumulators/exponential_bands.cuh"
#include "cuda/kernels/strided/nest.cuh"
#include "cuda/kernels/strided/strided_epilogue.cuh"
#include "cuda/rounding/exponential_answers.cuh"

namespace onefold::cuda {

/// The elements of a piece.
template <class Wide>
ONEFOLD_DEVICE auto elements_of(const strided_request& request, const nest_piece& piece) {
  const auto read = [&request, piece](std::int64_t r, Wide& x) {
    std::uint64_t raw, other;
    const bool counts = load_pair<false>(request, piece, r, raw, other);
    x = wide_of<Wide>(raw, request.x_kind);
    return counts;
  };
  return exponential_elements<Wide, decltype(read)>{piece.first, piece.last, read};
}

template <class Out, class Wide>
ONEFOLD_DEVICE void store_logarithm(finish_space<detail::exponential_sum<Wide>>& in,
                                    bool omits_nans, void* to) {
  store(to, detail::to_bits(
                detail::value_of_sum<Out>(in.state, omits_nans, in.storage, tables().nodes)));
}

/// Writes answer k of a state. One lane.
template <class Wide>
ONEFOLD_DEVICE status_code write_logarithms(finish_space<detail::exponential_sum<Wide>>& in,
                                            const finish_list& list, std::int64_t k) {
  if (list.nan == nan_policy::error && in.state.nan_count() > 0) return status_code::not_a_number;
  const bool omits = list.nan == nan_policy::omit;
  ONEFOLD_ROLLED
  for (int i = 0; i < list.size; ++i) {
    const finish_item& item = list.answers[i];
    void* const to = place_of_answer(item, k);
    if (item.type == dtype::f32)
      store_logarithm<float>(in, omits, to);
    else if (item.type == dtype::f64)
      store_logarithm<double>(in, omits, to);
    else if (item.type == dtype::f16)
      store_logarithm<f16>(in, omits, to);
    else
      store_logarithm<bf16>(in, omits, to);
  }
  return status_code::ok;
}

/// The same from the words of the state. `space` is shared memory.
template <class Wide>
ONEFOLD_COLD status_code finish_exponentials(const std::int64_t* words, const finish_list& list,
                                             std::int64_t k, std::int64_t* space) {
  auto* const in = new (space) finish_space<detail::exponential_sum<Wide>>;
  in->state.read_words([&words] { return *words++; });
  return write_logarithms(*in, list, k);
}

/// Answer k, of one piece, exactly. own: shared memory of the warp, of exponential_space_words.
template <class Wide>
ONEFOLD_COLD void finish_exactly(const strided_request& request, std::int64_t k,
                                 std::int64_t* own) {
  write_exponential_sum(elements_of<Wide>(request, nest_piece(request, k)), own);
  if (lane_index() == 0)
    report_of_batched(finish_exponentials<Wide>(own, request.finish, request.first_output + k,
                                                own + exponential_words::all),
                      request.finish);
  __syncwarp();
}

}  // namespace onefold::cuda
