// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/kernels/keys/kernels.hpp"

#include "cuda/kernels/keys/runs.cuh"
#include "cuda/kernels/keys/scatter/column_table.cuh"
#include "cuda/kernels/keys/scatter/row_lists.cuh"
#include "cuda/kernels/keys/scatter/scatter_sums.cuh"
#include "cuda/kernels/keys/sort.cuh"
#include "cuda/kernels/keys/table.cuh"

namespace onefold::test {

void run_key_counts(simt::executor& device, const cuda::key_list& keys, std::int64_t* words,
                    std::uint32_t* bits) {
  simt::launch(device, {.grid = {unsigned(cuda::key_blocks(keys.n))}, .block = {cuda::key_threads}},
               [=] { cuda::count_runs(keys, words, bits); });
}

void run_key_runs(simt::executor& device, const cuda::key_list& list, const std::int64_t* words,
                  const std::uint32_t* bits, std::int64_t* offsets, void* keys) {
  const std::int64_t blocks = cuda::key_blocks(list.n);
  const auto grid = unsigned((blocks - 1) / cuda::written_blocks + 1);
  simt::launch(device, {.grid = {grid}, .block = {cuda::key_threads}},
               [=] { cuda::write_runs(list, blocks, words, bits, offsets, keys); });
}

// Fewer threads than elements, so that each has several.
constexpr simt::launch_config few = {.grid = {2}, .block = {32}};

void run_ordinals(simt::executor& device, const cuda::key_list& keys, std::uint64_t* ordinals,
                  std::uint32_t* places) {
  simt::launch(device, few, [=] { cuda::write_ordinals(keys, ordinals, places); });
}

void run_gather(simt::executor& device, const void* from, int item_bytes,
                const std::uint32_t* places, std::int64_t n, void* to) {
  simt::launch(device, few, [=] { cuda::gather_elements(from, item_bytes, places, n, to); });
}

void run_own_places(simt::executor& device, std::int64_t* at, std::int64_t n,
                    const std::uint32_t* places, std::int64_t first_index) {
  simt::launch(device, few, [=] { cuda::own_places(at, n, places, first_index); });
}

void run_lists(simt::executor& device, const cuda::scatter_launch& launch, bool places,
               simt::schedule order) {
  simt::launch(device, {.grid = {2}, .block = {32}, .order = order},
               [=] { cuda::list_rows(launch, places); });
}

void run_column(simt::executor& device, const cuda::scatter_launch& launch, simt::schedule order) {
  const simt::launch_config config = {.grid = {2}, .block = {64}, .order = order};
  for (void (*const kernel)(cuda::scatter_launch) :
       {cuda::find_column_extents, cuda::plan_column, cuda::add_column, cuda::merge_column,
        cuda::decide_column, cuda::look_at_column, cuda::write_column})
    simt::launch(device, config, [=] { kernel(launch); });
}

void run_scatter(simt::executor& device, const cuda::scatter_launch& launch, simt::schedule order) {
  const auto [kernel, words] = cuda::scatter_start_of(launch.request.type);
  const simt::launch_config config = {.grid = {3},
                                      .block = {64},
                                      .dynamic_shared_bytes = 2 * words * sizeof(std::int64_t),
                                      .order = order};
  simt::launch(device, config, [kernel = kernel, launch] { kernel(launch, false); });
  if (launch.parts() > 0)
    simt::launch(device, config, [kernel = kernel, launch] { kernel(launch, true); });
}

void run_key_extents(simt::executor& device, const cuda::key_elements& elements,
                     cuda::key_extents* to) {
  simt::launch(device, few, [=] { cuda::find_key_extents(elements, to); });
}

void run_key_sums(simt::executor& device, const cuda::key_elements& elements,
                  const cuda::key_table& table) {
  simt::launch(device, few, [=] { cuda::add_by_key_of(elements.type)(elements, table); });
  if (table.copies > 1) simt::launch(device, few, [=] { cuda::merge_copies(table); });
  simt::launch(device, few, [=] { cuda::decide_slots(table); });
  simt::launch(device, few, [=] { cuda::look_at_open_slots(elements, table); });
}

void run_key_answers(simt::executor& device, const cuda::key_elements& elements,
                     const cuda::key_table& table, bool is_mean, dtype output, void* answers,
                     void* keys) {
  simt::launch(device, few,
               [=] { cuda::write_key_answers(elements, table, is_mean, output, answers, keys); });
}

}  // namespace onefold::test
