// SPDX-License-Identifier: Apache-2.0
// The check of the answer that a launch has left.
#include "ladder/try/launch/attempt.hpp"
#include "simt/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace onefold::ladder::learner {
namespace {

/// Of a file's answers to floating values, which may be rounded in another order.
number tolerance(scalar type) {
  switch (type) {
  case scalar::float16:
  case scalar::bfloat16:
    return 0x1p-6L;
  case scalar::float32:
    return 0x1p-16L;
  case scalar::float64:
    return 0x1p-40L;
  default:
    return 0;
  }
}

/// Components of each element folded.
numbers folded_lanes(reduction op, scalar type, const numbers& values, unsigned lanes) {
  if (lanes == 1) return values;
  numbers totals;
  for (std::size_t i = 0; i + lanes <= values.size(); i += lanes) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i);
    totals.push_back(folded(op, type, numbers(first, first + lanes)));
  }
  return totals;
}

}  // namespace

void attempt::judge(try_run& result) const {
  const scalar type = setup_.output().type;
  const std::size_t item = size_bytes(type);
  numbers found;
  for (std::size_t i = 0; i < outputs(); ++i) found.push_back(load(type, at_output_ + i * item));
  is_one_value(setup_.asked) ? judge_one_value(result, found) : judge_each(result, found);
}

void attempt::judge_one_value(try_run& result, const numbers& found) const {
  const scalar type = setup_.output().type;
  const reduction op = setup_.asked == expectation::products ? reduction::sum : setup_.op;
  const unsigned lanes = setup_.output().lanes;
  const std::size_t item = std::size_t{size_bytes(type)} * lanes;
  const number all = folded(op, type, found), expected = answers_.front();
  const number first = folded(op, type, numbers(found.begin(), found.begin() + lanes));
  const bool only_first =
      setup_.in_place() || !watch_.wrote(output_, item, found.size() / lanes * item);
  const number answer = only_first ? first : all;
  result.answer_right =
      setup_.in_place() ? is_in_place_answer(found)
                        : watch_.wrote(output_, 0, item) && (answer == expected || all == expected);
  result.answer = to_text(type, answer);
  result.expected = to_text(type, expected);
}

/// The answer of each block may be in its first element, or those of all blocks in the first ones.
bool attempt::is_in_place_answer(const numbers& found) const {
  const scalar type = setup_.output().type;
  const numbers each = folded_lanes(setup_.op, type, found, setup_.output().lanes);
  const std::size_t blocks = launch_.grid.volume();
  const std::size_t a_block = (each.size() + blocks - 1) / blocks;
  const auto fold_every = [&](std::size_t stride) {
    numbers some;
    for (std::size_t i = 0; i < blocks && i * stride < each.size(); ++i) {
      some.push_back(each[i * stride]);
    }
    return folded(setup_.op, type, some);
  };
  const number expected = answers_.front();
  return each.front() == expected || fold_every(1) == expected || fold_every(a_block) == expected ||
         fold_every(setup_.shape.block.volume()) == expected ||
         fold_every(2 * setup_.shape.block.volume()) == expected;
}

bool attempt::agrees(number found, number expected) const {
  if (found == expected || setup_.asked != expectation::file) return found == expected;
  if (found != found || expected != expected) return found != found && expected != expected;
  return std::abs(found - expected) <= tolerance(setup_.output().type) * std::abs(expected);
}

std::string attempt::name_of_element(std::size_t component) const {
  const unsigned lanes = setup_.output().lanes;
  const std::size_t i = component / lanes;
  std::string name = fmt::format("element {}", i);
  if (setup_.asked == expectation::rows) name = fmt::format("row {}", i);
  if (setup_.asked == expectation::columns) name = fmt::format("column {}", i);
  if (!launch_.data.is_flat() && (only_moves(setup_.asked) || setup_.asked == expectation::pairs)) {
    const std::size_t width = only_moves(setup_.asked) ? launch_.data.y : launch_.data.x;
    name = fmt::format("row {}, column {}", i / width, i % width);
  }
  return lanes == 1 ? name : fmt::format("{}, component {}", name, component % lanes);
}

void attempt::judge_each(try_run& result, const numbers& found) const {
  const scalar type = setup_.output().type;
  const bool lines = setup_.asked == expectation::rows || setup_.asked == expectation::columns;
  const unsigned lanes = lines ? setup_.output().lanes : 1;
  const std::size_t item = std::size_t{size_bytes(type)} * lanes;
  const numbers each = folded_lanes(setup_.op, type, found, lanes);
  const auto is_right = [&](std::size_t i) {
    const bool written = setup_.in_place() || watch_.wrote(output_, i * item, (i + 1) * item);
    return written && agrees(each[i], answers_[i]);
  };
  std::size_t i = 0;
  const std::size_t count = std::min(each.size(), answers_.size());
  while (i < count && is_right(i)) ++i;
  result.answer_right = i == count && each.size() == answers_.size();
  result.answer = result.expected = fmt::format("{} results", each.size());
  if (i == count) return;
  const bool written = watch_.wrote(output_, i * item, (i + 1) * item);
  const std::string name = name_of_element(i * lanes);
  result.answer = written || setup_.in_place()
                      ? fmt::format("{} at {}", to_text(type, each[i]), name)
                      : fmt::format("not written at {}", name);
  result.expected = to_text(type, answers_[i]);
  if (const std::uintptr_t pc = watch_.writer_of(output_, i * lanes); pc != 0) {
    result.wrong_place = simt::locate(pc);
  }
}

}  // namespace onefold::ladder::learner
