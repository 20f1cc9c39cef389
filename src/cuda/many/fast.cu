// SPDX-License-Identifier: Apache-2.0
// Fast sums of rows and columns of floating elements.

#include "cuda/many/entry.hpp"
#include "cuda/many/fast/columns.cuh"
#include "cuda/many/fast/parts.cuh"
#include "cuda/many/fast/rows.cuh"
#include "cuda/many/launch.cuh"

namespace onefold::cuda {
namespace {

// What a first kernel left of the answers.
template <class T>
int join_parts(many_arguments of, cudaStream_t queue) {
  do {
    const fast_parts_shape shape = shape_of_fast_parts(of.parts);
    const std::int64_t answers = of.outer * of.inner, lanes = answers * shape.chunks * shape.lanes;
    std::int64_t* const next = of.partials + answers * of.parts;
    many_fast_parts<T>
        <<<many_blocks(ceil_quotient(lanes, fast_parts_threads)), fast_parts_threads, 0, queue>>>(
            {of, shape, next});
    of.partials = next, of.parts = shape.chunks;
  } while (of.parts > 1);
  return int(cudaGetLastError());
}

template <class T>
int launch_fast_rows(const many_request& request, const many_block& block, void* workspace,
                     cudaStream_t queue) {
  const fast_rows_shape shape = shape_of_fast_rows(block, sizeof(T));
  const many_arguments of =
      many_arguments_of(request, block, tuning::chunk_items, shape.parts, workspace);
  const fast_rows_arguments a = {of,
                                 accumulator_of(request.what),
                                 shape.group,
                                 shape.vectors,
                                 shape.aligned,
                                 shape.rows,
                                 shape.tile};
  const std::int64_t tasks = of.outer * of.parts;
  constexpr unsigned warps = ring_threads / warp_lanes;
  const std::int64_t step = fast_rows_step<T>(a) * warps;
  const std::size_t shared = fast_stage_words(a) * sizeof(std::int64_t) * warps;
  const std::int64_t blocks = ceil_quotient(tasks, step);
  const unsigned grid =
      a.rows > 0 ? blocks_at_once(blocks, block.multiprocessors, 4) : many_blocks(blocks);
  many_fast_rows<T><<<grid, ring_threads, shared, queue>>>(a);
  return of.parts > 1 ? join_parts<T>(of, queue) : int(cudaGetLastError());
}

struct launch_shape {
  unsigned grid, threads;
  std::size_t words;  // of shared memory
};

launch_shape fast_columns_launch(const columns_shape& by, const narrow_shape& narrow,
                                 const banded_shape& banded, unsigned multiprocessors) {
  if (narrow.groups == 0) return {many_blocks(by.tasks), by.across, 0};
  if (banded.groups > 0)
    return {narrow_blocks(by.tasks, multiprocessors, 1), banded_threads, banded_words};
  return {narrow_blocks(by.tasks, multiprocessors), columns_threads,
          columns_threads / warp_lanes * narrow_words};
}

template <class T>
int launch_fast_columns(const many_request& request, const many_block& block, void* workspace,
                        cudaStream_t queue) {
  const auto [by, narrow, banded] = shape_of_fast_columns(block, sizeof(T));
  const many_arguments of = many_arguments_of(request, block, by.part, by.parts, workspace);
  const fast_columns_arguments a = {{of, by.across, by.down, by.aligned}, narrow, banded};
  const launch_shape as = fast_columns_launch(by, narrow, banded, block.multiprocessors);
  many_fast_columns<T><<<as.grid, as.threads, as.words * sizeof(std::int64_t), queue>>>(
      a, accumulator_of(request.what));
  return of.parts > 1 ? join_parts<T>(of, queue) : int(cudaGetLastError());
}

template <class T>
int launch_fast(const many_request& request, const many_block& block, void* workspace, void*,
                void* stream) {
  auto* const queue = static_cast<cudaStream_t>(stream);
  return block.inner == 1 ? launch_fast_rows<T>(request, block, workspace, queue)
                          : launch_fast_columns<T>(request, block, workspace, queue);
}

}  // namespace

many_launcher many_fast(dtype input) {
  if (input == dtype::f32) return launch_fast<float>;
  if (input == dtype::f64) return launch_fast<double>;
  return nullptr;
}

int launch_fast_parts(const many_request& request, const many_block& block, std::int64_t parts,
                      void* workspace, void* stream) {
  const many_arguments of =
      many_arguments_of(request, block, tuning::chunk_items, parts, workspace);
  auto* const queue = static_cast<cudaStream_t>(stream);
  return request.input == dtype::f64 ? join_parts<double>(of, queue) : join_parts<float>(of, queue);
}

}  // namespace onefold::cuda
