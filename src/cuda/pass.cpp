// SPDX-License-Identifier: Apache-2.0
#include "cuda/pass.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

#include "cuda/device.hpp"
#include "cuda/launch.hpp"

namespace onefold::cuda {
namespace {

constexpr unsigned threads = 256;
// With four loads of 16 bytes a thread: 64 KiB on their way to each multiprocessor.
constexpr unsigned blocks_of_a_multiprocessor = 4;
constexpr std::int64_t block_bytes = std::int64_t(threads) * 64;

grid_shape grid_for(std::int64_t n, dtype input, int device) {
  const std::int64_t bytes = n * std::int64_t(size_bytes(input));
  const std::int64_t most = blocks_of_a_multiprocessor * multiprocessors_of(device);
  const std::int64_t wanted = bytes / block_bytes + (bytes % block_bytes != 0);
  return {unsigned(std::clamp<std::int64_t>(wanted, 1, most)), threads};
}

// Kernels count positions from the first element of their stretch.
template <class Known>
void move_positions(std::array<std::int64_t, Known::words>& words, std::int64_t first_index) {
  if constexpr (std::is_same_v<Known, detail::extrema>) {
    auto& [count, nans, first_nan, least, least_index, largest, largest_index, zeros] = words;
    if (nans > 0) first_nan += first_index;
    if (count > nans) least_index += first_index, largest_index += first_index;
  }
}

}  // namespace

void launch_all(slot& at, const stretch& of, dtype input, std::span<const target> into,
                cudaStream_t stream) {
  std::size_t bytes = 0;
  for (const target& each : into) bytes = std::max(bytes, workspace_bytes(each.what, input));
  void* const workspace = at.workspace(bytes);
  const grid_shape grid = grid_for(of.n, input, at.device());
  std::int64_t* words = at.device_words();
  for (const target& each : into) {
    const full_request asked = {each.what, input, of.x, of.y, of.n};
    check(cudaError_t(launch_full(asked, grid, workspace, words, stream)), "launching a kernel");
    words += state_words(each.what, input);
  }
}

void merge_words(any_state& into, const std::int64_t* from, std::int64_t first_index) {
  std::visit(
      [&]<class Known>(Known& known) {
        if constexpr (requires { known.merge(known); }) {
          std::array<std::int64_t, Known::words> words;
          std::copy_n(from, words.size(), words.begin());
          move_positions<Known>(words, first_index);
          auto word = words.cbegin();
          known.merge(Known::from_words([&] { return *word++; }));
        }
      },
      into);
}

void merge_all(const slot& from, const stretch& of, dtype input, std::span<const target> into) {
  const std::int64_t* next = from.words();
  for (const target& each : into) {
    merge_words(*each.into, next, of.first_index);
    next += state_words(each.what, input);
  }
}

}  // namespace onefold::cuda
