// SPDX-License-Identifier: Apache-2.0
// Converts the words of options to numbers, sizes, axes and shapes.
#include "values.hpp"

#include <charconv>
#include <cmath>
#include <optional>

namespace onefold::program {
namespace {

template <class T = std::uint64_t>
std::optional<T> number_in(std::string_view text) {
  T value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The power of two of a unit; "" is a byte.
std::optional<int> shift_of(std::string_view unit) {
  constexpr std::string_view letters = "KMGT";
  if (unit.empty() || unit == "B") return 0;
  const std::size_t power = letters.find(char(unit[0] & ~0x20));
  const std::string_view rest = unit.substr(1);
  if (power == std::string_view::npos || !(rest.empty() || rest == "B" || rest == "iB"))
    return std::nullopt;
  return 10 * int(power + 1);
}

}  // namespace

dtype parse_type(std::string_view option, const std::string& word) {
  if (const auto type = parse_dtype(word)) return *type;
  throw failure(messages::bad_value(
      option, word, "bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32 or f64"));
}

std::uint64_t parse_count(std::string_view option, const std::string& word, std::uint64_t least,
                          std::uint64_t most) {
  const auto value = number_in<>(word);
  if (value && *value >= least && *value <= most) return *value;
  throw failure(messages::bad_value(option, word,
                                    "a whole number from " + std::to_string(least) + " to " +
                                        std::to_string(most)));
}

std::int64_t parse_integer(std::string_view option, const std::string& word, std::int64_t least,
                           std::int64_t most) {
  const auto value = number_in<std::int64_t>(word);
  if (value && *value >= least && *value <= most) return *value;
  throw failure(messages::bad_value(option, word,
                                    "a whole number from " + std::to_string(least) + " to " +
                                        std::to_string(most)));
}

double parse_real(std::string_view option, const std::string& word) {
  const auto value = number_in<double>(word);
  if (value && std::isfinite(*value)) return *value;
  throw failure(messages::bad_value(option, word, "a finite number such as 1 or 0.5"));
}

std::vector<int> parse_axes(std::string_view option, const std::string& word) {
  std::vector<int> axes;
  for (std::size_t start = 0; start <= word.size();) {
    const std::size_t comma = std::min(word.find(',', start), word.size());
    const auto axis = number_in<int>(std::string_view(word).substr(start, comma - start));
    if (!axis || axes.size() == 64)
      throw failure(messages::bad_value(option, word, "axes such as 0 or 0,-1"));
    axes.push_back(*axis);
    start = comma + 1;
  }
  return axes;
}

std::uint64_t parse_size(std::string_view option, const std::string& word) {
  const std::size_t unit = std::min(word.find_first_not_of("0123456789"), word.size());
  const auto value = number_in<>(std::string_view(word).substr(0, unit));
  const auto shift = shift_of(std::string_view(word).substr(unit));
  if (value && shift && *value <= (UINT64_MAX >> *shift)) return *value << *shift;
  throw failure(messages::bad_value(option, word, "a size such as 64M or 8G"));
}

std::vector<std::int64_t> parse_shape(std::string_view option, const std::string& word) {
  std::vector<std::int64_t> shape;
  for (std::size_t start = 0; start <= word.size();) {
    const std::size_t comma = std::min(word.find(',', start), word.size());
    const auto extent = number_in<>(std::string_view(word).substr(start, comma - start));
    if (!extent || *extent > std::uint64_t(INT64_MAX) || shape.size() == 64)
      throw failure(messages::bad_value(option, word, "up to 64 extents such as 10,20"));
    shape.push_back(std::int64_t(*extent));
    start = comma + 1;
  }
  return shape;
}

}  // namespace onefold::program
