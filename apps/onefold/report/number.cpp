// SPDX-License-Identifier: Apache-2.0
// Shortest round-trip decimals and hexadecimal forms of every element type.
#include "report/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace onefold::program {
namespace {

constexpr double fixed_from = 1e-5, fixed_below = 1e16;

// Enough for 1e-5 in 17 digits, for 16 digits in front of the point, and for any hex form.
constexpr std::size_t most_characters = 64;

bool takes_fixed(double value) {
  const double size = std::fabs(value);
  return size == 0 || (size >= fixed_from && size < fixed_below);
}

template <class... How>
std::string characters(How... format) {
  char text[most_characters];
  const auto end = std::to_chars(text, text + most_characters, format...).ptr;
  return {text, end};
}

const char* special(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

template <class Float>
std::string decimal(Float value) {
  if (!std::isfinite(value)) return special(value);
  return characters(value,
                    takes_fixed(value) ? std::chars_format::fixed : std::chars_format::scientific);
}

// The two 16-bit formats: the width of their fraction and their exponent bias.
struct half_format {
  int fraction_bits;
  int bias;
};
constexpr half_format half_of(f16) {
  return {10, 15};
}
constexpr half_format half_of(bf16) {
  return {7, 127};
}

// The magnitude of the bits. For infinity it is the number that would follow the largest finite
// one, which bounds the interval around the largest.
double magnitude(half_format format, std::uint16_t bits) {
  const int exponent = bits >> format.fraction_bits;
  const int fraction = bits & ((1 << format.fraction_bits) - 1);
  const int hidden = exponent > 0 ? 1 << format.fraction_bits : 0;
  return std::ldexp(fraction + hidden, std::max(exponent, 1) - format.bias - format.fraction_bits);
}

// Whether a reader that rounds to nearest, ties to even, takes `candidate` for these bits. The
// midpoints have one bit more than the format, so that they are exact.
bool reads_back(double candidate, half_format format, std::uint16_t bits) {
  const double here = magnitude(format, bits);
  const double low = (here + magnitude(format, std::uint16_t(bits - 1))) / 2;
  const double high = (here + magnitude(format, std::uint16_t(bits + 1))) / 2;
  const bool even = bits % 2 == 0;
  return even ? low <= candidate && candidate <= high : low < candidate && candidate < high;
}

double parsed(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The shortest decimal that reads back, as the nearest double. Below a power of two the numbers are
// denser than above it, so the nearest decimal can fail where the next one reads back.
double shortest(half_format format, std::uint16_t bits) {
  const double here = magnitude(format, bits);
  for (int digits = 0; digits < 5; ++digits) {
    const std::string nearest = characters(here, std::chars_format::scientific, digits);
    const double candidate = parsed(nearest);
    if (reads_back(candidate, format, bits)) return candidate;
    const double step =
        parsed(std::string("1").append(nearest, nearest.find('e'))) * std::pow(10.0, -digits);
    const double above =
        parsed(characters(candidate + step, std::chars_format::scientific, digits));
    if (reads_back(above, format, bits)) return above;
  }
  return here;
}

template <class Half>
double widen(Half value) {
  const half_format format = half_of(value);
  const std::uint16_t bits = value.bits & 0x7fff;
  const std::uint16_t infinity = std::uint16_t((2 * format.bias + 1) << format.fraction_bits);
  double size = bits < infinity ? magnitude(format, bits) : HUGE_VAL;
  if (bits > infinity) size = std::nan("");
  return value.bits & 0x8000 ? -size : size;
}

template <class Half>
std::string half_decimal(Half value) {
  const double exact = widen(value);
  if (!std::isfinite(exact) || exact == 0) return decimal(exact);
  // An integer in fixed notation is written in full, as std::to_chars does for the wider types.
  if (takes_fixed(exact) && exact == std::trunc(exact)) return decimal(exact);
  return decimal(std::copysign(shortest(half_of(value), value.bits & 0x7fff), exact));
}

std::string decimal(f16 value) {
  return half_decimal(value);
}
std::string decimal(bf16 value) {
  return half_decimal(value);
}
std::string decimal(bool value) {
  return value ? "1" : "0";
}

// All digits, with a point or with an exponent, in the notation of floats: 1.5e+40, 1e-06.
std::string in_notation(const std::string& digits) {
  constexpr std::int64_t fixed_from_exponent = -5, fixed_below_exponent = 40;
  const auto point = std::int64_t(std::min(digits.find('.'), digits.size()));
  const auto first = std::int64_t(std::min(digits.find_first_of("123456789"), digits.size()));
  const std::int64_t exponent = first < point ? point - first - 1 : point - first;
  const bool zero = first == std::int64_t(digits.size());
  if (zero || (exponent >= fixed_from_exponent && exponent < fixed_below_exponent)) return digits;
  std::string fraction = digits.substr(std::size_t(first) + 1);
  std::erase(fraction, '.');
  fraction.erase(fraction.find_last_not_of('0') + 1);
  const std::string size = std::to_string(std::abs(exponent));
  return (digits[0] == '-' ? "-" : "") + digits.substr(std::size_t(first), 1) +
         (fraction.empty() ? "" : "." + fraction) + (exponent < 0 ? "e-" : "e+") +
         (size.size() < 2 ? "0" : "") + size;
}

template <class T>
constexpr bool floating = is_floating(dtype_of<T>);

}  // namespace

number number::decimal(std::string digits, double nearest) {
  number number = from(nearest);
  if (digits.find('n') == std::string::npos) number.digits_ = std::move(digits);
  return number;
}

double widened(const number& value) noexcept {
  switch (value.type()) {
  case dtype::f16:
    return widen(value.as<f16>());
  case dtype::bf16:
    return widen(value.as<bf16>());
  case dtype::f32:
    return value.as<float>();
  default:
    return value.as<double>();
  }
}

bool is_finite(const number& value) noexcept {
  return !value.digits().empty() || !is_floating(value.type()) || std::isfinite(widened(value));
}

std::string to_decimal(const number& value) {
  if (!value.digits().empty()) return in_notation(value.digits());
  return with_type(value.type(), [&]<class T>(detail::tag<T>) {
    if constexpr (floating<T> || std::is_same_v<T, bool>)
      return decimal(value.as<T>());
    else
      return characters(value.as<T>());
  });
}

std::string to_hex(const number& value) {
  if (!is_floating(value.type())) return to_decimal(value);
  const double exact = widened(value);
  if (!std::isfinite(exact)) return special(exact);
  std::string text = characters(std::fabs(exact), std::chars_format::hex);
  return (std::signbit(exact) ? "-0x" : "0x") + text;
}

}  // namespace onefold::program
