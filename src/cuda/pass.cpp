// SPDX-License-Identifier: Apache-2.0
#include "cuda/pass.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

#include "cuda/device.hpp"
#include "cuda/launch.hpp"
#include "cuda/ordered.hpp"

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

// Whether a target's chunks have words of their own.
bool in_chunks(const target& each, dtype input) {
  return each.tree != nullptr && !is_wrapped(each.what, input);
}

// Returns how many words it leaves in the slot.
std::int64_t launch(const target& each, slot& at, const stretch& of, dtype input,
                    std::int64_t* chunk_words, std::int64_t* words, cudaStream_t stream) {
  const full_request asked = {each.what, input, of.x, of.y, of.n};
  const bool chunks = in_chunks(each, input);
  const int code =
      chunks
          ? launch_ordered(asked, multiprocessors_of(at.device()), chunk_words, stream)
          : launch_full(asked, grid_for(of.n, input, at.device()), at.workspace(0), words, stream);
  check(cudaError_t(code), "launching a kernel");
  return chunks ? 0 : state_words(each.what, input);
}

std::int64_t chunk_words_of(const target& each, dtype input, std::int64_t n) {
  return in_chunks(each, input) ? ordered_words(each.what, input, n) : 0;
}

}  // namespace

void launch_all(slot& at, const stretch& of, dtype input, std::span<const target> into,
                cudaStream_t stream) {
  std::size_t bytes = 0;
  std::int64_t chunk_words = 0;
  for (const target& each : into) {
    if (!in_chunks(each, input)) bytes = std::max(bytes, workspace_bytes(each.what, input));
    chunk_words += chunk_words_of(each, input, of.n);
  }
  at.workspace(bytes), at.reserve_chunk_words(chunk_words);
  std::int64_t *words = at.device_words(), *chunks = at.device_chunk_words();
  for (const target& each : into) {
    words += launch(each, at, of, input, chunks, words, stream);
    chunks += chunk_words_of(each, input, of.n);
  }
}

void merge_all(const slot& from, const stretch& of, dtype input, std::span<const target> into) {
  const std::int64_t *next = from.words(), *chunks = from.chunk_words();
  for (const target& each : into) {
    if (in_chunks(each, input)) {
      append_chunks(each, input, of.n, chunks);
      chunks += ordered_words(each.what, input, of.n);
      continue;
    }
    if (each.tree != nullptr) {
      each.tree->push(fast_total<std::uint64_t>{std::uint64_t(next[0])});
      next += state_words(each.what, input);
      continue;
    }
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
