// SPDX-License-Identifier: Apache-2.0
#include "cuda/many/plan.hpp"

#include "cuda/many/many.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t longest = std::int64_t(1) << 31;

bool is_plain(const plan& p) {
  const bool keeps_nans = p.nan == nan_policy::propagate || !is_floating(p.input);
  return p.what.size() == 1 && keeps_nans && !p.masked && !p.mapped && p.form != shape::full &&
         p.items > 0 && p.items <= longest && p.reduced.size() <= 1 && p.origin.index == 0;
}

// x[outer][n][inner], one element behind the other, and so the answers.
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

}  // namespace

std::optional<many_work> many_work_of(const plan& decided, const void* x, dtype output) {
  if (!is_plain(decided)) return std::nullopt;
  const many_request asked = {decided.what[0], decided.how, decided.input, output};
  if (!many_serves(asked)) return std::nullopt;
  const auto block = block_of(decided, x);
  if (!block) return std::nullopt;
  return many_work{asked, *block};
}

}  // namespace onefold::cuda
