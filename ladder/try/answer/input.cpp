// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/answer/input.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>

namespace onefold::ladder::learner {
namespace {

constexpr std::size_t float_period = 7;
constexpr number fraction = 0x1p-4L;

class generator {
 public:
  generator(const input_request& request, std::uint64_t seed)
      : type_(request.type), floats_(is_floating(request.type) || is_floating(request.output)),
        n_(static_cast<std::int64_t>(std::max<std::size_t>(request.count, 1))), random_(seed) {
    // A total in a narrower type than the answer's has to round.
    if (is_floating(request.output)) {
      exact_bits_ = exact_bits(request.output);
    } else if (is_floating(type_)) {
      exact_bits_ = exact_bits(type_);
    }
    for (const scalar type : {request.type, request.output}) {
      if (is_floating(type)) narrowest_ = std::min(narrowest_, exact_bits(type));
    }
    greatest_ = (std::int64_t{1} << std::min({exact_bits(type_), exact_bits_, 40u})) - 1;
    if (is_floating(type_) && is_floating(request.output)) unit_ = fraction;
  }

  /// Sums: of integers any bits, since they wrap; of floats what n times over stays exact.
  number spread() { return floats_ ? unit_ * around_zero((exact_limit() - 1) / n_) : any_bits(); }

  /// One of two factors: of floats, n products stay exact when they are added.
  number one_of_two() {
    if (!floats_) return any_bits();
    const double most = std::sqrt(static_cast<double>((exact_limit() - 1) / n_));
    return unit_ * around_zero(static_cast<std::int64_t>(most));
  }

  number any_bits() {
    if (floats_) {
      const std::int64_t bound = std::min(greatest_ / 2, std::int64_t{1} << 20);
      return unit_ * between(is_unsigned(type_) ? 0 : -bound, bound);
    }
    return fold(reduction::sum, type_, static_cast<number>(random_()), 0);
  }

  /// A maximum is below zero and a minimum above it, where 0 for a missing element would win.
  number one_sided(reduction op) {
    const std::int64_t most = std::min(greatest_, std::int64_t{1} << 23);
    const number value = unit_ == 1 ? between(1, most) : unit_ * (2 * between(0, most / 2) + 1);
    return op == reduction::maximum && !is_unsigned(type_) ? -value : value;
  }

  /// Near the limit that a wrong identity reaches first.
  number at_limit(reduction op) {
    const bool least = op != reduction::minimum;
    const number limit = least ? lowest(type_) : highest(type_);
    const number other = least ? highest(type_) : lowest(type_);
    const std::uint64_t draw = random_();
    if (!selects(op)) return draw % 3 == 0 ? limit : draw % 3 == 1 ? other : any_bits();
    if (is_floating(type_)) return limit * (1 - static_cast<number>(draw % 64) / 128);
    return limit;
  }

  /// Integers: odd, so that a product never ends at 0. Floats: ones, and among the first elements
  /// few enough others that every partial product is exact.
  number factor(std::size_t i) {
    if (floats_ && !is_floating(type_)) return i % 5 == 0 && i < 20 ? 3 : 1;
    if (!floats_) return fold(reduction::sum, type_, any_bits_even(), 1);
    constexpr number few[] = {2, -1, 3, 0.5, 1, -2, 0.5, 3, -0.5, 2, 3, 1};
    const std::size_t place = i / 5;  // apart, so that several lanes of a tree meet one
    return i % 5 == 0 && place < std::size(few) ? few[place] : 1;
  }

  /// On one side of zero, so that 0 for a missing element would win, and sums are exact.
  number for_fields(bool squares) {
    const bool negative = n_ % 2 == 0 && !is_unsigned(type_);
    std::int64_t bound = floats_ ? std::min((exact_limit() - 1) / n_, greatest_) : greatest_ / 2;
    if (squares) bound = static_cast<std::int64_t>(std::sqrt(static_cast<double>(bound)));
    if (bound < 1) return unit_ * around_zero(bound);
    const number value = between(1, std::min(bound, std::int64_t{1} << 20));
    return unit_ * (negative ? -value : value);
  }

