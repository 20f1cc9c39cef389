// SPDX-License-Identifier: Apache-2.0
#include "cuda/nested/ordered/answers.hpp"

#include "cuda/nested/describe.hpp"

namespace onefold::cuda {
namespace {

// Parts of 8 bytes: 128 MiB of them.
constexpr std::int64_t most_parts = std::int64_t(1) << 24;

bool is_fast_sum(const plan& plan, op what, dtype output) {
  return plan.accuracy == accuracy::fast && is_floating(plan.input) && is_floating(output) &&
         accumulator_of(what) <= accumulator::squares;
}

}  // namespace

std::optional<fast_answers> fast_answers_of(const request& of, op what, dtype output) {
  const auto& plan = of.plan;
  const bool plain =
      !plan.masked && !plan.mapped && plan.items > 0 && plan.nan_policy == nan_policy::propagate;
  if (!plain || !is_fast_sum(plan, what, output) || !has_answers_in_order(plan))
    return std::nullopt;
  const ordered_cut cut = ordered_cut_of(of);
  if (plan.outputs > most_parts / cut.pieces) return std::nullopt;
  nested_request parts = described(of, static_cast<const std::byte*>(of.x), nullptr, nullptr);
  parts.of = accumulator_of(what), parts.shape = cut.shape;
  parts.pieces = cut.pieces, parts.piece_items = cut.piece_items;
  parts.lanes = cut.shape == order::columns ? 1 : 32;
  parts.outputs = plan.outputs, parts.state_words = 1;
  const many_block answers = {nullptr, plan.outputs, plan.items};
  return fast_answers{parts, {what, plan.accuracy, plan.input, output}, answers};
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
