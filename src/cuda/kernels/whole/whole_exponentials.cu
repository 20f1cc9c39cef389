// SPDX-License-Identifier: Apache-2.0
// Exponentials of whole arrays.

#include "cuda/kernels/whole/whole_exponentials.cuh"

#include "cuda/kernels/whole/whole_entry.hpp"
#include "cuda/primitives/element_kind.hpp"

#include <algorithm>

namespace onefold::cuda {
namespace {

constexpr std::int64_t piece_items = std::int64_t(1) << 12;

// Of answers and no count, of the bytes after the record.
int launch_quick(const full_request& of, unsigned blocks, void* workspace, std::int64_t* decided,
                 void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  const quick_arguments asked = {of.x, of.input, of.n, false, workspace, decided, of.finish};
  switch (of.input) {
  case dtype::f64:
    quick_exponentials<double><<<blocks, folds::most_threads, 0, queue>>>(asked);
    break;
  case dtype::f32:
    quick_exponentials<float><<<blocks, folds::most_threads, 0, queue>>>(asked);
    break;
  case dtype::bf16:
    quick_exponentials<bf16><<<blocks, folds::most_threads, 0, queue>>>(asked);
    break;
  default:
    quick_exponentials<f16><<<blocks, folds::most_threads, 0, queue>>>(asked);
  }
  return int(cudaGetLastError());
}

int launch(const full_request& of, grid_shape grid, void* workspace, std::int64_t* words,
           void* stream) {
  whole_exponentials asked = {{}, static_cast<exponential_record*>(workspace), words};
  asked.of.of = of.of, asked.of.input = of.input, asked.of.aligned = true;
  asked.of.x = static_cast<const std::byte*>(of.x), asked.of.x_kind = kind_of(of.input);
  asked.of.axes.all = 1;
  asked.of.axes.axis[0] = {of.n, asked.of.x_kind.bytes, 0, 0};
  asked.of.items = of.n, asked.of.outputs = 1, asked.of.finish = of.finish;
  asked.of.piece_items = piece_items;
  asked.of.pieces = std::max<std::int64_t>((of.n - 1) / piece_items + 1, 1);
  for (const bool surveys : {true, false})
    exact_exponentials<<<grid.blocks, nested_threads, 0, static_cast<cudaStream_t>(stream)>>>(
        asked, surveys);
  return int(cudaGetLastError());
}

}  // namespace

full_entry exponentials_entry(dtype input) {
  full_entry made;
  made.workspace_bytes = sizeof(exponential_record);
  made.threads = made.least_threads = nested_threads;
  made.launch = launch;
  if (!is_floating(input)) return made;
  made.launch_quick = launch_quick;
  made.workspace_bytes =
      std::max(made.workspace_bytes, input == dtype::f64 ? quick_exponential_bytes<double>
                                                         : quick_exponential_bytes<float>);
  return made;
}

}  // namespace onefold::cuda
