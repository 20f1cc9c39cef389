// SPDX-License-Identifier: Apache-2.0
// Keys brought in order by CUB's radix sort, which is stable: elements of one key stay as they
// follow each other. Keys of every width are words of 64 bits there, of which only those that a key
// has are sorted by: one set of its kernels for all.

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

#include "cuda/keys/sort.cuh"

namespace onefold::cuda {
namespace {

constexpr std::size_t apart = 256;

std::size_t padded(std::size_t bytes) {
  return (bytes + apart - 1) / apart * apart;
}

// Words and places, twice each, and after them the temporary storage of CUB.
struct sort_layout {
  std::size_t words, places, scratch;  // bytes of one; where the scratch begins

  explicit sort_layout(std::int64_t n)
      : words(padded(std::size_t(n) * sizeof(std::uint64_t))),
        places(padded(std::size_t(n) * sizeof(std::uint32_t))), scratch(2 * words + 2 * places) {}
};

int sort_bits(const key_list& of) {
  return of.kind.type == dtype::boolean ? 1 : 8 * of.kind.bytes;
}

unsigned blocks_for(std::int64_t n) {
  constexpr std::int64_t each = sort_threads * 4, most = 1 << 16;
  return unsigned(std::clamp<std::int64_t>((n + each - 1) / each, 1, most));
}

}  // namespace

int ask_key_sort(const key_list& of, std::size_t& bytes) {
  std::size_t scratch = 0;
  cub::DoubleBuffer<std::uint64_t> words;
  cub::DoubleBuffer<std::uint32_t> places;
  const auto done =
      cub::DeviceRadixSort::SortPairs(nullptr, scratch, words, places, of.n, 0, sort_bits(of));
  bytes = sort_layout(of.n).scratch + scratch;
  return int(done);
}

int launch_key_sort(const key_list& of, void* workspace, std::size_t bytes,
                    const std::uint32_t*& places, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  const sort_layout at(of.n);
  auto* const first = static_cast<std::byte*>(workspace);
  auto* const words = reinterpret_cast<std::uint64_t*>(first);
  auto* const own = reinterpret_cast<std::uint32_t*>(first + 2 * at.words);
  write_ordinals<<<blocks_for(of.n), sort_threads, 0, queue>>>(of, words, own);
  if (const auto failed = cudaGetLastError(); failed != cudaSuccess) return int(failed);
  cub::DoubleBuffer<std::uint64_t> word_pair(words,
                                             reinterpret_cast<std::uint64_t*>(first + at.words));
  cub::DoubleBuffer<std::uint32_t> place_pair(
      own, reinterpret_cast<std::uint32_t*>(first + 2 * at.words + at.places));
  std::size_t scratch = bytes - at.scratch;
  const auto done = cub::DeviceRadixSort::SortPairs(first + at.scratch, scratch, word_pair,
                                                    place_pair, of.n, 0, sort_bits(of), queue);
  places = place_pair.Current();
  return int(done);
}

int launch_gather(const void* from, std::size_t item_bytes, const std::uint32_t* places,
                  std::int64_t n, void* to, void* stream) {
  gather_elements<<<blocks_for(n), sort_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      from, int(item_bytes), places, n, to);
  return int(cudaGetLastError());
}

int launch_own_places(std::int64_t* at, std::int64_t n, const std::uint32_t* places,
                      std::int64_t first_index, void* stream) {
  own_places<<<blocks_for(n), sort_threads, 0, static_cast<cudaStream_t>(stream)>>>(at, n, places,
                                                                                    first_index);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
