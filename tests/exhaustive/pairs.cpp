// SPDX-License-Identifier: Apache-2.0
#include "exhaustive/pairs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace onefold::test {
namespace {

constexpr std::uint64_t hidden = std::uint64_t(1) << 52, special = std::uint64_t(2047) << 52;

// The value of the bits of a 16-bit format.
double decoded(std::uint16_t bits, const narrow_format& format) {
  const int fraction_bits = format.digits - 1;
  const int magnitude = bits & 0x7FFF, field = magnitude >> fraction_bits;
  const int fraction = magnitude & ((1 << fraction_bits) - 1);
  const double sign = bits & 0x8000 ? -1 : 1;
  if (magnitude > format.infinity) return std::nan("");
  if (magnitude == format.infinity) return sign * INFINITY;
  const int whole = field == 0 ? fraction : fraction + (1 << fraction_bits);
  return sign * std::ldexp(whole, std::max(field, 1) - 1 + format.lsb);
}

}  // namespace

double sum_rounded_to_odd(double x, double y) {
  const double sum = x + y, part = sum - x;
  const double error = (x - (sum - part)) + (y - part);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  const bool left_out = error > 0 || error < 0;  // of infinities and NaN: neither
  if (left_out && bits % 2 == 0) bits += (error > 0) == (sum > 0) ? 1 : std::uint64_t(-1);
  return std::bit_cast<double>(bits);
}

std::uint16_t rounded_in_integers(double x, const narrow_format& to) {
  const auto bits = std::bit_cast<std::uint64_t>(x), magnitude = bits & ~(std::uint64_t(1) << 63);
  const auto sign = std::uint16_t(bits >> 63 << 15);
  if (magnitude > special) return to.nan;
  if (magnitude == special) return sign | to.infinity;
  if (magnitude == 0) return sign;
  const int unit = int(magnitude >> 52) - 1075;
  const std::uint64_t whole = (magnitude & (hidden - 1)) | hidden;
  const int kept_unit = std::max(unit + 53 - to.digits, to.lsb);
  const int shift = std::min(kept_unit - unit, 60);  // beyond 54 nothing is left but zero
  const std::uint64_t half = std::uint64_t(1) << (shift - 1), rest = whole & (2 * half - 1);
  std::uint64_t kept = whole >> shift;
  kept += rest > half || (rest == half && kept % 2 == 1);
  // A significand of all digits adds one to the field by itself.
  const std::uint64_t made = (std::uint64_t(kept_unit - to.lsb) << (to.digits - 1)) + kept;
  return std::uint16_t(sign | std::min<std::uint64_t>(made, to.infinity));
}

template <class T>
pairs_of<T>::pairs_of() : x_(2 * all_16_bit), y_(2 * all_16_bit), answers_(all_16_bit) {
  for (int bits = 0; bits < all_16_bit; ++bits)
    values_.push_back(decoded(std::uint16_t(bits), narrow_format_of<T>));
}

template <class T>
std::uint16_t pairs_of<T>::reference(std::uint16_t a, std::uint16_t b, pair_op op) const {
  const double x = values_[a], y = values_[b];
  const double sum = op == pair_op::sum ? sum_rounded_to_odd(x, y)  // products are exact
                                        : sum_rounded_to_odd(x * x, x * y);
  return rounded_in_integers(sum, narrow_format_of<T>);
}

template <class T>
std::int64_t pairs_of<T>::mismatches(std::uint16_t a, pair_op op, pair_layout layout) {
  fill(a, op, layout);
  reduce_all(op, layout);
  std::int64_t wrong = 0;
  for (std::int64_t b = all_16_bit - 1; b >= 0; --b) {
    if (answers_[std::size_t(b)].bits == reference(a, std::uint16_t(b), op)) continue;
    ++wrong, first_wrong_ = std::uint16_t(b);
  }
  return wrong;
}

// Row b is (a, b), or column b. A dot has (a, a) as its other factor.
template <class T>
void pairs_of<T>::fill(std::uint16_t a, pair_op op, pair_layout layout) {
  auto& pairs = op == pair_op::sum ? x_ : y_;
  const bool rows = layout == pair_layout::rows;
  for (std::size_t b = 0; b < std::size_t(all_16_bit); ++b) {
    pairs[rows ? 2 * b : b] = T{a};
    pairs[rows ? 2 * b + 1 : std::size_t(all_16_bit) + b] = T{std::uint16_t(b)};
  }
  if (op == pair_op::dot) std::fill(x_.begin(), x_.end(), T{a});
}

template <class T>
void pairs_of<T>::reduce_all(pair_op op, pair_layout layout) {
  const bool rows = layout == pair_layout::rows;
  axis_list axes = {{2, 2 * all_16_bit}, {all_16_bit, 2}};
  if (rows) axes = {{all_16_bit, 4}, {2, 2}};
  const array_view x(x_.data(), dtype_of<T>, axes), y(y_.data(), dtype_of<T>, axes);
  const output_view output(answers_.data(), dtype_of<T>, {{all_16_bit, 2}});
  const options how{.axes = axis(rows ? 1 : 0)};
  const auto done = op == pair_op::sum ? reduce(executor::cpu{1}, op::sum, {x}, output, how)
                                       : reduce(executor::cpu{1}, op::dot, {x, y}, output, how);
  if (!done) throw std::runtime_error(done.message());
}

template class pairs_of<f16>;
template class pairs_of<bf16>;

}  // namespace onefold::test
