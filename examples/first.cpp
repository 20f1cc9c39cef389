// SPDX-License-Identifier: Apache-2.0
// Two sums that a loop gets wrong; the README quotes a part.
#include <cstdio>
#include <onefold/onefold.hpp>
#include <vector>

int main() {
  // [first]
  const std::vector<double> tenths(10, 0.1);
  std::printf("%.17g\n", onefold::sum(tenths));  // 1; a loop: 0.99999999999999989
  // [first]
  const std::vector<double> huge = {1e308, 1e308, -1e308};
  std::printf("%.17g\n", onefold::sum(huge));  // 1e+308; a loop: inf
}
