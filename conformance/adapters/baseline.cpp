// SPDX-License-Identifier: Apache-2.0
// Two adapters of what C++ programmers write:  baseline_adapter loop | reduce
//
// `loop` is a plain loop, `reduce` is std::reduce (std::transform_reduce), par_unseq where oneTBB
// is there. Both add in the type of the elements, f16 and bf16 in float, integers in the 64 bits
// of their sign, and convert at the end. Variance: the mean first, then the squared deviations.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <execution>
#include <functional>
#include <iostream>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "conformance/number_text.hpp"
#include "conformance/vectors.hpp"

namespace {

using namespace onefold;

struct loop {
  template <class A, class F>
  static A total(const std::vector<A>& x, F term) {
    A sum = 0;
    for (const A a : x) sum = A(sum + term(a));
    return sum;
  }
  template <class A>
  static A products(const std::vector<A>& x, const std::vector<A>& y) {
    A sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum = A(sum + x[i] * y[i]);
    return sum;
  }
};

#ifdef ONEFOLD_PARALLEL_REDUCE
constexpr auto& policy = std::execution::par_unseq;
#else
constexpr auto& policy = std::execution::seq;
#endif

struct standard {
  template <class A, class F>
  static A total(const std::vector<A>& x, F term) {
    return std::transform_reduce(policy, x.begin(), x.end(), A(0), std::plus<A>(), term);
  }
  template <class A>
  static A products(const std::vector<A>& x, const std::vector<A>& y) {
    return std::transform_reduce(policy, x.begin(), x.end(), y.begin(), A(0));
  }
};

template <class T>
using accumulator = std::conditional_t<
    std::is_same_v<T, double>, double,
    std::conditional_t<is_floating(dtype_of<T>), float,
                       std::conditional_t<is_unsigned(dtype_of<T>), std::uint64_t, std::int64_t>>>;

template <class T>
std::vector<accumulator<T>> elements(const std::vector<std::byte>& bytes) {
  std::vector<accumulator<T>> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    if constexpr (is_floating(dtype_of<T>))
      values[i] = accumulator<T>(conformance::widened(value));
    else
      values[i] = accumulator<T>(value);
  }
  return values;
}

template <class Way, class A>
A total_of(op op, const std::vector<A>& x, const std::vector<A>& y) {
  if (op == op::dot) return Way::products(x, y);
  return Way::total(x, [](A a) { return a; });
}

template <class Way, class A>
A square_of(op op, const std::vector<A>& x) {
  if (op == op::norm2) return std::sqrt(Way::total(x, [](A a) { return a * a; }));
  const A mean = Way::total(x, [](A a) { return a; }) / A(x.size());
  if (op == op::mean) return mean;
  const auto deviation = [mean](A a) { return (a - mean) * (a - mean); };
  const A var = Way::total(x, deviation) / A(x.size());
  return op == op::stddev ? std::sqrt(var) : var;
}

// The nearest number of a narrower format, by the hardware's own conversion where C++ has one.
template <class T>
std::string converted(double value) {
  if constexpr (std::is_same_v<T, float>) return conformance::hexadecimal(float(value));
  if constexpr (std::is_same_v<T, double>) return conformance::hexadecimal(value);
  using format = detail::float_format<T>;
  if (!std::isfinite(value) || value == 0) return conformance::hexadecimal(value);
  const int last = std::max(std::ilogb(value), 1 - format::max_exponent) - format::fraction_bits;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
  const double beyond = std::ldexp(1.0, format::max_exponent + 1);
  return conformance::hexadecimal(std::fabs(rounded) < beyond ? rounded
                                                              : std::copysign(INFINITY, value));
}

template <class A>
std::string written(A value, dtype output) {
  return with_type(output, [&]<class T>(detail::tag<T>) -> std::string {
    if constexpr (is_floating(dtype_of<T>))
      return converted<T>(double(value));
    else
      return std::to_string(T(value));
  });
}

template <class Way, class T>
std::string answer(const conformance::test_vector& vector) {
  const auto x = elements<T>(vector.views[0]);
  if (vector.op == op::sum || vector.op == op::dot) {
    const auto y = elements<T>(vector.views.back());
    return written(total_of<Way>(vector.op, x, y), vector.output);
  }
  if constexpr (is_floating(dtype_of<T>)) {
    return written(square_of<Way>(vector.op, x), vector.output);
  } else {
    const std::vector<double> wide(x.begin(), x.end());
    return written(square_of<Way>(vector.op, wide), vector.output);
  }
}

template <class Way>
int answer_all() {
  for (std::string line; std::getline(std::cin, line);) {
    const auto vector = conformance::parse(line);
    const std::string said =
        vector ? with_type(vector->input,
                           [&]<class T>(detail::tag<T>) { return answer<Way, T>(*vector); })
               : "error not a vector";
    std::puts(said.c_str());
  }
  return 0;
}

}  // namespace

#if defined(__clang__)
constexpr const char* compiler = "clang " __clang_version__;
#else
constexpr const char* compiler = "g++ " __VERSION__;
#endif

int main(int count, char** words) {
  const std::string_view way = count >= 2 ? words[1] : "";
  if (count == 3 && std::string_view(words[2]) == "--version")
    return std::printf("%s, compiled by %s\n", words[1], compiler) < 0;
  if (way == "loop") return answer_all<loop>();
  if (way == "reduce") return answer_all<standard>();
  std::fputs("usage: baseline_adapter loop | reduce\n", stderr);
  return 2;
}
