// SPDX-License-Identifier: Apache-2.0
// Reads the cases of support/fraction_oracle.py and answers them: exits with 1 where one differs.
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

// rounded(tag<Out>) is the answer in format Out.
template <class Rounded>
answers in_all_formats(Rounded rounded) {
  using onefold::detail::tag;
  return {std::bit_cast<std::uint64_t>(rounded(tag<double>{})),
          std::bit_cast<std::uint32_t>(rounded(tag<float>{})), rounded(tag<f16>{}).bits,
          rounded(tag<bf16>{}).bits};
}

struct problem {
  std::string operation, type;
  unsigned long long correction = 0;
};

template <class T>
answers answers_of(const problem& problem, const std::vector<T>& x) {
  if (problem.operation == "sum") {
    const onefold::state sum = onefold::partial(onefold::op::sum, x);
    return in_all_formats([&]<class Tag>(Tag) { return sum.value<typename Tag::type>(); });
  }
  if (problem.operation == "dot") {
    onefold::exact_dot<T> dot;
    for (std::size_t i = 0; i + 1 < x.size(); i += 2) dot.add(x[i], x[i + 1]);
    return in_all_formats([&]<class Tag>(Tag) { return dot.template value<typename Tag::type>(); });
  }
  onefold::exact_moments<T> moments;
  for (const T element : x) moments.add(element);
  const auto correction = std::bit_cast<double>(std::uint64_t(problem.correction));
  return in_all_formats([&]<class Tag>(Tag) {
    using out = typename Tag::type;
    if (problem.operation == "mean") return moments.template mean<out>();
    if (problem.operation == "norm2") return moments.squares().template root<out>();
    if (problem.operation == "var") return moments.template variance<out>(correction);
    return moments.template deviation<out>(correction);
  });
}

answers answers_of(const problem& problem, std::istream& line) {
  if (problem.type == "f64") return answers_of(problem, read_elements<double, std::uint64_t>(line));
  if (problem.type == "f32") return answers_of(problem, read_elements<float, std::uint32_t>(line));
  if (problem.type == "f16") return answers_of(problem, read_elements<f16, std::uint16_t>(line));
  return answers_of(problem, read_elements<bf16, std::uint16_t>(line));
}

}  // namespace

int main() {
  long cases = 0, wrong = 0;
  for (std::string text; std::getline(std::cin, text); ++cases) {
    std::istringstream line(text);
    problem problem;
    answers expected{};
    line >> problem.operation >> std::hex >> problem.correction >> problem.type >> expected.f64 >>
        expected.f32 >> expected.f16 >> expected.bf16;
    const answers got = answers_of(problem, line);
    if (got == expected) continue;
    if (++wrong < 10)
      std::printf("got f64 %llx f32 %llx f16 %llx bf16 %llx for the case (operator, correction, "
                  "type, the four expected answers, the elements)\n  %s\n",
                  got.f64, got.f32, got.f16, got.bf16, text.c_str());
  }
  std::printf("%ld cases, %ld wrong\n", cases, wrong);
  return cases > 0 && wrong == 0 ? 0 : 1;
}
