// SPDX-License-Identifier: Apache-2.0
// Prints an exact sum with all its digits. The sum is an integer times a power of two, and M / 2^k
// = 5^k M / 10^k, so its decimal expansion terminates.
#include <algorithm>
#include <cstdint>
#include <string>

#include "onefold/state.hpp"
#include "rounding/answer.hpp"
#include "rounding/errors.hpp"
#include "rounding/round_decimal.hpp"

namespace onefold {
namespace {

using detail::decimal_magnitude;

// limbs * factor + addend; factor and addend <= 2^32.
void multiply_add(decimal_magnitude& value, std::uint64_t factor, std::uint64_t addend) {
  constexpr std::uint64_t base = detail::big_decimal::base;
  for (auto& limb : value.limbs) {
    addend += limb * factor;
    limb = std::uint32_t(addend % base);
    addend /= base;
  }
  for (; addend != 0; addend /= base) value.limbs.push_back(std::uint32_t(addend % base));
}

// binary * 2^exponent.
decimal_magnitude in_decimal(detail::digits_view binary, int exponent) {
  constexpr int limb_digits = detail::big_decimal::limb_digits;
  decimal_magnitude out;
  for (int i = binary.size; i-- > 0;) multiply_add(out, std::uint64_t(1) << 32, binary.digit(i));
  for (int power = 0; power < exponent; ++power) multiply_add(out, 2, 0);
  // Dividing by 10^k takes k places after the point, and a limb has nine of them.
  int places = 0;
  for (; places < -exponent; ++places) multiply_add(out, 5, 0);
  for (; places % limb_digits != 0; ++places) multiply_add(out, 10, 0);
  out.lowest = -places / limb_digits;
  const auto used = [](std::uint32_t limb) { return limb != 0; };
  const auto first = std::find_if(out.limbs.begin(), out.limbs.end(), used);
  out.lowest += int(first - out.limbs.begin());
  out.limbs.erase(out.limbs.begin(), first);
  return out;
}

template <class Sum>
constexpr int lsb_of() {
  if constexpr (integer_state<Sum>)
    return 0;
  else if constexpr (products_state<Sum>)
    return Sum::lsb;
  else
    return Sum::format::lsb;
}

template <class Sum>
std::string digits_of(const Sum& sum) {
  typename Sum::storage binary;
  const detail::real_answer answer = sum.answer(false, binary);
  using form = detail::real_answer::form;
  if (answer.is == form::nan) return "nan";
  if (answer.is == form::infinity) return answer.minus ? "-inf" : "inf";
  auto value = in_decimal(binary.view(), lsb_of<Sum>() + 32 * binary.first_limb);
  value.negative = answer.minus;
  return value.limbs.empty() && answer.minus ? "-0" : in_full(value);
}

}  // namespace

std::string state::decimal(const rounding_options& options) const {
  if (!detail::has_trait(op_, detail::is_one_sum))
    throw error(
        {status_code::unsupported,
         std::string(name(op_)) + " is no sum, whose digits end; sum, norm1, sumsq and dot are"});
  return std::visit(
      [&]<class Sum>(const Sum& sum) -> std::string {
        if constexpr (!moments_state<Sum> && (sum_state<Sum> || products_state<Sum>)) {
          if constexpr (!integer_state<Sum>) {
            if (options.nan_policy == nan_policy::error && sum.nan_count() > 0)
              throw error(met_a_nan(op_));
            if (options.nan_policy == nan_policy::omit) return digits_of(sum.without_nans());
          }
          return digits_of(sum);
        } else {
          return {};  // all operators listed above have states of sums
        }
      },
      known_);
}

}  // namespace onefold
