// SPDX-License-Identifier: Apache-2.0
// Exact reductions of whole arrays of integers.

#include "cuda/accumulators/bool_bytes.cuh"
#include "cuda/kernels/whole/start.cuh"
#include "cuda/kernels/whole/whole_integers.cuh"

namespace onefold::cuda {
namespace {

template <accumulator Accumulator, class T>
struct integer_kernels {
  using traits = integer_terms<Accumulator, T>;
  static constexpr unsigned threads = usual_threads, blocks_each = usual_blocks_each,
                            least_threads = usual_threads;
  // Products of other types are rare: one kernel, which loads the second factors one by one.
  static constexpr bool pairs_of_vectors =
      std::is_same_v<T, std::uint8_t> || (std::is_signed_v<T> && sizeof(T) < 8);
  static constexpr unsigned shared_words(unsigned block) {
    return whole_shared_words<traits::words, typename traits::state>(block);
  }

  template <second Second>
  static void start(const whole_request& r, grid_shape grid, unsigned shared,
                    grid_workspace<traits::words>* workspace, std::int64_t* words,
                    cudaStream_t stream) {
    exact_integers<Accumulator, T, Second><<<grid.blocks, grid.threads, shared, stream>>>(
        static_cast<const T*>(r.x), static_cast<const T*>(r.y), r.n, workspace, words, r.finish);
  }
};

// Where no element is below zero, norm1 is the sum: the same words.
template <accumulator Accumulator, class T>
whole_entry entry() {
  constexpr bool unsigned_norm = Accumulator == accumulator::magnitudes && !std::is_signed_v<T>;
  return entry_of<integer_kernels<unsigned_norm ? accumulator::total : Accumulator, T>>();
}

}  // namespace

whole_entry integer_entry(accumulator kind, dtype input) {
  if (kind == accumulator::moments) return moments_entry(input);
  return with_sum<whole_entry>(kind, [&]<accumulator Of>(sum_tag<Of>) {
    return with_integer<whole_entry>(input, []<class T>(detail::tag<T>) { return entry<Of, T>(); });
  });
}

}  // namespace onefold::cuda
