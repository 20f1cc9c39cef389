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

bool has_nan(const numbers& values) {
  return std::any_of(values.begin(), values.end(), [](number v) { return v != v; });
}

}  // namespace

void attempt::judge(try_run& result) const {
  if (launch_.input == input_kind::gathered) {
    result.answer_right = true;  // The file has no answer to it.
    return;
  }
  const numbers found = numbers_at(layout_, at_output_, outputs());
  if (setup_.of_records()) {
    judge_record(result, found);
  } else {
    is_one_value(setup_.expectation) ? judge_one_value(result, found) : judge_each(result, found);
  }
}

void attempt::judge_record(try_run& result, const numbers& found) const {
  const std::size_t width = layout_.width();
  std::vector<numbers> each;
  for (auto at = found.begin(); at != found.end(); at += static_cast<std::ptrdiff_t>(width)) {
    each.emplace_back(at, at + static_cast<std::ptrdiff_t>(width));
  }
  const record_input input{values_.front(), layout_of(setup_.input()).width()};
  const bool only_first = setup_.in_place() || !wrote(width, found.size());
  if (only_first && !setup_.in_place()) each.resize(1);
  const numbers answer = setup_.in_place() ? each.front() : merged(setup_.rule, each, input);
  result.answer = text_of(layout_, answer);
  result.expected = text_of(layout_, answers_);
  if (setup_.in_place()) {
    result.answer_right = is_in_place_record(each);
    return;
  }
  const auto is_right = [&](const numbers& a) {
    return same_record(setup_.rule, a, answers_, input);
  };
  const bool by_last_block = is_right(each.front()) && watch_.read_plainly(output_);
  result.answer_right = wrote(0, width) && (is_right(answer) || by_last_block);
  if (has_choice_of_nan(setup_, launch_)) {
    result.keeps_nan = std::any_of(each.begin(), each.end(), [&](const numbers& part) {
      return points_to_nan(setup_.rule, part, input);
    });
    if (!*result.keeps_nan && !result.answer_right) result.nan_answer = result.answer;
    if (wrote(0, width)) result.answer_right = true;  // told once for all such launches
  }
  for (std::size_t i = 0; i < each.size() && result.answer_right; ++i) {
    const auto element = disagreement(setup_.rule, each[i], input);
    if (!element) continue;
    result.answer_right = false;
    result.answer = fmt::format("{} at result {}", text_of(layout_, each[i]), i);
    const auto first =
        values_.front().begin() + static_cast<std::ptrdiff_t>(*element * input.width);
    const numbers there(first, first + static_cast<std::ptrdiff_t>(input.width));
    result.expected = fmt::format("the value of element {}, {}", *element,
                                  text_of(layout_of(setup_.input()), there));
  }
}

/// As is_in_place_answer, of records.
bool attempt::is_in_place_record(const std::vector<numbers>& each) const {
  const std::size_t blocks = launch_.grid.volume(), lanes = launch_.block.volume();
  const record_input input{values_.front(), layout_of(setup_.input()).width()};
  const auto merge_every = [&](std::size_t stride) {
    std::vector<numbers> some;
    for (std::size_t i = 0; i < blocks && i * stride < each.size(); ++i) {
      some.push_back(each[i * stride]);
    }
    return merged(setup_.rule, some, input);
  };
  const auto is_right = [&](const numbers& a) {
    return same_record(setup_.rule, a, answers_, input);
  };
  const std::size_t strides[] = {1, lanes, (each.size() + blocks - 1) / blocks, 2 * lanes};
  return is_right(each.front()) ||
         std::any_of(std::begin(strides), std::end(strides),
                     [&](std::size_t stride) { return is_right(merge_every(stride)); });
}

