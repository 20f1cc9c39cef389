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
  const unsigned multiprocessors = multiprocessors_of(at.device());
  std::int64_t* words = at.device_words();
  for (const target& each : into) {
    const full_request asked = {each.what, input, of.x, of.y, of.n};
    const grid_shape grid = suited_grid(each.what, input, of.n, multiprocessors);
    check(cudaError_t(launch_full(asked, grid, workspace, words, stream)), "launching a kernel");
    words += state_words(each.what, input);
  }
}

void merge_all(const slot& from, const stretch& of, dtype input, std::span<const target> into) {
  const std::int64_t* next = from.words();
  for (const target& each : into) {
    std::visit(
        [&]<class Known>(Known& known) {
          if constexpr (requires { known.merge(known); }) {
            std::array<std::int64_t, Known::words> words;
            std::copy_n(next, words.size(), words.begin());
            move_positions<Known>(words, of.first_index);
            auto word = words.cbegin();
            known.merge(Known::from_words([&] { return *word++; }));
          }
        },
        *each.into);
    next += state_words(each.what, input);
  }
}

}  // namespace onefold::cuda
