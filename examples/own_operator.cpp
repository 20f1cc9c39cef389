// SPDX-License-Identifier: Apache-2.0
// A user-defined operator: the library provides threads, strides and masks, and keeps the order.
#include <onefold/custom.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

// [own_operator]
// The longest run of elements above zero. Merging does not commute: the order matters.
struct longest_run {
  std::int64_t count = 0, front = 0, back = 0, longest = 0;

  void add(int x) {
    ++count;
    back = x > 0 ? back + 1 : 0;
    if (back == count) front = count;
    longest = std::max(longest, back);
  }
  void merge(const longest_run& next) {
    longest = std::max({longest, next.longest, back + next.front});
    if (front == count) front += next.front;
    back = next.back == next.count ? back + next.count : next.back;
    count += next.count;
  }
};
// [own_operator]

int main() {
  std::vector<int> days(1'000'000, 1);
  days[99] = days[700'000] = 0;
  const auto run = onefold::reduce_with(longest_run(), days);
  std::printf("%lld of %lld days\n", static_cast<long long>(run.longest),
              static_cast<long long>(run.count));
  return run.longest == 699'900 && run.count == 1'000'000 ? 0 : 1;
}
