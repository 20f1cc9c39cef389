// SPDX-License-Identifier: Apache-2.0
#pragma once
// The host's end of dot/exact: limbs to one number, rounded once.

#include "ladder/dot/exact_product.cuh"
#include "onefold/detail/round.hpp"

#include <array>

namespace onefold::ladder {

/// An exact sum of products. Capacity: fewer than 2^31 products.
template <class T>
class exact_total {
 public:
  /// Takes in a * b.
  void add(T a, T b) {
    const exact_product product = multiply_exactly(a, b);
    for (int k = 0; k < format::digits; ++k) limbs_[product.limb + k] += product.digit(k);
    seen_ |= product.seen;
    empty_ = false;
  }

  /// Takes in a block's products.
  void add(const exact_partial<T>& partial) {
    for (int i = 0; i < format::limbs; ++i) limbs_[i] += partial.limbs[i];
    seen_ |= partial.seen;
    empty_ = false;
  }

  /// The sum, rounded to nearest, ties to even. A NaN, and two infinities that cancel, give NaN.
  T value() const {
    using limits = std::numeric_limits<T>;
    const bool plus = (seen_ & seen_plus_infinity) != 0, minus = (seen_ & seen_minus_infinity) != 0;
    if ((seen_ & seen_nan) != 0 || (plus && minus)) return limits::quiet_NaN();
    if (plus || minus) return plus ? limits::infinity() : -limits::infinity();
    if (!empty_ && (seen_ & seen_other_than_minus_zero) == 0) return -T(0);
    const bool below_zero = carried(1).back() < 0;
    const digits of_magnitude = carried(below_zero ? -1 : 1);
    const T magnitude = onefold::detail::from_bits<T>(
        onefold::detail::round_magnitude<T>({of_magnitude.data(), format::limbs}, format::lsb));
    return below_zero ? -magnitude : magnitude;
  }

 private:
  using format = exact_format<T>;
  using digits = std::array<std::int64_t, format::limbs>;

  /// The sum times `sign`: digits in [0, 2^32), the last one signed.
  digits carried(std::int64_t sign) const {
    digits all{};
    std::int64_t carry = 0;
    for (int i = 0; i < format::limbs; ++i) {
      const std::int64_t limb = sign * static_cast<std::int64_t>(limbs_[i]) + carry;
      const bool last = i + 1 == format::limbs;
      all[i] = last ? limb : limb & 0xFFFFFFFF;
      carry = limb >> 32;
    }
    return all;
  }

  std::array<unsigned long long, format::limbs> limbs_{};
  unsigned long long seen_ = 0;
  bool empty_ = true;
};

}  // namespace onefold::ladder
