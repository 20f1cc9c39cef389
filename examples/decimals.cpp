// SPDX-License-Identifier: Apache-2.0
// Numbers in text form are decimals: 0.1 and 0.2 sum to 0.3, and only the result is binary.
#include <onefold/decimal.hpp>

#include <cstdio>

int main() {
  // [decimals]
  onefold::decimal_sum sum;
  for (const char* number : {"0.1", "0.2", "1e400", "-1e400"})
    if (auto read = sum.add(number); !read) return 1;
  const double rounded = sum.value();           // 0.3, rounded once
  const std::string in_full = sum.to_string();  // "0.3", all its digits
  // [decimals]
  std::printf("%.17g %s\n", rounded, in_full.c_str());
  return rounded == 0.3 && in_full == "0.3" ? 0 : 1;
}
