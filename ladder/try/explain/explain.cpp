// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/explain/explain.hpp"

#include "ladder/try/launch/attempt.hpp"
#include "ladder/try/report/defects.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace onefold::ladder::learner {
namespace {

stored_lines stored(trials& all, const trial_launch& launch) {
  store_watch watch(all.setup().output().type);
  all.run(launch, &watch);
  return watch.lines();
}

bool one_type(const trial_setup& t) {
  return t.input().type == t.output().type && t.input().lanes == 1 && t.output().lanes == 1 &&
         !is_struct(t.input()) && !is_struct(t.output());
}

bool is_flat(const trial_setup& t) {
  return t.shape.rule == grid_rule::elements && t.shape.flat && !t.one_cluster;
}

struct named_value {
  const char* name;
  number value;
};

/// What learners compute besides the four folds. Those of one element are folds of it.
std::vector<named_value> other_folds(const numbers& values) {
  if (values.empty()) return {};
  number sum = 0, squares = 0, magnitudes = 0, positive = 0, negative = 0, zero = 0;
  for (const number v : values) {
    sum += v;
    squares += v * v;
    magnitudes += std::abs(v);
    positive += v > 0 ? 1 : 0;
    negative += v < 0 ? 1 : 0;
    zero += v == 0 ? 1 : 0;
  }
  const auto n = static_cast<number>(values.size());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {{"the mean", sum / n},
          {"the sum of squares", squares},
          {"the mean of squares", squares / n},
          {"the norm", std::sqrt(squares)},
          {"the sum of magnitudes", magnitudes},
          {"the range", *most - *least},
          {"the greatest magnitude", std::max(std::abs(*least), std::abs(*most))},
          {"the number", n},
          {"the number of positive ones", positive},
          {"the number of negative ones", negative},
          {"the number of zeros", zero},
          {"the number of those that are not zero", n - zero}};
}

/// Integers wrap.
bool is_near(const trial_setup& t, const std::string& answer, number value) {
  const scalar type = t.output().type;
  const number found = std::strtold(answer.c_str(), nullptr);
  if (!is_floating(type)) return std::abs(value) < 0x1p62L && found == std::trunc(value);
  return std::isfinite(value) && std::abs(found - value) <= std::abs(value) * 0x1p-12L;
}

}  // namespace

std::vector<try_defect> blamed_lines(trials& all, const blame& wrong) {
  const trial_setup& t = all.setup();
  const bool products = t.expectation == expectation::products;
  const bool folds =
      products || t.expectation == expectation::pairs || t.expectation == expectation::fold;
  if (!one_type(t) || !folds || !is_flat(t)) return {};
  trial_launch launch = wrong.launch;
  launch.order = simt::schedule::forward;
  launch.together = 1;
  std::vector<try_defect> defects;
  // What a lane reads past the end, or before it is written, is no identity of anyone's choice.
  if (const auto expected = all.expected(launch); expected && !wrong.strange_memory) {
    defects = wrong_identities(stored(all, launch), t.op, t.output().type, *expected);
  }
  launch.input = input_kind::wide;
  const auto operators = wrong_operators(stored(all, launch), t.op, products);
  defects.insert(defects.end(), operators.begin(), operators.end());
  return defects;
}

const char* other_fold(const trial_setup& t, const blame& wrong, const blame& shorter) {
  if (t.expectation != expectation::fold || t.of_records() || is_struct(t.input())) return nullptr;
  const std::vector<named_value> folds = other_folds(inputs_of(t, wrong.launch).front());
  const std::vector<named_value> again = other_folds(inputs_of(t, shorter.launch).front());
  for (std::size_t i = 0; i < std::min(folds.size(), again.size()); ++i) {
    if (is_near(t, wrong.answer, folds[i].value) && is_near(t, shorter.answer, again[i].value))
      return folds[i].name;
  }
  return nullptr;
}

std::optional<unsigned> better_block(trial_setup setup) {
  const unsigned block = setup.shape.block.x, whole = std::bit_floor(block);
  if (!is_flat(setup) || whole == block) return {};
  setup.shape = setup.shape.with_block(whole);
  trials other(setup);
  const auto full = trial_launch::at_full(setup.shape, simt::schedule::forward, input_kind::random);
  return other.run(full).clean() ? whole : 0;
}

bool reads_absent(const simt::finding& f) {
  return f.kind == simt::defect::warp_mask &&
         f.detail.find("reads from a lane outside the mask") != f.detail.npos;
}

bool discards_absent(trials& all, trial_launch launch, const try_run& run) {
  if (!run.answer_right || std::ranges::none_of(run.findings, reads_absent)) return false;
  constexpr std::uint64_t large[] = {0x7F7F7F7F7F7F7F7F, 0xFF7F7F7FFF7F7F7F};
  return std::ranges::all_of(large, [&](std::uint64_t value) {
    launch.absent = value;
    return all.run(launch).answer_right;
  });
}

}  // namespace onefold::ladder::learner
