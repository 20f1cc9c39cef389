// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/coverage/coverage.hpp"

#include "ladder/try/launch/attempt.hpp"
#include "simt/schedules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder::learner {
namespace {

using sentences = std::vector<std::string>;

unsigned most_lanes(const launch_facts& facts) {
  unsigned most = facts.most_lanes;
  for (const unsigned size : facts.arrays) most = std::min(most, size);
  return most;
}

/// Why there is one block; empty: there are several.
std::string why_one_block(const session_plan& plan, const trial_setup& t) {
  if (plan.block) return "--block names one";
  if (plan.shared_bytes) return "--shared is for one";
  if (!t.shape.block.is_flat()) return "the block has several dimensions";
  if (plan.one_cluster) return "the grid has a barrier";
  if (plan.one_instance) return "it is an argument of the template";
  if (t.expectation == expectation::file) return "the answer is a file's";
  return plan.facts.asks_block_size ? "" : "the kernel does not ask for blockDim";
}

bool one_type(const trial_setup& t) {
  return t.input().type == t.output().type && !is_struct(t.input()) && !is_struct(t.output());
}

void add_parameters(const trial_setup& t, sentences& list) {
  for (std::size_t i = 0; i < t.given.roles.size(); ++i) {
    const std::string& name = t.kernel.names[i];
    switch (t.given.roles[i]) {
    case role::flag:
      list.push_back(fmt::format("'{}' was false in every launch", name));
      break;
    case role::constant:
      list.push_back(fmt::format("'{}' was {} in every launch", name, t.given.values[i]));
      break;
    case role::structure:
      list.push_back(fmt::format("'{}' had its first value in every launch", name));
      break;
    case role::scratch:
      list.push_back(fmt::format("what the kernel leaves in '{}' was not compared", name));
      break;
    default:
      break;
    }
  }
}

void add_lengths(const trial_setup& t, const geometry_request& sizes, sentences& list) {
  if (t.expectation == expectation::file) {
    list.emplace_back("other lengths than the file's");
    if (!has_equal_inputs(t)) list.emplace_back("inputs with equal elements");
  } else if (shorter_shapes(t.shape, sizes).empty() && t.shape.data.volume() > 1) {
    list.emplace_back(t.shape.rule == grid_rule::fixed
                          ? "other shapes, since --grid does not say how it follows them"
                          : "the kernel takes no length, so only whole blocks were tried");
  } else if (t.shape.length == length_unit::components) {
    list.push_back(fmt::format("lengths that are no multiple of {}", t.lanes));
  }
}

void add_blocks(const session_plan& plan, const trial_setup& t, sentences& list) {
  const std::string why = why_one_block(plan, t);
  const unsigned most = most_lanes(plan.facts);
  if (!why.empty()) {
    list.push_back(fmt::format("other blocks than {}, since {}", to_string(t.shape.block), why));
  } else if (most < simt::max_block_threads) {
    list.push_back(fmt::format("blocks of more than {}, for which the kernel has no room", most));
  }
  if (plan.facts.asks_grid_size && !plan.grid && t.shape.grid.volume() > 1) {
    list.push_back(fmt::format("grids of more than {} blocks", t.shape.grid.volume()));
  }
  if (plan.facts.block_axes == 0 && t.shape.grid.volume() == 1 && !plan.grid) {
    list.emplace_back("several blocks: the kernel never asks which one it is in");
  }
}

/// Of the elements that an extremum's index or its value belongs to; else of the answer.
scalar compared_type(const trial_setup& t) {
  if (t.expectation != expectation::position) return t.output().type;
  return layout_of(t.input()).parts[t.rule.front().from].type;
}

void add_elements(const session_plan& plan, const trial_setup& t, sentences& list) {
  const scalar type = compared_type(t);
  if (is_floating(type) && exact_bits(type) < 24 && t.op == reduction::sum &&
      !only_moves(t.expectation) && t.expectation != expectation::pairs) {
    list.push_back(fmt::format(
        "sums that {0} rounds: a total kept in {0} and one kept in float are the same here",
        to_string(type)));
  }
  if (!is_floating(type) || only_moves(t.expectation) || t.expectation == expectation::file) return;
  const std::vector<input_kind> kinds = special_elements(plan, t);
  const auto has = [&](input_kind k) {
    return std::find(kinds.begin(), kinds.end(), k) != kinds.end();
  };
  if (!has(input_kind::infinity)) list.emplace_back("elements that are infinite");
  if (!has(input_kind::nan)) list.emplace_back("elements that are NaN");
  if (has(input_kind::limits)) list.emplace_back("infinite or NaN elements alone");
}

}  // namespace

std::vector<unsigned> other_blocks(const session_plan& plan, const trial_setup& t) {
  if (!why_one_block(plan, t).empty()) return {};
  std::vector<unsigned> blocks;
  for (const unsigned block : {32u, 64u, 128u, 256u, 512u, 1024u}) {
    if (block != t.shape.block.x && block <= most_lanes(plan.facts)) blocks.push_back(block);
  }
  return blocks;
}

bool fewer_blocks_are_enough(const session_plan& plan, const trial_setup& t) {
  return plan.facts.strides_by_grid && !plan.grid && !plan.one_cluster &&
         !only_moves(t.expectation) && t.expectation != expectation::file;
}

std::vector<input_kind> special_elements(const session_plan& plan, const trial_setup& t) {
  const scalar type = compared_type(t);
  const bool position = t.expectation == expectation::position;
  if (!one_type(t) && !position) return {};
  if (t.expectation == expectation::products && is_floating(type)) return {input_kind::nan};
  if (t.expectation != expectation::fold && !position) return {};
  std::vector<input_kind> kinds = special_kinds(t.op, type, position);
  if (plan.own_operator && selects(t.op)) std::erase(kinds, input_kind::nan);
  return kinds;
}

sentences untested_by(const session_plan& plan, const trial_setup& t,
                      const geometry_request& sizes) {
  sentences list;
  add_parameters(t, list);
  add_lengths(t, sizes, list);
  add_blocks(plan, t, list);
  add_elements(plan, t, list);
  if (t.expectation == expectation::position) {
    list.emplace_back("which index is kept of equal elements");
  }
  if (plan.orders.size() < simt::all_schedules.size()) {
    list.emplace_back("the schedules that --schedule leaves out");
  }
  for (const std::string& name : plan.empty_constants) {
    list.push_back(
        fmt::format("'{}' is __constant__ and held zeros, which its host would set", name));
  }
  return list;
}

}  // namespace onefold::ladder::learner
