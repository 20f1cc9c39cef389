// SPDX-License-Identifier: Apache-2.0
// Adding and merging decimals. Each number is added to the total of its own scale, so nothing is
// rescaled before the end: one 128-bit addition a number, for any mix of scales.
#include "onefold/decimal.hpp"

#include <algorithm>

#include "state/decimal_parts.hpp"

namespace onefold {
namespace {

using detail::decimal_kind;
using detail::decimal_text;
using detail::int128;

constexpr std::size_t short_digits = 19;  // 10^19 < 2^64

std::uint64_t short_mantissa(std::string_view whole, std::string_view fraction) {
  std::uint64_t value = 0;
  for (const auto part : {whole, fraction})
    for (const char digit : part) value = value * 10 + static_cast<std::uint64_t>(digit - '0');
  return value;
}

}  // namespace

void decimal_sum::parts::add(int128 mantissa, int scale) {
  if (scale >= 0 && scale < near_scales) {
    near[static_cast<std::size_t>(scale)] += mantissa;
  } else if (scale >= -far_scales && scale <= far_scales) {
    if (far.empty()) far.resize(2 * far_scales + 1, 0);
    const std::int64_t place = std::int64_t{scale} + far_scales;
    far[static_cast<std::size_t>(place)] += mantissa;
  } else {
    big.add(mantissa, -scale);
  }
}

// Allocates before a total changes, and counts afterwards.
void decimal_sum::parts::add(const decimal_text& number) {
  auto fraction = number.fraction;
  if (number.whole.empty())
    fraction.remove_prefix(std::min(fraction.find_first_not_of('0'), fraction.size()));
  const int scale = static_cast<int>(number.fraction.size()) - number.exponent;
  const bool is_short = number.whole.size() + fraction.size() <= short_digits;
  const int128 mantissa = is_short ? short_mantissa(number.whole, fraction) : 0;
  if (!is_short)
    big.add_digits(number.negative, number.whole, number.fraction, number.exponent);
  else if (mantissa != 0)
    add(number.negative ? -mantissa : mantissa, scale);
  else
    negative_zeros += number.negative;
  not_integers += !number.integer;
}

void decimal_sum::parts::merge(const parts& other) {
  count += other.count;
  nans += other.nans;
  plus_infinities += other.plus_infinities;
  minus_infinities += other.minus_infinities;
  negative_zeros += other.negative_zeros;
  not_integers += other.not_integers;
  for (std::size_t i = 0; i < near.size(); ++i) near[i] += other.near[i];
  if (far.empty()) far.resize(other.far.size(), 0);
  for (std::size_t i = 0; i < other.far.size(); ++i) far[i] += other.far[i];
  big.merge(other.big);
}

detail::decimal_magnitude decimal_sum::parts::magnitude() const {
  detail::big_decimal sum = big;
  for (int scale = 0; scale < near_scales; ++scale)
    sum.add(near[static_cast<std::size_t>(scale)], -scale);
  for (std::size_t i = 0; i < far.size(); ++i) sum.add(far[i], far_scales - static_cast<int>(i));
  return sum.magnitude();
}

decimal_sum::decimal_sum() : parts_(std::make_unique<parts>()) {}
decimal_sum::decimal_sum(const decimal_sum& other)
    : parts_(std::make_unique<parts>(*other.parts_)) {}
decimal_sum::decimal_sum(decimal_sum&&) noexcept = default;
decimal_sum::~decimal_sum() = default;

decimal_sum& decimal_sum::operator=(decimal_sum other) noexcept {
  parts_ = std::move(other.parts_);
  return *this;
}

void decimal_sum::add(std::int64_t mantissa, int scale) {
  add_total(mantissa, scale, 1);
}

void decimal_sum::add_total(std::int64_t total, int scale, std::int64_t count) {
  parts_->count += count;
  if (scale != 0) parts_->not_integers += count;
  parts_->add(total, scale);
}

status decimal_sum::add(std::string_view number) try {
  decimal_text text;
  if (auto read = detail::read_decimal(number, text); !read) return read;
  if (text.kind == decimal_kind::finite) parts_->add(text);
  // Counted last: a number whose addition failed to allocate is not counted.
  ++parts_->count;
  if (text.kind == decimal_kind::nan) ++parts_->nans;
  if (text.kind == decimal_kind::infinite)
    ++(text.negative ? parts_->minus_infinities : parts_->plus_infinities);
  return {};
} catch (...) {
  return detail::memory_refused();
}

void decimal_sum::merge(const decimal_sum& other) {
  parts_->merge(*other.parts_);
}

std::int64_t decimal_sum::count() const noexcept {
  return parts_->count;
}

std::int64_t decimal_sum::nan_count() const noexcept {
  return parts_->nans;
}

void decimal_sum::omit_nans() noexcept {
  parts_->count -= parts_->nans;
  parts_->nans = 0;
}

bool decimal_sum::all_integers() const noexcept {
  return parts_->not_integers + parts_->nans + parts_->plus_infinities + parts_->minus_infinities ==
         0;
}

}  // namespace onefold
