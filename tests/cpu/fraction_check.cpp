// SPDX-License-Identifier: Apache-2.0
// Reads the cases of support/fraction_oracle.py and sums them: exits with 1 where a sum differs.
#include <bit>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "onefold/onefold.hpp"

namespace {

using onefold::bf16;
using onefold::f16;

template <class T, class Bits>
std::vector<T> read_elements(std::istream& line) {
  std::vector<T> elements;
  for (unsigned long long bits = 0; line >> bits;)
    elements.push_back(std::bit_cast<T>(static_cast<Bits>(bits)));
  return elements;
}

struct answers {
  unsigned long long f64, f32, f16, bf16;
  bool operator==(const answers&) const = default;
};

template <class T, class Bits>
answers sum_of(std::istream& line) {
  const onefold::state sum = onefold::partial(onefold::op::sum, read_elements<T, Bits>(line));
  return {std::bit_cast<std::uint64_t>(sum.value<double>()),
          std::bit_cast<std::uint32_t>(sum.value<float>()), sum.value<f16>().bits,
          sum.value<bf16>().bits};
}

answers sum_of(const std::string& type, std::istream& line) {
  if (type == "f64") return sum_of<double, std::uint64_t>(line);
  if (type == "f32") return sum_of<float, std::uint32_t>(line);
  if (type == "f16") return sum_of<f16, std::uint16_t>(line);
  return sum_of<bf16, std::uint16_t>(line);
}

}  // namespace

int main() {
  long cases = 0, wrong = 0;
  for (std::string text; std::getline(std::cin, text); ++cases) {
    std::istringstream line(text);
    std::string type;
    answers expected{};
    line >> type >> std::hex >> expected.f64 >> expected.f32 >> expected.f16 >> expected.bf16;
    const answers got = sum_of(type, line);
    if (got == expected) continue;
    if (++wrong < 10)
      std::printf("got f64 %llx f32 %llx f16 %llx bf16 %llx for the case (type, the four expected "
                  "sums, the elements)\n  %s\n",
                  got.f64, got.f32, got.f16, got.bf16, text.c_str());
  }
  std::printf("%ld cases, %ld wrong\n", cases, wrong);
  return cases > 0 && wrong == 0 ? 0 : 1;
}
