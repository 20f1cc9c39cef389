// SPDX-License-Identifier: Apache-2.0
#include "cuda/segments/plan.hpp"

#include "cuda/many/plan.hpp"
#include "cuda/segments/shape.hpp"
#include "request/tuning.hpp"

namespace onefold::cuda {

namespace {

constexpr std::int64_t longest_column = std::int64_t(1) << 30;

std::optional<segments_request> selection_of(const plan& plan, op what, dtype output) {
  const segments_request asked = {what, plan.accuracy, plan.nan_policy, plan.input, output};
  if (!segments_take_rows(what) || !segments_serve(asked)) return std::nullopt;
  return asked;
}

// Fast rows of 16 bits have no kernels of their own. Of one chunk they are segments: the strided
// kernels, a warp a row, read 0.26 of what memory gives of rows of 1024 where segments' read 0.76.
constexpr std::int64_t longest_fast_row = tuning::chunk_items;

std::optional<segments_request> fast_sum_of(const plan& plan, op what, dtype output) {
  const segments_request asked = {what, plan.accuracy, plan.nan_policy, plan.input, output};
  const bool narrow = plan.items <= longest_fast_row && size_bytes(plan.input) == 2;
  if (!narrow || !is_fast(asked) || !segments_serve(asked)) return std::nullopt;
  return asked;
}

}  // namespace

std::optional<rows_work> rows_work_of(const plan& plan, op what, const void* x, dtype output) {
  auto asked = selection_of(plan, what, output);
  if (!asked) asked = fast_sum_of(plan, what, output);
  const auto of = asked ? many_block_of(plan, x) : std::nullopt;
  if (!of || of->inner != 1 || of->across != 1) return std::nullopt;
  segments_block block;
  block.x = x, block.items = of->outer * of->n, block.count = of->outer, block.length = of->n;
  return rows_work{*asked, block};
}

std::optional<columns_work> columns_work_of(const plan& plan, op what, const void* x, dtype output,
                                            unsigned multiprocessors) {
  const auto asked = selection_of(plan, what, output);
  const auto of = asked ? many_block_of(plan, x) : std::nullopt;
  if (!of || of->across != 1 || of->n > longest_column) return std::nullopt;
  const columns_block block = {x, of->outer, of->n, of->inner, nullptr, 0, multiprocessors};
  if (of->inner == 1 && !warps_take_rows(block, size_bytes(plan.input))) return std::nullopt;
  return columns_work{*asked, block};
}

}  // namespace onefold::cuda
