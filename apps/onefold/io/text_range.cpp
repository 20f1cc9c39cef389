// SPDX-License-Identifier: Apache-2.0
// Comparison of decimals digit by digit.
#include "io/text_range.hpp"

#include <charconv>
#include <tuple>

namespace onefold::program {
namespace {

decimal_sum alone(std::string_view text) {
  decimal_sum one;
  static_cast<void>(one.add(text));  // decimal_sum has accepted it before
  return one;
}

}  // namespace

text_range::written text_range::read(std::string_view text) {
  written out{std::string(text), {}, std::numeric_limits<std::int64_t>::max(), text[0] == '-'};
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  if (text[0] == 'i' || text[0] == 'I') return out;  // above every number
  const auto mantissa = text.substr(0, text.find_first_of("eE"));
  text.remove_prefix(std::min(mantissa.size() + 1, text.size()));
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  std::int64_t exponent = 0;
  std::from_chars(text.data(), text.data() + text.size(), exponent);
  const auto point = std::min(mantissa.find('.'), mantissa.size());
  out.digits = mantissa.substr(0, point);
  out.digits += mantissa.substr(std::min(point + 1, mantissa.size()));
  const auto zeros = std::min(out.digits.find_first_not_of('0'), out.digits.size());
  out.digits.erase(0, zeros);
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  out.top = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(zeros) + exponent;
  if (out.digits.empty()) out.top = std::numeric_limits<std::int64_t>::min();
  return out;
}

text_range::written text_range::read(std::int64_t mantissa, std::size_t scale) {
  return read(std::to_string(mantissa) + (scale > 0 ? "e-" + std::to_string(scale) : ""));
}

bool text_range::before(const written& a, const written& b) {
  if (a.negative != b.negative) return a.negative;
  const written &smaller = a.negative ? b : a, &larger = a.negative ? a : b;
  return std::tie(smaller.top, smaller.digits) < std::tie(larger.top, larger.digits);
}

void text_range::include(const written& number) {
  if (!least_ || before(number, *least_)) least_ = number;
  if (!largest_ || before(*largest_, number)) largest_ = number;
}

void text_range::add(std::string_view text) {
  const char letter = text[text[0] == '-' || text[0] == '+'];
  if (letter != 'n' && letter != 'N') include(read(text));
}

void text_range::merge(const text_range& other) {
  for (std::size_t scale = 0; scale < lanes_.size(); ++scale) {
    lanes_[scale].least = std::min(lanes_[scale].least, other.lanes_[scale].least);
    lanes_[scale].largest = std::max(lanes_[scale].largest, other.lanes_[scale].largest);
  }
  if (other.least_) include(*other.least_), include(*other.largest_);
}

bool text_range::empty() const {
  return !least_ &&
         std::all_of(lanes_.begin(), lanes_.end(), [](const lane& lane) { return lane.empty(); });
}

decimal_sum text_range::end(bool lower) const {
  auto best = lower ? least_ : largest_;
  for (std::size_t scale = 0; scale < lanes_.size(); ++scale) {
    const lane& own = lanes_[scale];
    if (own.empty()) continue;
    auto next = read(lower ? own.least : own.largest, scale);
    if (!best || (lower ? before(next, *best) : before(*best, next))) best = std::move(next);
  }
  return alone(best->text);
}

}  // namespace onefold::program
