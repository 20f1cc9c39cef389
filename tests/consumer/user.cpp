// SPDX-License-Identifier: Apache-2.0
// A user's program, compiled with flags that break floating-point arithmetic; linked with -Ofast it
// even starts under flush-to-zero. The library's answers must not notice.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "onefold/onefold.hpp"

namespace {

int failures = 0;

// Bits, because such flags also break comparisons with NaN, zeros and subnormal numbers.
void expect(const char* call, std::uint64_t got, std::uint64_t right) {
  if (got == right) return;
  std::printf("%s: got %016llx, right is %016llx\n", call, static_cast<unsigned long long>(got),
              static_cast<unsigned long long>(right));
  ++failures;
}

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
double number(std::uint64_t word) {
  return std::bit_cast<double>(word);
}

constexpr std::uint64_t one = 0x3FF0000000000000, two_to_the_60 = 0x43B0000000000000,
                        minus = 0x8000000000000000, infinity = 0x7FF0000000000000,
                        not_a_number = 0x7FF8000000000000;

// n ones between two huge numbers that cancel, and a subnormal; in threads if n is large.
void try_sum(std::size_t n) {
  std::vector<double> x(n, number(one));
  x.front() = number(two_to_the_60), x.back() = number(two_to_the_60 | minus);
  expect("ones between cancelling numbers", bits(onefold::sum(x)), bits(double(n - 2)));
  onefold::exact_sum<double> by_hand;
  for (const double element : x) by_hand.add(element);
  expect("the same by hand", bits(by_hand.value()), bits(double(n - 2)));
  expect("the same in single precision", std::bit_cast<std::uint32_t>(by_hand.value<float>()),
         std::bit_cast<std::uint32_t>(float(n - 2)));

  const std::vector<double> tiny(n, number(1));
  expect("subnormals", bits(onefold::sum(tiny)), n);
  expect("subnormals, fast", bits(onefold::sum(tiny, {.accuracy = onefold::accuracy::fast})), n);
}

void try_specials() {
  const double both[] = {number(infinity), number(one), number(infinity | minus)};
  expect("infinities of both signs", bits(onefold::sum(both)), not_a_number);
  const double above[] = {number(one), number(infinity)};
  expect("infinity", bits(onefold::sum(above)), infinity);
  const double none[] = {number(not_a_number | minus | 77), number(one)};
  expect("NaN", bits(onefold::sum(none)), not_a_number);
  const double zeros[] = {number(minus), number(minus)};
  expect("minus zeros", bits(onefold::sum(zeros)), minus);
}

}  // namespace

int main() {
  for (const std::size_t n : {3, 100, 1000, 70'000, 2'000'000}) try_sum(n);
  try_specials();
  return failures == 0 ? 0 : 1;
}