  /// All but the extremum; of ordinary ones, where zero is a candidate, it would win.
  number beside_the_extremum(const input_request& r) {
    const bool least = r.op == reduction::minimum;
    const std::int64_t most = std::min(greatest_, std::int64_t{1} << 23);
    if (r.kind == input_kind::limits) return worst(r.op);
    if (r.kind == input_kind::infinity && r.place % 2 == 0) return identity(r.op, type_);
    if (r.kind == input_kind::mixed && !is_unsigned(type_))
      return (least ? -unit_ : unit_) * between(-most, most / 2);
    if (least) return unit_ * between(2, most);
    return is_unsigned(type_) ? between(1, most - 1) : -unit_ * between(2, most);
  }
  number extremum(const input_request& r) const {
    const bool least = r.op == reduction::minimum;
    const number most = static_cast<number>(std::min(greatest_, std::int64_t{1} << 23));
    const bool odd = r.place % 2 != 0;
    // All equal: any index will do. Of floating elements a sentinel may be the least one.
    if (r.kind == input_kind::limits && odd && !is_floating(type_)) return worst(r.op);
    if (r.kind == input_kind::limits || (r.kind == input_kind::infinity && !odd))
      return is_floating(type_) ? worst(r.op) / 128 * 127 : worst(r.op) + (least ? -1 : 1);
    if (r.kind == input_kind::mixed && !is_unsigned(type_)) return (least ? -unit_ : unit_) * most;
    if (least) return unit_;
    return is_unsigned(type_) ? most : -unit_;
  }
  std::size_t any_place() {
    return static_cast<std::size_t>(random_()) % static_cast<std::size_t>(n_);
  }

  bool is_small() const { return narrowest_ < 24; }

 private:
  number worst(reduction op) const {
    return op == reduction::minimum ? highest(type_) : lowest(type_);
  }
  std::int64_t exact_limit() const { return std::int64_t{1} << std::min(exact_bits_, 53u); }

  /// Of a type whose exact integers are fewer than the elements, most are 0: the sum of the others,
  /// of either sign, stays small.
  number around_zero(std::int64_t bound) {
    bound = std::min(bound, greatest_);
    const bool positive = is_unsigned(type_);
    if (bound >= 1) return between(positive ? 0 : -bound, bound);
    const std::int64_t quarter = exact_limit() / 4;
    const std::int64_t others = positive ? quarter : quarter * quarter;
    const std::uint64_t draw = random_();
    if (static_cast<std::int64_t>(draw >> 8) % n_ >= others) return 0;
    return positive || (draw & 1) != 0 ? 1 : -1;
  }

  number any_bits_even() { return fold(reduction::product, type_, any_bits(), 2); }

  number between(std::int64_t low, std::int64_t high) {
    const auto span = static_cast<std::uint64_t>(high - low) + 1;
    return static_cast<number>(low + static_cast<std::int64_t>(random_() % span));
  }

