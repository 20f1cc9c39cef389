// SPDX-License-Identifier: Apache-2.0
#include "cuda/segments/plan.hpp"

#include "cuda/many/plan.hpp"

namespace onefold::cuda {

std::optional<rows_work> rows_work_of(const plan& decided, op what, const void* x, dtype output) {
  const segments_request asked = {what, decided.how, decided.nan, decided.input, output};
  if (!segments_take_rows(what) || !segments_serve(asked)) return std::nullopt;
  const auto of = many_block_of(decided, x);
  if (!of || of->inner != 1 || of->across != 1) return std::nullopt;
  segments_block block;
  block.x = x, block.items = of->outer * of->n, block.count = of->outer, block.length = of->n;
  return rows_work{asked, block};
}

}  // namespace onefold::cuda
