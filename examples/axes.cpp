// SPDX-License-Identifier: Apache-2.0
// One pass, many answers: one for each row, a mask, segments of an array, several operators.
#include <onefold/onefold.hpp>
#include <onefold/segments.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  const std::vector<double> table = {1, 2, 3, 4, 5, 6.5};

  // [axes]
  const onefold::view<double> rows(table.data(), {2, 3});
  const auto means = onefold::mean(rows, onefold::axis(1));   // 2, 5.166666666666667
  const auto largest = onefold::max(rows, onefold::axis(0));  // 4, 5, 6.5
  const onefold::statistics all = onefold::stats(rows);       // every statistic, one pass
  const std::vector<std::uint8_t> mask = {1, 0, 1};
  const double some = onefold::sum(rows, {.where = mask});  // 14.5: no middle column
  const std::vector<std::int64_t> offsets = {0, 1, 1, 6};
  const auto parts = onefold::segments<onefold::op::sum>(table, offsets);  // 1, 0, 20.5
  // [axes]

  std::printf("%.17g %.17g  %g %g %g  %.17g  %g  %g %g %g\n", means[0], means[1], largest[0],
              largest[1], largest[2], all.std_dev, some, parts[0], parts[1], parts[2]);
  const bool right = means[0] == 2 && means[1] == 15.5 / 3 && largest[2] == 6.5 && all.count == 6 &&
                     all.argmax == 5 && some == 14.5 && parts[1] == 0 && parts[2] == 20.5;
  return right ? 0 : 1;
}