  scalar type_;
  bool floats_;
  unsigned exact_bits_ = 64;  ///< of the answer, if it or an element is floating
  unsigned narrowest_ = 64;   ///< of the floating types
  std::int64_t greatest_ = 0;
  number unit_ = 1;  ///< of floats that stay floats a fraction
  std::int64_t n_;
  std::mt19937_64 random_;
};

/// Of a file's answer every element is known to whoever wrote it.
number counting(const input_request& r, generator& values, std::size_t i) {
  const bool adds = !only_moves(r.expectation) && r.expectation != expectation::pairs;
  if (r.expectation != expectation::file && values.is_small()) {
    return adds ? values.spread() : static_cast<number>(i % 200);
  }
  const bool single = r.type == scalar::float32 || r.output == scalar::float32 || values.is_small();
  return static_cast<number>(single && adds ? i % float_period : i);
}

/// Integers whose product fits in every type.
number fitting_factor(std::size_t i) {
  constexpr number few[] = {2, -1, 3, 1, 5, 1, -1, 3};
  return i % 3 == 0 && i / 3 < std::size(few) ? few[i / 3] : 1;
}

number value_of_one(const input_request& r, generator& values, std::size_t i) {
  if (r.expectation == expectation::position) return values.beside_the_extremum(r);
  if (r.expectation == expectation::fields) return values.for_fields(r.squares);
  const bool any = r.kind == input_kind::wide || (r.kind == input_kind::mixed && selects(r.op));
  if (any || only_moves(r.expectation)) return values.any_bits();
  if (r.kind == input_kind::limits) return values.at_limit(r.op);
  if (r.op == reduction::sum) return values.spread();
  if (r.op != reduction::product) return values.one_sided(r.op);
  return r.kind == input_kind::mixed ? fitting_factor(i) : values.factor(i);
}

/// Of several inputs; single operations are exact with any bits.
number value_of_several(const input_request& r, generator& values) {
  const bool adds_up = r.expectation == expectation::products && r.kind != input_kind::wide;
  return adds_up ? values.one_of_two() : values.any_bits();
}

number value_at(const input_request& r, generator& values, std::size_t input, std::size_t i) {
  if (r.expectation == expectation::file) return counting(r, values, i);
  const bool several =
      r.expectation == expectation::products || r.expectation == expectation::pairs;
  const bool record =
      r.expectation == expectation::position || r.expectation == expectation::fields;
  const bool counts = r.kind == input_kind::counting || r.kind == input_kind::gathered;
  if (!counts || record) {
    return several ? value_of_several(r, values) : value_of_one(r, values, i);
  }
  if (r.op == reduction::product && !several && !only_moves(r.expectation))
    return i % 3 == 0 ? -1 : 1;
  if (input == 0 || values.is_small()) return counting(r, values, i);
  return static_cast<number>(1 + i % 2);
}

constexpr std::uint64_t first_seed = 20260101;

/// Field f of element i counts from f on: known to whoever wrote the file, and no field is another.
number counting_field(const input_request& r, std::size_t i) {
  const bool small = is_floating(r.type) && r.type != scalar::float64;
  return fold(reduction::sum, r.type, static_cast<number>(small ? i % float_period : i), 0);
}

/// One element of the first input is what the kind is called.
void make_special(const input_request& r, numbers& made) {
  if (made.empty()) return;
  const std::size_t n = made.size();
  const std::size_t places[] = {1, 255, 33, n / 2, n - 1, 0};
  number& special = made[places[r.place % std::size(places)] % n];
  const number infinite = std::numeric_limits<number>::infinity();
  if (r.kind == input_kind::negative_zero) special = -number{0};
  if (r.kind == input_kind::nan) special = std::numeric_limits<number>::quiet_NaN();
  const bool others = r.expectation == expectation::position && r.place % 2 == 0;
  if (r.kind == input_kind::infinity && !others)
    special = r.op == reduction::minimum ? -infinite : infinite;
}

numbers input_of(const input_request& r, std::size_t k) {
  generator values(r, first_seed + k);
  numbers made;
  made.reserve(r.count);
  for (std::size_t i = 0; i < r.count; ++i) {
    made.push_back(fold(reduction::sum, r.type, value_at(r, values, k, i), 0));
  }
  if (r.kind == input_kind::gathered) std::sort(made.begin(), made.end());
  if (r.expectation == expectation::position && !made.empty()) {
    made[values.any_place()] = values.extremum(r);
  }
  if (k == 0 || r.expectation == expectation::position) make_special(r, made);
  return made;
}

/// Field after field, so that no two of them are the same.
numbers structs_of(input_request r, std::size_t k) {
  numbers made(r.count * r.parts.size());
  for (std::size_t part = 0; part < r.parts.size(); ++part) {
    r.type = r.parts[part].type;
    const numbers values = input_of(r, k + part * r.inputs);
    for (std::size_t i = 0; i < r.count; ++i) {
      number value = values[i];
      if (r.expectation == expectation::file) value = counting_field(r, i + part);
      if (r.parts[part].is_position)
        value = fold(reduction::sum, r.type, static_cast<number>(i), 0);
      made[i * r.parts.size() + part] = value;
    }
  }
  return made;
}

}  // namespace

const char* to_string(input_kind kind) {
  constexpr const char* words[] = {"0, 1, 2, ...",
                                   "ordinary",
                                   "of both signs",
                                   "at the limits of the type",
                                   "a zero of negative sign",
                                   "an infinity",
                                   "a NaN",
                                   "of any bits",
                                   "equal elements together"};
  return words[static_cast<std::size_t>(kind)];
}

bool selects(reduction op) {
  return op == reduction::maximum || op == reduction::minimum;
}

std::vector<input_kind> special_kinds(reduction op, scalar type, bool position) {
  using enum input_kind;
  if (position && !is_floating(type)) return {limits, limits, mixed};
  if (position) return {nan, nan, nan, nan, nan, nan, limits, mixed, infinity, infinity};
  if (!is_floating(type)) {
    if (selects(op)) return {limits, mixed};
    return {op == reduction::sum ? limits : mixed};
  }
  return selects(op)
             ? std::vector{nan, nan, nan, nan, nan, nan, limits, mixed, negative_zero, infinity}
             : std::vector{nan, infinity};
}

std::vector<numbers> input_values(const input_request& r) {
  std::vector<numbers> inputs;
  for (std::size_t k = 0; k < r.inputs; ++k) {
    inputs.push_back(r.parts.empty() ? input_of(r, k) : structs_of(r, k));
  }
  return inputs;
}

}  // namespace onefold::ladder::learner
