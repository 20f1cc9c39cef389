// SPDX-License-Identifier: Apache-2.0
// A strided view without a copy: one member of an array of structs; strides may be negative.
#include <onefold/onefold.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

struct trade {
  std::int64_t time;
  float price;
  std::int32_t volume;
};

}  // namespace

int main() {
  std::vector<trade> trades;
  for (int i = 0; i < 1000; ++i) trades.push_back({i, 0.25f * float(i), i});

  // [strided]
  const onefold::array_view prices(&trades[0].price, onefold::dtype::f32,
                                   {{std::int64_t(trades.size()), sizeof(trade)}});
  const auto sum = onefold::try_reduce<double>(onefold::executor::cpu{1}, onefold::op::sum, prices);
  if (!sum) return std::printf("%s\n", sum.why().message().c_str()), 1;
  // [strided]

  std::printf("%.17g\n", *sum);
  return *sum == 124875 ? 0 : 1;
}
