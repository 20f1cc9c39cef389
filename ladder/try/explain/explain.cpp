// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/explain/explain.hpp"

#include "ladder/try/launch/attempt.hpp"
#include "ladder/try/report/defects.hpp"

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

const char* other_fold(const trial_setup& t, const blame& wrong) {
  if (t.expectation != expectation::fold || t.of_records() || !is_floating(t.output().type))
    return nullptr;
  const numbers values = inputs_of(t, wrong.launch).front();
  if (values.size() < 2) return nullptr;
  number sum = 0, squares = 0, magnitudes = 0;
  for (const number v : values) {
    sum += v;
    squares += v * v;
    magnitudes += std::abs(v);
  }
  const auto n = static_cast<number>(values.size());
  const std::pair<const char*, number> folds[] = {{"the mean", sum / n},
                                                  {"the sum of squares", squares},
                                                  {"the mean of squares", squares / n},
                                                  {"the norm", std::sqrt(squares)},
                                                  {"the sum of magnitudes", magnitudes}};
  const number found = std::strtold(wrong.answer.c_str(), nullptr);
  for (const auto& [name, value] : folds) {
    const bool near = std::abs(found - value) <= std::abs(value) * 0x1p-12L;
    if (near && std::isfinite(value)) return name;
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

}  // namespace onefold::ladder::learner
