// SPDX-License-Identifier: Apache-2.0
#include "cuda/many/plan.hpp"

#include "cuda/many/many.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t longest = std::int64_t(1) << 31;

bool is_plain(const plan& p) {
  return !p.masked && !p.mapped && p.form != shape::full && p.items > 0 && p.items <= longest &&
         p.reduced.size() <= 2 && p.origin.index == 0;
}

// x[outer][n][inner], one element after the other, and so the answers.
std::optional<many_block> block_of(const plan& p, const void* x) {
  const auto width = std::int64_t(size_bytes(p.input));
  if (reinterpret_cast<std::uintptr_t>(x) % std::uintptr_t(width) != 0) return std::nullopt;
  const loop_axis one_element = {1, width, 0, 0, 0};
  const loop_axis& reduced = p.reduced.empty() ? one_element : p.reduced[0];
  many_block made = {x, 1, reduced.extent, 1, nullptr};
  int left = p.kept.size();
  if (reduced.x_bytes != width) {  // columns: the innermost axis is kept
    if (left == 0 || p.kept[left - 1].x_bytes != width || p.kept[left - 1].index_items != 1)
      return std::nullopt;
    made.inner = p.kept[--left].extent;
  }
  if (reduced.x_bytes != made.inner * width) return std::nullopt;
  if (left > 0) {
    const loop_axis& outer = p.kept[--left];
    if (outer.x_bytes != made.n * made.inner * width || outer.index_items != made.inner)
      return std::nullopt;
    made.outer = outer.extent;
  }
  if (left > 0) return std::nullopt;
  return made;
}

// Long rows of few blocks would leave multiprocessors idle.
constexpr std::int64_t longest_across_bytes = std::int64_t(64) << 10, least_rows_across = 4096;

// x[across][outer][n] over its first and its last axis.
std::optional<many_block> block_across(const plan& p, const void* x) {
  const auto width = std::int64_t(size_bytes(p.input));
  if (p.kept.size() != 1 || reinterpret_cast<std::uintptr_t>(x) % std::uintptr_t(width) != 0)
    return std::nullopt;
  const loop_axis &across = p.reduced[0], &row = p.reduced[1], &kept = p.kept[0];
  const std::int64_t row_bytes = row.extent * width;
  const bool dense = row.x_bytes == width && kept.x_bytes == row_bytes && kept.index_items == 1 &&
                     across.x_bytes == kept.extent * row_bytes;
  const bool busy =
      row_bytes <= longest_across_bytes || across.extent * kept.extent >= least_rows_across;
  if (!dense || !busy) return std::nullopt;
  many_block made = {x, kept.extent, row.extent, 1, nullptr};
  made.across = across.extent;
  return made;
}

}  // namespace

std::optional<many_block> many_block_of(const plan& plan, const void* x) {
  if (!is_plain(plan)) return std::nullopt;
  return plan.reduced.size() == 2 ? block_across(plan, x) : block_of(plan, x);
}

std::optional<many_work> many_work_of(const plan& plan, op what, const void* x, dtype output) {
  if (plan.nan_policy != nan_policy::propagate && is_floating(plan.input)) return std::nullopt;
  const many_request asked = {what, plan.accuracy, plan.input, output};
  if (!many_serves(asked)) return std::nullopt;
  const auto block = many_block_of(plan, x);
  if (!block) return std::nullopt;
  // Fast sums of columns have the order of columns where there is one operator: else they are
  // trees.
  const bool ordered = plan.accuracy == accuracy::fast && is_floating(plan.input);
  if (ordered && block->inner > 1 && plan.ops.size() > 1) return std::nullopt;
  if (block->across > 1 && !many_serves_across(asked)) return std::nullopt;
  return many_work{asked, *block};
}

}  // namespace onefold::cuda
