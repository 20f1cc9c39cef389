// SPDX-License-Identifier: Apache-2.0
// Parts that are summed separately, serialized, read back and merged: the bits of the whole.
#include <onefold/onefold.hpp>

#include <cstdio>
#include <span>
#include <vector>

int main() {
  std::vector<double> all(100'000);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = (i % 2 ? -1.0 : 1.0) / double(i + 1);
  const std::span<const double> data(all);

  // [parts]
  auto left = onefold::partial(onefold::op::sum, data.first(30'000));
  auto right = onefold::partial(onefold::op::sum, data.subspan(30'000));
  const std::vector<std::byte> stored = left.bytes();  // the same bytes on every machine
  right.merge(onefold::state::from_bytes(stored).value());
  const bool same =
      right.value() == onefold::sum(all) && right == onefold::partial(onefold::op::sum, data);
  // [parts]

  std::printf("%.17g from %zu + %zu elements: %s\n", right.value(), std::size_t(30'000),
              all.size() - 30'000, same ? "the bits of the whole" : "DIFFERENT");
  return same ? 0 : 1;
}
