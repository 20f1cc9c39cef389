// SPDX-License-Identifier: Apache-2.0
#pragma once
// How kernels of rows and columns are started.

#include "cuda/kernels/batched/batched_entry.hpp"
#include "cuda/kernels/batched/columns/batched_columns.cuh"
#include "cuda/kernels/batched/rows/batched_rows.cuh"
#include "cuda/kernels/batched/rows/rows_shape.hpp"
#include "cuda/primitives/element_kind.hpp"
#include "cuda/primitives/grids.hpp"

namespace onefold::cuda {

inline batched_arguments batched_arguments_of(const batched_request& request,
                                              const batched_block& block, std::int64_t part,
                                              std::int64_t parts, void* workspace) {
  const auto kind = request.op == op::mean    ? answer_form::kind::mean
                    : request.op == op::norm2 ? answer_form::kind::root
                                              : answer_form::kind::sum;
  return {block.x,     block.out, static_cast<std::int64_t*>(workspace),
          block.outer, block.n,   block.inner,
          part,        parts,     {kind, request.output, block.n * block.across},
          block.across};
}

/// Blocks of a grid: one for each task, as far as a loop over grids does not pay.
inline unsigned batched_blocks(std::int64_t tasks) {
  return unsigned(std::clamp<std::int64_t>(tasks, 1, busy_blocks * 16));
}

inline rows_arguments rows_arguments_of(const batched_arguments& batch, const rows_shape& shape) {
  return {batch,         shape.group, shape.rows,          shape.aligned,
          shape.vectors, shape.tile,  quotient_by(batch.n)};
}

/// Steps of a warp. Norms have roots, which it takes of 32 rows at once; steps of rows in stages
/// are short.
template <class Terms>
int row_steps(const rows_arguments& a) {
  if constexpr (!Terms::counts_integers)
    if (Terms::squares) return a.rows > 0 && a.tile == 0 ? 3 * usual_steps : usual_steps;
  return light_steps;
}

template <class Terms>
void launch_rows(const rows_arguments& a, unsigned multiprocessors, cudaStream_t stream) {
  constexpr unsigned warps = ring_threads / warp_lanes;
  const std::size_t shared = std::size_t(warps) * row_words<Terms>(a) * sizeof(std::int64_t);
  const std::int64_t blocks =
      ceil_quotient(a.batch.outer * a.batch.parts, rows_step<Terms>(a) * warps);
  // Rows of floats by registers: where a warp takes several steps, fewer wait for their first
  // loads.
  const bool stays =
      (a.rows > 0 && a.batch.parts == 1) || (a.vectors > 0 && !Terms::counts_integers);
  const int each = a.tile > 0 ? tile_blocks : row_blocks<Terms>;
  const unsigned grid = stays ? grid_of_steps(blocks, multiprocessors, each, row_steps<Terms>(a))
                              : 2 * batched_blocks((blocks + 1) / 2);
  batched_rows<Terms><<<grid, ring_threads, shared, stream>>>(a);
}

template <class Terms>
void launch_columns(const columns_arguments& a, std::int64_t tasks, cudaStream_t stream) {
  const unsigned warps = (a.across * a.down + warp_lanes - 1) / warp_lanes;
  const std::size_t words =
      columns_shared_words<Terms>(a.across, a.down) + std::size_t(warps) * Terms::digits;
  batched_columns<Terms>
      <<<batched_blocks(tasks), warps * warp_lanes, words * sizeof(std::int64_t), stream>>>(a);
}

/// Merges the parts of answers, and sums up again those that they leave ambiguous.
template <class Terms>
void launch_parts(const batched_arguments& batch, const column_places& places, dtype input,
                  unsigned multiprocessors, void* cleared, cudaStream_t stream) {
  using sum = typename Terms::sum;
  constexpr std::size_t word = sizeof(std::int64_t);
  const std::int64_t answers = batch.outer * batch.inner;
  const std::int64_t lanes = answers * lanes_of_parts(batch.parts, parts_threads);
  const ambiguous_list list =
      ambiguous_list_in(static_cast<std::int64_t*>(cleared),
                        batch.partials + partials_words(answers, batch.parts), answers);
  batched_parts<sum><<<batched_blocks(ceil_quotient(lanes, parts_threads)), parts_threads,
                       parts_words<sum>(parts_threads) * word, stream>>>(batch, list);
  if constexpr (Terms::digits > 0) {
    constexpr unsigned words = shared_words<terms<Terms::reduced, double>::words>(fallback_threads);
    batched_fallback<Terms::reduced>
        <<<fallback_blocks(multiprocessors), fallback_threads, words * word, stream>>>(
            batch, places, list, input);
  }
}

template <class Terms>
int launch_terms(const batched_request& request, const batched_block& block, void* workspace,
                 void* cleared, void* stream) {
  using T = typename Terms::element;
  auto* const queue = static_cast<cudaStream_t>(stream);
  batched_arguments batch;
  column_places places = block.places;
  if (block.inner == 1) {
    places = contiguous_places(block.outer, block.n, 1);
    const rows_shape shape = shape_of_any_rows(block, sizeof(T), Terms::digits > 0);
    batch = batched_arguments_of(request, block, shape.part, shape.parts, workspace);
    launch_rows<Terms>(rows_arguments_of(batch, shape), block.multiprocessors, queue);
  } else {
    const columns_shape shape = shape_of_columns(block, sizeof(T));
    batch = batched_arguments_of(request, block, shape.part, shape.parts, workspace);
    launch_columns<Terms>({batch, places, shape.across, shape.down, shape.aligned, shape.merged,
                           shape.cuts, shape.blocks},
                          shape.tasks, queue);
  }
  if (batch.parts > 1 || (block.inner == 1 && batch.across > 1))
    launch_parts<Terms>(batch, places, request.input, block.multiprocessors, cleared, queue);
  return int(cudaGetLastError());
}

/// The launcher of a accumulator's sums for a type of floating elements; null for other types.
template <accumulator Accumulator>
batched_launcher launcher_of_floats(dtype input) {
  return with_floating<batched_launcher>(input, []<class T>(detail::tag<T>) -> batched_launcher {
    return launch_terms<batched_terms<Accumulator, T>>;
  });
}

}  // namespace onefold::cuda
