// SPDX-License-Identifier: Apache-2.0
// Group by: an exact total for each account, in any order of the entries.
#include <cstdio>
#include <vector>

#include "onefold/onefold.hpp"

int main() {
  // [keys]
  const std::vector<int> account = {7, 3, 7, 3, 7};
  const std::vector<double> amount = {1e100, 0.5, 1.0, 0.25, -1e100};
  const auto [keys, totals] = onefold::by_key<onefold::op::sum>(account, amount);
  for (std::int64_t k = 0; k < keys.size(); ++k) std::printf("%d\t%g\n", keys[k], totals[k]);
  // [keys]
  return keys[0] == 3 && totals[0] == 0.75 && totals[1] == 1 ? 0 : 1;
}
