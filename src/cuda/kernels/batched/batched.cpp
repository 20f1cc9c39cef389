// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/batched/batched.hpp"

#include <driver_types.h>

#include "cuda/kernels/batched/ambiguous_answers.hpp"
#include "cuda/kernels/batched/batched_entry.hpp"
#include "cuda/kernels/batched/columns/columns_shape.hpp"
#include "cuda/kernels/batched/rows/rows_shape.hpp"

namespace onefold::cuda {
namespace {

many_launcher launcher_of(const many_request& r) {
  if (!is_floating(r.input)) return many_integer_totals(r.input);
  const accumulator kind = accumulator_of(r.op);
  if (kind == accumulator::total) return many_totals(r.input);
  return kind == accumulator::magnitudes ? many_magnitudes(r.input) : many_squares(r.input);
}

}  // namespace

static_assert(many_cleared_bytes == ambiguous_counts * sizeof(std::int64_t));

std::size_t many_workspace_bytes(const many_request& request, const many_block& block) {
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

int launch_many(const many_request& request, const many_block& block, void* workspace,
                void* cleared, void* stream) {
  const many_launcher launch = launcher_of(request);
  if (launch == nullptr) return int(cudaErrorNotSupported);
  if (block.outer * block.inner == 0) return int(cudaSuccess);
  return launch(request, block, workspace, cleared, stream);
}

}  // namespace onefold::cuda
