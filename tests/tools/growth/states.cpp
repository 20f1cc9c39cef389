// SPDX-License-Identifier: Apache-2.0
// The states of the toy operators, without the engine: compiled by growth_test.py with the files of
// the library that states need, in a copy of the tree to which the patches here are applied.
#include <cstdio>

#include "cpu/tasks/tasks.hpp"
#include "onefold/onefold.hpp"

using namespace onefold;

namespace {

int failures = 0;

void expect(bool holds, const char* problem) {
  if (!holds) std::printf("%s\n", problem), ++failures;
}

const float elements[] = {-1, -0.0f, 0, 2, -3};

void check_negatives() {
  state once(op::count_negative, dtype::f32);
  const auto task = cpu::make_signs_task(dtype::f32);
  task->take({elements, nullptr, 5, 0});
  task->drain(detail::state_access::known(once));
  state twice = state::from_bytes(once.bytes()).value();
  expect(twice == once, "the state is not restored from its bytes");
  twice.merge(once);
  expect(twice.count() == 10, "the merged state has another number of elements");
  expect(twice.value<double>() == 4, "count_negative is wrong");
}

void check_zeros() {
  detail::nonzero_counts counts;
  for (const float x : elements) counts.add(x);
  state zeros(op::count_zero, dtype::f32);
  detail::state_access::known(zeros) = counts;
  expect(zeros.value<std::int64_t>() == 2, "count_zero is wrong");
}

}  // namespace

int main() {
  expect(parse_op("count_negative") == op::count_negative, "count_negative has no name");
  expect(default_output(op::count_zero, dtype::f32) == dtype::i64, "count_zero has another type");
  check_negatives();
  check_zeros();
  return failures;
}
