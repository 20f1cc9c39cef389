// SPDX-License-Identifier: Apache-2.0
#include "cuda/nested/ordered/answers.hpp"

#include "cuda/kernel_table.hpp"
#include "cuda/nested/describe.hpp"

namespace onefold::cuda {

fast_answers fast_answers_of(const answer_query& by, void* out) {
  const request& of = by.of;
  const auto& plan = of.plan;
  const ordered_cut cut = ordered_cut_of(of);
  nested_request parts = described(of, static_cast<const std::byte*>(of.x), nullptr, nullptr);
  parts.of = accumulator_of(by.what), parts.shape = cut.shape;
  parts.pieces = cut.pieces, parts.piece_items = cut.piece_items;
  parts.lanes = cut.shape == order::columns ? 1 : 32;
  parts.outputs = plan.outputs, parts.state_words = 1;
  const many_block answers = {nullptr, plan.outputs, plan.items, 1, out, by.multiprocessors};
  return {parts, {by.what, plan.accuracy, plan.input, by.output}, answers};
}

std::size_t workspace_bytes_of(const fast_answers& of) {
  return fast_parts_bytes(of.parts.outputs, of.parts.pieces);
}

int launch_fast_answers(const fast_answers& of, void* workspace, void* stream) {
  auto* const words = static_cast<std::int64_t*>(workspace);
  const unsigned blocks = blocks_of(of.parts, of.answers.multiprocessors);
  if (const int code = launch_nested(of.parts, blocks, words, stream); code != 0) return code;
  return launch_fast_parts(of.request, of.answers, of.parts.pieces, workspace, stream);
}

}  // namespace onefold::cuda
