// SPDX-License-Identifier: Apache-2.0
// Exact reductions of whole arrays of floating elements.

#include "cuda/kernels/whole/exact_sums.cuh"
#include "cuda/kernels/whole/start.cuh"
#include "cuda/kernels/whole/window_sum.cuh"

#include <algorithm>

namespace onefold::cuda {
namespace {

// Whether one block adds the array up by a window.
template <class T>
bool has_window(const whole_request& r, grid_shape grid) {
  return grid.blocks == 1 && has_plain_sum<T>(r.finish) && r.finish.count == nullptr && r.n > 0 &&
         r.n * std::int64_t(sizeof(T)) <= most_window_bytes &&
         reinterpret_cast<std::uintptr_t>(r.x) % 16 == 0;
}
template <class T>
void start_window(const whole_request& r, cudaStream_t stream) {
  const auto vectors = unsigned(r.n / vector_items<T>);
  const unsigned wanted = (vectors + warp_lanes - 1) / warp_lanes * warp_lanes;
  const unsigned threads = std::clamp(wanted, warp_lanes, most_window_threads);
  const unsigned shared =
      exact_shared_words<accumulator::total, T>(threads) * unsigned(sizeof(std::int64_t));
  constexpr unsigned most_vectors = most_window_bytes / 16 / most_window_threads;
  const auto kernel = vectors <= threads ? sum_by_window<T, 1> : sum_by_window<T, most_vectors>;
  kernel<<<1, threads, shared, stream>>>(static_cast<const T*>(r.x), unsigned(r.n), r.finish);
}

template <accumulator Accumulator, class T, class Lanes = usual_lanes>
struct floating_kernels {
  using traits = terms<Accumulator, T, Lanes>;
  // 640 lanes are halved twice: then they are no multiple of 32.
  static constexpr unsigned threads = whole_threads<Accumulator, T>,
                            blocks_each = whole_blocks_each<Accumulator, T, Lanes>,
                            least_threads = threads % 512 == 128 ? threads / 4 : few_threads;
  static constexpr bool pairs_of_vectors = true;
  static constexpr unsigned shared_words(unsigned block) {
    return exact_shared_words<Accumulator, T>(block);
  }

  template <second Second>
  static void start(const whole_request& r, grid_shape grid, unsigned shared,
                    grid_workspace<traits::words>* workspace, std::int64_t* words,
                    cudaStream_t stream) {
    if constexpr (Accumulator == accumulator::total)
      if (has_window<T>(r, grid)) return start_window<T>(r, stream);
    exact_whole<Accumulator, T, Second, all_checks, unwatched, Lanes>
        <<<grid.blocks, grid.threads, shared, stream>>>(static_cast<const T*>(r.x),
                                                        static_cast<const T*>(r.y), r.n, workspace,
                                                        words, unwatched(), r.finish);
  }
};

/// With lanes of float32 where that is another kernel.
template <accumulator Accumulator>
whole_entry entry_of_type(dtype input, sum_lanes lanes) {
  if constexpr (!has_products<Accumulator>) {
    if (lanes == sum_lanes::float32 && input == dtype::f16)
      return entry_of<floating_kernels<Accumulator, f16, float_lanes>>();
    if (lanes == sum_lanes::float32 && input == dtype::f32)
      return entry_of<floating_kernels<Accumulator, float, float_lanes>>();
  }
  return with_floating<whole_entry>(
      input, []<class T>(detail::tag<T>) { return entry_of<floating_kernels<Accumulator, T>>(); });
}

}  // namespace

whole_entry floating_entry(accumulator kind, dtype input, sum_lanes lanes) {
  if (kind == accumulator::moments) return moments_entry(input);
  const auto made = with_sum<whole_entry>(
      kind, [&]<accumulator Of>(sum_tag<Of>) { return entry_of_type<Of>(input, lanes); });
  return kind == accumulator::squares ? with_quick(made, input) : made;
}

}  // namespace onefold::cuda
