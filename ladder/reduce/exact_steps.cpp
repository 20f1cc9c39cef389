// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/exact_steps.hpp"

#include "ladder/page/text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace onefold::ladder {
namespace {

/// Where the three sums of the example begin: units of 2^8, 2^-22 and 2^-52.
constexpr std::array<int, 3> exponents = {60, 30, 0};

}  // namespace

window_sum::window_sum(int exponent) : exponent_(exponent), sum_(1.5 * std::ldexp(1.0, exponent)) {}

double window_sum::take(double x) {
  const double next = sum_ + x;
  const double taken = next - sum_;
  sum_ = next;
  return x - taken;
}

std::int64_t window_sum::units() const {
  const double taken = sum_ - 1.5 * std::ldexp(1.0, exponent_);
  return static_cast<std::int64_t>(std::ldexp(taken, -unit_exponent()));
}

exact_example exact_example_of(std::span<const float> elements) {
  std::array<window_sum, 3> sums = {window_sum(exponents[0]), window_sum(exponents[1]),
                                    window_sum(exponents[2])};
  exact_example example{};
  for (const float x : elements) {
    exact_step step{x, {}, x};
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double left = sums[i].take(step.left);
      step.taken[i] = step.left - left;
      step.left = left;
    }
    example.steps.push_back(step);
    example.float_loop += x;
  }
  // The units of the three sums together have fewer bits than a long double: one rounding.
  long double exact = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    example.units[i] = sums[i].units();
    example.unit_exponents[i] = sums[i].unit_exponent();
    exact += std::ldexp(static_cast<long double>(example.units[i]), sums[i].unit_exponent());
  }
  example.rounded = static_cast<float>(exact);
  return example;
}

std::span<const float> usual_exact_elements() {
  static constexpr std::array<float, 4> elements = {100000096.0f, 0.75f, -100000096.0f, 0x1p-30f};
  return elements;
}

std::string to_text(const exact_example& example) {
  text_table table({{"element", align::right},
                    {"first sum takes", align::right},
                    {"second takes", align::right},
                    {"third takes", align::right},
                    {"left", align::right}});
  const auto number = [](double x) { return fmt::format("{:.12g}", x); };
  for (const exact_step& s : example.steps) {
    table.add({number(s.element), number(s.taken[0]), number(s.taken[1]), number(s.taken[2]),
               number(s.left)});
  }
  std::string integers;
  for (std::size_t i = 0; i < example.units.size(); ++i) {
    integers += fmt::format("{}{} of 2^{}", i == 0 ? "" : ", ", example.units[i],
                            example.unit_exponents[i]);
  }
  return "steps of an exact sum: windows, integers, one rounding\n" + table.text() +
         fmt::format("integers, in units: {}; the same in any order\n", integers) +
         fmt::format("rounded once: {:.9g}; a loop over the floats: {:.9g}\n",
                     static_cast<double>(example.rounded), static_cast<double>(example.float_loop));
}

}  // namespace onefold::ladder
