// SPDX-License-Identifier: Apache-2.0
// To build without CMake:  g++ -std=c++20 main.cpp $(pkg-config --cflags --libs onefold)
#include <cstdio>
#include <onefold/onefold.hpp>
#include <vector>

int main() {
  const std::vector<double> prices(1'000'000, 0.1);
  std::printf("%.17g\n", onefold::sum(prices));
  try {
    (void)onefold::state(onefold::op::sum, onefold::dtype::f64)
        .merge(onefold::state(onefold::op::sum, onefold::dtype::f32));
  } catch (const onefold::error& refused) {
    std::printf("%s\n", refused.what());
  }
}