// A last block may read the partial answers back, and put the answer in place of the first.
void attempt::judge_one_value(try_run& result, const numbers& found) const {
  const scalar type = setup_.output().type;
  const reduction op = setup_.expectation == expectation::products ? reduction::sum : setup_.op;
  const unsigned lanes = setup_.output().lanes;
  const std::size_t item = std::size_t{size_bytes(type)} * lanes;
  const number expected = answers_.front();
  if (has_choice_of_nan(setup_, launch_)) {
    result.keeps_nan = has_nan(found);
    if (*result.keeps_nan && watch_.wrote(output_, 0, item)) {
      result.answer_right = true;
      return;
    }
  }
  const number all = folded(op, type, found);
  const number first = folded(op, type, numbers(found.begin(), found.begin() + lanes));
  const bool only_first =
      setup_.in_place() || !watch_.wrote(output_, item, found.size() / lanes * item);
  const bool by_last_block = first == expected && watch_.read_plainly(output_);
  const number answer = only_first || by_last_block ? first : all;
  result.answer_right = setup_.in_place() ? is_in_place_answer(found)
                                          : watch_.wrote(output_, 0, item) &&
                                                (same(answer, expected) || same(all, expected));
  if (result.keeps_nan && !result.answer_right) {
    result.nan_answer = to_text(type, answer);
    result.answer_right = true;  // told once for all such launches
  }
  result.infinite_sum_is_nan = launch_.input == input_kind::infinity && op == reduction::sum &&
                               answer != answer && !setup_.in_place();
  result.answer_right |= result.infinite_sum_is_nan;
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
  const std::size_t lanes = launch_.block.volume();
  if (same(each.front(), expected)) return true;
  const std::size_t strides[] = {1, a_block, lanes, 2 * lanes};
  return std::any_of(std::begin(strides), std::end(strides),
                     [&](std::size_t stride) { return same(fold_every(stride), expected); });
}

bool attempt::agrees(scalar type, number found, number expected) const {
  if (same(found, expected)) return true;
  if (setup_.expectation != expectation::file) return false;
  return std::abs(found - expected) <= tolerance(type) * std::abs(expected);
}

std::string attempt::name_of_element(std::size_t component) const {
  const std::size_t lanes = layout_.width();
  const std::size_t i = component / lanes;
  std::string name = fmt::format("element {}", i);
  if (setup_.expectation == expectation::rows) name = fmt::format("row {}", i);
  if (setup_.expectation == expectation::columns) name = fmt::format("column {}", i);
  if (!launch_.data.is_flat() &&
      (only_moves(setup_.expectation) || setup_.expectation == expectation::pairs)) {
    const std::size_t width = only_moves(setup_.expectation) ? launch_.data.y : launch_.data.x;
    name = fmt::format("row {}, column {}", i / width, i % width);
  }
  if (is_struct(setup_.output())) {
    return fmt::format("{}, field {}", name, name_of(layout_.parts[component % lanes]));
  }
  return lanes == 1 ? name : fmt::format("{}, component {}", name, component % lanes);
}

void attempt::judge_each(try_run& result, const numbers& found) const {
  const scalar type = setup_.output().type;
  const bool lines =
      setup_.expectation == expectation::rows || setup_.expectation == expectation::columns;
  const unsigned lanes = lines ? setup_.output().lanes : 1;
  const numbers each = folded_lanes(setup_.op, type, found, lanes);
  const auto is_right = [&](std::size_t i) {
    const bool written = setup_.in_place() || wrote(i * lanes, (i + 1) * lanes);
    return written && agrees(layout_.type_of(i * lanes), each[i], answers_[i]);
  };
  std::size_t i = 0;
  const std::size_t count = std::min(each.size(), answers_.size());
  while (i < count && is_right(i)) ++i;
  result.answer_right = i == count && each.size() == answers_.size();
  result.answer = result.expected = fmt::format("{} results", each.size());
  if (i == count) return;
  const scalar of_number = layout_.type_of(i * lanes);
  const bool written = setup_.in_place() || wrote(i * lanes, (i + 1) * lanes);
  const std::string name = name_of_element(i * lanes);
  result.answer = written ? fmt::format("{} at {}", to_text(of_number, each[i]), name)
                          : fmt::format("not written at {}", name);
  result.expected = to_text(of_number, answers_[i]);
  const std::size_t item = is_struct(setup_.output()) ? i / layout_.width() : i * lanes;
  if (const std::uintptr_t pc = watch_.writer_of(output_, item); pc != 0) {
    result.wrong_place = simt::locate(pc);
  }
}

}  // namespace onefold::ladder::learner
