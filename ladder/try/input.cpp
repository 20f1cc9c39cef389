// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/input.hpp"

#include <algorithm>
#include <cstdint>
#include <random>

namespace onefold::ladder::learner {
namespace {

constexpr std::size_t float_period = 7;

bool floats(scalar type) {
  return type == scalar::float32 || type == scalar::float64;
}

bool is_unsigned(scalar type) {
  return type == scalar::uint32 || type == scalar::uint64;
}

/// Integers up to this are exact in the type.
std::int64_t exact_limit(scalar type) {
  return type == scalar::float32 ? std::int64_t{1} << 24 : std::int64_t{1} << 53;
}

class generator {
 public:
  generator(scalar type, std::size_t n) : type_(type), n_(static_cast<std::int64_t>(n)) {}

  /// Sums: of integers any bits, since they wrap; of floats what n times over stays exact.
  number spread() {
    if (!floats(type_)) return any_bits();
    const std::int64_t bound = std::min((exact_limit(type_) - 1) / n_, std::int64_t{1} << 40);
    return between(-bound, bound);
  }

  number any_bits() {
    switch (type_) {
    case scalar::uint32:
      return static_cast<std::uint32_t>(random_());
    case scalar::int64:
      return static_cast<std::int64_t>(random_());
    case scalar::uint64:
      return random_();
    case scalar::float32:
    case scalar::float64:
      return between(-(1 << 20), 1 << 20);
    case scalar::int32:
    case scalar::other:
      break;
    }
    return static_cast<std::int32_t>(random_());
  }

  /// A maximum is below zero and a minimum above it, where 0 for a missing element would win.
  number one_sided(reduction op) {
    if (is_unsigned(type_)) return between(1, std::int64_t{1} << 31);
    const number value = between(1, 1 << 23);
    return op == reduction::maximum ? -value : value;
  }

  /// Integers: odd, so that a product never ends at 0. Floats: ones, and among the first elements
  /// few enough others that every partial product is exact.
  number factor(std::size_t i) {
    if (!floats(type_)) return fold(reduction::sum, type_, any_bits_even(), 1);
    constexpr number few[] = {2, -1, 3, 0.5, 1, -2, 0.5, 3, -0.5, 2, 3, -1};
    const std::size_t place = i / 5;  // they lie apart, so that several lanes of a tree meet one
    return i % 5 == 0 && place < std::size(few) ? few[place] : 1;
  }

 private:
  number any_bits_even() { return fold(reduction::product, type_, any_bits(), 2); }

  number between(std::int64_t low, std::int64_t high) {
    const auto span = static_cast<std::uint64_t>(high - low) + 1;
    return static_cast<number>(low + static_cast<std::int64_t>(random_() % span));
  }

  scalar type_;
  std::int64_t n_;
  std::mt19937_64 random_{20260101};
};

number counting(reduction op, scalar type, std::size_t i) {
  if (op == reduction::product) return i % 3 == 0 ? -1 : 1;
  return static_cast<number>(type == scalar::float32 ? i % float_period : i);
}

number value_at(input_kind kind, reduction op, scalar type, generator& values, std::size_t i) {
  if (kind == input_kind::counting) return counting(op, type, i);
  if (kind == input_kind::wide) return values.any_bits();
  if (op == reduction::sum) return values.spread();
  return op == reduction::product ? values.factor(i) : values.one_sided(op);
}

}  // namespace

std::vector<number> input_values(input_kind kind, reduction op, scalar type, std::size_t n) {
  generator random(type, std::max<std::size_t>(n, 1));
  std::vector<number> values;
  values.reserve(n);
  for (std::size_t i = 0; i < n; ++i) values.push_back(value_at(kind, op, type, random, i));
  return values;
}

number folded(reduction op, scalar type, const std::vector<number>& values) {
  number total = identity(op, type);
  for (const number value : values) total = fold(op, type, total, value);
  return total;
}

}  // namespace onefold::ladder::learner
