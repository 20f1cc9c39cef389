// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/batched/batched.hpp"

#include <driver_types.h>

#include "cuda/kernels/batched/ambiguous_answers.hpp"
#include "cuda/kernels/batched/batched_entry.hpp"
#include "cuda/kernels/batched/columns/columns_shape.hpp"
#include "cuda/kernels/batched/rows/rows_shape.hpp"

namespace onefold::cuda {
namespace {

batched_launcher launcher_of(const batched_request& r) {
  if (!is_floating(r.input)) return batched_integer_totals(r.input);
  const accumulator kind = accumulator_of(r.op);
  if (kind == accumulator::total) return batched_totals(r.input);
  return kind == accumulator::magnitudes ? batched_magnitudes(r.input) : batched_squares(r.input);
}

}  // namespace

static_assert(batched_cleared_bytes == ambiguous_counts * sizeof(std::int64_t));

std::size_t batched_workspace_bytes(const batched_request& request, const batched_block& block) {
  const auto width = std::int64_t(size_bytes(request.input));
  const std::int64_t answers = block.outer * block.inner;
  if (answers == 0) return 0;
  const std::int64_t parts = block.inner == 1 ? shape_of_any_rows(block, width).parts
                                              : shape_of_columns(block, width).parts;
  if (parts == 1) return 0;
  const std::int64_t ambiguous =
      is_floating(request.input) ? ambiguous_words(answers, fallback_blocks(block.multiprocessors))
                                 : 0;
  return std::size_t(partials_words(answers, parts) + ambiguous) * sizeof(std::int64_t);
}

int launch_batched(const batched_request& request, const batched_block& block, void* workspace,
                   void* cleared, void* stream) {
  const batched_launcher launch = launcher_of(request);
  if (launch == nullptr) return int(cudaErrorNotSupported);
  if (block.outer * block.inner == 0) return int(cudaSuccess);
  return launch(request, block, workspace, cleared, stream);
}

}  // namespace onefold::cuda
