// SPDX-License-Identifier: Apache-2.0
// Launches the kernels of all accumulators over one range of elements and merges their results.
#include "cuda/accumulate_range.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <variant>

#include "cuda/kernels/whole/products/ordered.hpp"
#include "cuda/kernels/whole/whole.hpp"
#include "cuda/plan/launch.hpp"
#include "cuda/runtime/device.hpp"
#include "state/positions.hpp"

namespace onefold::cuda {
namespace {

// Whether each chunk of a target has a serialized state of its own.
bool in_chunks(const target& each, dtype input) {
  return each.tree != nullptr && is_ordered(each.accumulator, each.accuracy, input);
}

// Returns the number of words that the launch writes to the slot.
std::int64_t launch(const target& each, slot& at, const device_range& range, dtype input,
                    std::int64_t* chunk_words, std::int64_t* words, cudaStream_t stream) {
  const whole_request request = {each.accumulator, input, range.x, range.y, range.n};
  if (in_chunks(each, input)) {
    check_launch(launch_ordered(request, multiprocessors_of(at.device()), chunk_words, stream));
    return 0;
  }
  const kernel_launch whole = plan_whole_array(request, at.device());
  enqueue({&whole, 1}, at.device(), at.workspace(0), reinterpret_cast<std::byte*>(words), stream);
  return state_words(each.accumulator, input);
}

std::int64_t chunk_words_of(const target& each, dtype input, std::int64_t n) {
  return in_chunks(each, input) ? ordered_words(each.accumulator, input, n) : 0;
}

}  // namespace

void reserve_all(slot& at, std::int64_t n, dtype input, std::span<const target> into) {
  std::size_t bytes = 0;
  std::int64_t chunk_words = 0;
  for (const target& each : into) {
    if (!in_chunks(each, input)) bytes = std::max(bytes, workspace_bytes(each.accumulator, input));
    chunk_words += chunk_words_of(each, input, n);
  }
  at.workspace(bytes), at.reserve_chunk_words(chunk_words);
}

void launch_all(slot& at, const device_range& range, dtype input, std::span<const target> into,
                cudaStream_t stream) {
  reserve_all(at, range.n, input, into);
  std::int64_t *words = at.device_words(), *chunks = at.device_chunk_words();
  for (const target& each : into) {
    words += launch(each, at, range, input, chunks, words, stream);
    chunks += chunk_words_of(each, input, range.n);
  }
}

void merge_words(any_state& into, const std::int64_t* from, std::int64_t first_index) {
  std::visit(
      [&]<class Known>(Known& known) {
        if constexpr (requires { known.merge(known); }) {
          std::array<std::int64_t, Known::words> words;
          std::copy_n(from, words.size(), words.begin());
          // Kernels count positions from the first element of their range.
          if constexpr (std::is_same_v<Known, detail::extrema>)
            move_positions(words.data(), first_index);
          auto word = words.cbegin();
          known.merge(Known::from_words([&] { return *word++; }));
        }
      },
      into);
}

void merge_all(const slot& from, const device_range& range, dtype input,
               std::span<const target> into) {
  const std::int64_t *next = from.words(), *chunks = from.chunk_words();
  for (const target& each : into) {
    if (in_chunks(each, input)) {
      append_chunks(each, input, range.n, chunks);
      chunks += ordered_words(each.accumulator, input, range.n);
      continue;
    }
    if (each.tree != nullptr)
      each.tree->push(fast_total<std::uint64_t>{std::uint64_t(next[0])});
    else
      merge_words(*each.into, next, range.first_index);
    next += state_words(each.accumulator, input);
  }
}

}  // namespace onefold::cuda
