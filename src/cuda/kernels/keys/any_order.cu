// SPDX-License-Identifier: Apache-2.0
// Reduction by keys that are not sorted. Either a table of slots: elements are added to their key's
// slot, and CUB's scan over the slots in use gives each its place in the output. Or CUB's radix
// sort of (key, index), which is stable, and a gather of the elements. Keys of all widths are
// widened to 64 bits, so that one instance of the sort serves all; its end bit limits the passes.

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>

#include "cuda/kernels/keys/sort.cuh"
#include "cuda/kernels/keys/table.cuh"

namespace onefold::cuda {
namespace {

constexpr std::size_t alignment = 256;

std::size_t padded(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// The double buffers of keys and of indices, and after them CUB's temporary storage.
struct sort_layout {
  std::size_t words, places;  // bytes of one buffer of keys, and of indices
  std::size_t scratch;        // where the temporary storage begins

  explicit sort_layout(std::int64_t n)
      : words(padded(std::size_t(n) * sizeof(std::uint64_t))),
        places(padded(std::size_t(n) * sizeof(std::uint32_t))), scratch(2 * words + 2 * places) {}
};

int sort_bits(const key_list& keys) {
  return keys.kind.type == dtype::boolean ? 1 : 8 * keys.kind.bytes;
}

unsigned sort_blocks(std::int64_t n) {
  constexpr std::int64_t each = sort_threads * 4, most = 1 << 16;
  return unsigned(std::clamp<std::int64_t>((n + each - 1) / each, 1, most));
}

unsigned table_blocks(std::int64_t n, unsigned multiprocessors) {
  constexpr std::int64_t each = table_threads * table_batch;
  const std::int64_t most = std::int64_t(multiprocessors) * (2048 / table_threads);
  return unsigned(std::clamp<std::int64_t>((n + each - 1) / each, 1, most));
}

}  // namespace

int ask_key_sort(const key_list& keys, std::size_t& bytes) {
  std::size_t scratch = 0;
  cub::DoubleBuffer<std::uint64_t> words;
  cub::DoubleBuffer<std::uint32_t> places;
  const auto done =
      cub::DeviceRadixSort::SortPairs(nullptr, scratch, words, places, keys.n, 0, sort_bits(keys));
  bytes = sort_layout(keys.n).scratch + scratch;
  return int(done);
}

int launch_key_sort(const key_list& keys, void* workspace, std::size_t bytes,
                    const std::uint32_t*& places, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  const sort_layout at(keys.n);
  auto* const first = static_cast<std::byte*>(workspace);
  auto* const words = reinterpret_cast<std::uint64_t*>(first);
  auto* const own = reinterpret_cast<std::uint32_t*>(first + 2 * at.words);
  write_ordinals<<<sort_blocks(keys.n), sort_threads, 0, queue>>>(keys, words, own);
  if (const auto failed = cudaGetLastError(); failed != cudaSuccess) return int(failed);
  cub::DoubleBuffer<std::uint64_t> word_pair(words,
                                             reinterpret_cast<std::uint64_t*>(first + at.words));
  cub::DoubleBuffer<std::uint32_t> place_pair(
      own, reinterpret_cast<std::uint32_t*>(first + 2 * at.words + at.places));
  std::size_t scratch = bytes - at.scratch;
  const auto done = cub::DeviceRadixSort::SortPairs(first + at.scratch, scratch, word_pair,
                                                    place_pair, keys.n, 0, sort_bits(keys), queue);
  places = place_pair.Current();
  return int(done);
}

int launch_gather(const void* from, std::size_t item_bytes, const std::uint32_t* places,
                  std::int64_t n, void* to, void* stream) {
  gather_elements<<<sort_blocks(n), sort_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      from, int(item_bytes), places, n, to);
  return int(cudaGetLastError());
}

int launch_own_places(std::int64_t* at, std::int64_t n, const std::uint32_t* places,
                      std::int64_t first_index, void* stream) {
  own_places<<<sort_blocks(n), sort_threads, 0, static_cast<cudaStream_t>(stream)>>>(at, n, places,
                                                                                     first_index);
  return int(cudaGetLastError());
}

int launch_key_extents(const key_elements& elements, key_extents* to, unsigned multiprocessors,
                       void* stream) {
  find_key_extents<<<table_blocks(elements.keys.n, multiprocessors), table_threads, 0,
                     static_cast<cudaStream_t>(stream)>>>(elements, to);
  return int(cudaGetLastError());
}

int ask_offsets(std::int64_t n, std::size_t& scratch_bytes) {
  scratch_bytes = 0;
  return launch_offsets(nullptr, nullptr, n, nullptr, scratch_bytes, nullptr);
}

int launch_offsets(const std::uint32_t* counts, std::int64_t* offsets, std::int64_t n,
                   void* scratch, std::size_t& scratch_bytes, void* stream) {
  return int(cub::DeviceScan::ExclusiveScan(scratch, scratch_bytes, counts, offsets,
                                            ::cuda::std::plus<>(), std::int64_t(0), n,
                                            static_cast<cudaStream_t>(stream)));
}

int launch_key_sums(const key_elements& elements, const key_table& table, void* scratch,
                    std::size_t scratch_bytes, unsigned multiprocessors, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  const unsigned blocks = table_blocks(elements.keys.n, multiprocessors);
  add_by_key_of(elements.type)<<<blocks, table_threads, 0, queue>>>(elements, table);
  if (table.copies > 1)
    merge_copies<<<table_blocks(table.copy_words() * warp_lanes, multiprocessors), table_threads, 0,
                   queue>>>(table);
  decide_slots<<<table_blocks(table.slots, multiprocessors), table_threads, 0, queue>>>(table);
  look_at_open_slots<<<blocks, table_threads, 0, queue>>>(elements, table);
  if (const auto failed = cudaGetLastError(); failed != cudaSuccess) return int(failed);
  return launch_offsets(table.present, table.places, table.slots + 1, scratch, scratch_bytes,
                        stream);
}

int launch_key_answers(const key_elements& elements, const key_table& table, bool is_mean,
                       dtype output, void* answers, void* keys, void* stream) {
  const auto blocks = unsigned(std::min<std::int64_t>(
      (table.slots + table_threads - 1) / table_threads, std::int64_t(1) << 16));
  write_key_answers<<<blocks, table_threads, 0, static_cast<cudaStream_t>(stream)>>>(
      elements, table, is_mean, output, answers, keys);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
