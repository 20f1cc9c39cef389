// SPDX-License-Identifier: Apache-2.0
// The example of the README; examples/CMakeLists.txt checks that both are the same.
// [first]
#include <cstdio>
#include <onefold/onefold.hpp>
#include <vector>

int main() {
  const std::vector<double> tenths(10, 0.1), huge = {1e308, 1e308, -1e308};
  std::printf("%.17g\n", onefold::sum(tenths));  // 1      (a loop: 0.99999999999999989)
  std::printf("%.17g\n", onefold::sum(huge));    // 1e+308 (a loop: inf)
}
// [first]
