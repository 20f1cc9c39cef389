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
int launch_quick(const whole_request& request, unsigned blocks, void* workspace,
                 std::int64_t* decided, void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  const quick_arguments arguments = {request.x, request.input, request.n,     false,
                                     workspace, decided,       request.finish};
  switch (request.input) {
  case dtype::f64:
    quick_exponentials<double><<<blocks, folds::most_threads, 0, queue>>>(arguments);
    break;
  case dtype::f32:
    quick_exponentials<float><<<blocks, folds::most_threads, 0, queue>>>(arguments);
    break;
  case dtype::bf16:
    quick_exponentials<bf16><<<blocks, folds::most_threads, 0, queue>>>(arguments);
    break;
  default:
    quick_exponentials<f16><<<blocks, folds::most_threads, 0, queue>>>(arguments);
  }
  return int(cudaGetLastError());
}

int launch(const whole_request& request, grid_shape grid, void* workspace, std::int64_t* words,
           void* stream) {
  whole_exponentials arguments = {{}, static_cast<exponential_record*>(workspace), words};
  arguments.request.accumulator = request.accumulator, arguments.request.input = request.input,
  arguments.request.aligned = true;
  arguments.request.x = static_cast<const std::byte*>(request.x),
  arguments.request.x_kind = kind_of(request.input);
  arguments.request.axes.all = 1;
  arguments.request.axes.axis[0] = {request.n, arguments.request.x_kind.bytes, 0, 0};
  arguments.request.items = request.n, arguments.request.outputs = 1,
  arguments.request.finish = request.finish;
  arguments.request.piece_items = piece_items;
  arguments.request.pieces = std::max<std::int64_t>((request.n - 1) / piece_items + 1, 1);
  for (const bool surveys : {true, false})
    exact_exponentials<<<grid.blocks, strided_threads, 0, static_cast<cudaStream_t>(stream)>>>(
        arguments, surveys);
  return int(cudaGetLastError());
}

}  // namespace

whole_entry exponentials_entry(dtype input) {
  whole_entry made;
  made.workspace_bytes = sizeof(exponential_record);
  made.threads = made.least_threads = strided_threads;
  made.launch = launch;
  if (!is_floating(input)) return made;
  made.launch_quick = launch_quick;
  made.workspace_bytes =
      std::max(made.workspace_bytes, input == dtype::f64 ? quick_exponential_bytes<double>
                                                         : quick_exponential_bytes<float>);
  return made;
}

}  // namespace onefold::cuda
