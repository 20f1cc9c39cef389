// SPDX-License-Identifier: Apache-2.0
// Addition, carries and normalisation of the exact decimal sum.
#include "state/big_decimal.hpp"

#include <algorithm>
#include <cstddef>

namespace onefold::detail {
namespace {

constexpr std::int64_t powers[] = {1,       10,        100,        1'000,      10'000,
                                   100'000, 1'000'000, 10'000'000, 100'000'000};
// (2^31 + 1) * 2 * 10^9 < 2^63, with headroom for a carry.
constexpr std::int64_t max_deposits = std::int64_t(1) << 31;

constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0);
}

// The limb that holds the digit of weight 10^exponent, and that digit's place in the limb.
constexpr int limb_of(int exponent) {
  return static_cast<int>(floor_divide(exponent, big_decimal::limb_digits));
}
constexpr int place_of(int exponent) {
  return exponent - limb_of(exponent) * big_decimal::limb_digits;
}

}  // namespace

// Reserves headroom for one more number.
void big_decimal::deposit() {
  if (deposits_ >= max_deposits) carry();
  ++deposits_;
}

// Extends the window to the limbs first..last. It grows by at least half its size, so that a run of
// ever longer numbers costs linear time.
void big_decimal::reach(int first, int last) {
  if (limbs_.empty()) lowest_ = first;
  if (first < lowest_) {
    const auto more =
        std::max<std::size_t>(static_cast<std::size_t>(lowest_ - first), limbs_.size() / 2);
    limbs_.insert(limbs_.begin(), more, 0);
    lowest_ -= static_cast<int>(more);
  }
  const auto size = static_cast<std::size_t>(last - lowest_) + 1;
  if (size > limbs_.size()) limbs_.resize(size, 0);
}

void big_decimal::add(int128 mantissa, int exponent) {
  if (mantissa == 0) return;
  deposit();
  const int first = limb_of(exponent);
  const std::int64_t power = powers[place_of(exponent)];
  reach(first, first + 5);  // 2^127 * 10^8 < 10^(9 * 6)
  for (auto* limb = &limbs_[static_cast<std::size_t>(first - lowest_)]; mantissa != 0; ++limb) {
    // Both halves have the sign of the mantissa: |digit * power| < 10^17.
    const auto shifted = static_cast<std::int64_t>(mantissa % base) * power;
    limb[0] += shifted % base;
    limb[1] += shifted / base;
    mantissa /= base;
  }
}

void big_decimal::add_digits(bool negative, std::string_view whole, std::string_view fraction,
                             int exponent) {
  deposit();
  const int last = exponent - static_cast<int>(fraction.size());
  int place = exponent + static_cast<int>(whole.size());  // one above the place of the next digit
  reach(limb_of(last), limb_of(place));
  std::int64_t limb = 0;
  const auto put = [&](int at, std::int64_t digits) {
    limbs_[static_cast<std::size_t>(limb_of(at) - lowest_)] += negative ? -digits : digits;
  };
  for (const auto part : {whole, fraction}) {
    for (const char digit : part) {
      limb = limb * 10 + (digit - '0');
      --place;
      if (place_of(place) == 0) put(place, limb), limb = 0;
    }
  }
  put(last, limb * powers[place_of(last)]);
}

void big_decimal::merge(const big_decimal& other) {
  if (other.limbs_.empty()) return;
  if (deposits_ + other.deposits_ >= max_deposits) {
    big_decimal carried = other;
    carried.carry();
    carry();
    return merge(carried);
  }
  reach(other.lowest_, other.lowest_ + static_cast<int>(other.limbs_.size()) - 1);
  const auto shift = static_cast<std::size_t>(other.lowest_ - lowest_);
  for (std::size_t i = 0; i < other.limbs_.size(); ++i) limbs_[shift + i] += other.limbs_[i];
  deposits_ += other.deposits_ + 1;
}

// Leaves every limb in [0, 10^9) but the top one, which keeps the sign: |top| < 10^9.
void big_decimal::carry() {
  for (std::size_t i = 0; i + 1 < limbs_.size(); ++i) {
    const std::int64_t out = floor_divide(limbs_[i], base);
    limbs_[i] -= out * base;
    limbs_[i + 1] += out;
  }
  while (!limbs_.empty() && (limbs_.back() >= base || limbs_.back() <= -base)) {
    const std::int64_t out = floor_divide(limbs_.back(), base);
    limbs_.push_back(out);  // may throw; nothing has changed yet
    limbs_[limbs_.size() - 2] -= out * base;
  }
  deposits_ = 0;
}

decimal_magnitude big_decimal::magnitude() const {
  big_decimal sum = *this;
  sum.carry();
  const auto used = [](std::int64_t limb) { return limb != 0; };
  auto& limbs = sum.limbs_;
  limbs.erase(std::find_if(limbs.rbegin(), limbs.rend(), used).base(), limbs.end());
  decimal_magnitude out;
  if (limbs.empty()) return out;
  // A carried sum has the sign of its highest nonzero limb.
  out.negative = limbs.back() < 0;
  if (out.negative) {
    for (auto& limb : limbs) limb = -limb;
    sum.carry();
  }
  const auto first = std::find_if(limbs.begin(), limbs.end(), used);
  const auto end = std::find_if(limbs.rbegin(), limbs.rend(), used).base();
  out.lowest = sum.lowest_ + static_cast<int>(first - limbs.begin());
  out.limbs.assign(first, end);
  return out;
}

}  // namespace onefold::detail
