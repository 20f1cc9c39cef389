// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/input.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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
  generator(scalar type, std::size_t n, std::uint64_t seed)
      : type_(type), n_(static_cast<std::int64_t>(n)), random_(seed) {}

  /// Sums: of integers any bits, since they wrap; of floats what n times over stays exact.
  number spread() {
    if (!floats(type_)) return any_bits();
    const std::int64_t bound = std::min((exact_limit(type_) - 1) / n_, std::int64_t{1} << 40);
    return between(-bound, bound);
  }

  /// One of two factors: of floats, n products stay exact when they are added.
  number one_of_two() {
    if (!floats(type_)) return any_bits();
    const auto bound =
        static_cast<std::int64_t>(std::sqrt(static_cast<double>((exact_limit(type_) - 1) / n_)));
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
  std::mt19937_64 random_;
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

constexpr std::uint64_t first_seed = 20260101, second_seed = 20260102;

/// Of two inputs; single operations are exact with any bits.
number value_of_two(task asked, input_kind kind, generator& values, std::size_t i, scalar type,
                    bool first) {
  if (kind == input_kind::counting) {
    return first ? counting(reduction::sum, type, i) : static_cast<number>(1 + i % 2);
  }
  const bool adds_up = asked == task::products && kind == input_kind::random;
  return adds_up ? values.one_of_two() : values.any_bits();
}

}  // namespace

const char* suffix(task asked) {
  constexpr std::array<const char*, 3> words = {"", " of products", " of each pair"};
  return words[static_cast<std::size_t>(asked)];
}

std::vector<numbers> input_values(task asked, input_kind kind, reduction op, scalar type,
                                  std::size_t n) {
  const std::size_t least = std::max<std::size_t>(n, 1);
  std::array generators = {generator(type, least, first_seed), generator(type, least, second_seed)};
  std::vector<numbers> inputs(asked == task::fold ? 1 : 2);
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    inputs[k].reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
      inputs[k].push_back(asked == task::fold
                              ? value_at(kind, op, type, generators[k], i)
                              : value_of_two(asked, kind, generators[k], i, type, k == 0));
    }
  }
  return inputs;
}

number folded(reduction op, scalar type, const numbers& values) {
  number total = identity(op, type);
  for (const number value : values) total = fold(op, type, total, value);
  return total;
}

numbers answers(task asked, reduction op, scalar type, const std::vector<numbers>& inputs) {
  if (asked == task::fold) return {folded(op, type, inputs.front())};
  const reduction each = asked == task::products ? reduction::product : op;
  numbers results;
  results.reserve(inputs[0].size());
  for (std::size_t i = 0; i < inputs[0].size(); ++i) {
    results.push_back(fold(each, type, inputs[0][i], inputs[1][i]));
  }
  if (asked == task::products) return {folded(reduction::sum, type, results)};
  return results;
}

}  // namespace onefold::ladder::learner
