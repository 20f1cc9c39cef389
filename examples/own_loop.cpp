// SPDX-License-Identifier: Apache-2.0
// Exact accumulators in a user's own loop: header-only, no library to link, integers alone.
#include <onefold/exact.hpp>

#include <cstdio>

int main() {
  // [own_loop]
  onefold::exact_sum<float> odd, even;
  for (int i = 1; i <= 1000; ++i) (i % 2 ? odd : even).add(1.0f / float(i));
  odd.merge(even);
  const float answer = odd.value();           // rounded once to float
  const double closer = odd.value<double>();  // the same exact sum, rounded once to double
  // [own_loop]
  std::printf("%.9g %.17g %lld\n", double(answer), closer, static_cast<long long>(odd.count()));
  return answer == 7.48547077f && odd.count() == 1000 ? 0 : 1;
}
