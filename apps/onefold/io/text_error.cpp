// SPDX-License-Identifier: Apache-2.0
// Locates and describes the fault in a malformed number.
#include "io/text_error.hpp"

#include <algorithm>

namespace onefold::program {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

bool same_word(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

std::size_t skip_sign(std::string_view text, std::size_t at) {
  return at + (at < text.size() && (text[at] == '-' || text[at] == '+'));
}

// A character as a message shows it: bytes that are not ASCII text as 0x and two digits.
std::string shown(char c) {
  constexpr char hex[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  if (byte > 0x20 && byte < 0x7F) return std::string("'") + c + "'";
  return std::string("the byte 0x") + hex[byte >> 4] + hex[byte & 15];
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 24;
  std::string out;
  for (const char c : text.substr(0, most)) out += c > 0x20 && c < 0x7F ? c : '?';
  return "'" + out + (text.size() > most ? "..." : "") + "'";
}

// The command that prints a column of a table: it knows quotes, in which separators are text.
std::string column_command(char separator, std::string_view column) {
  const std::string ifs = separator == ',' ? "" : std::string("--ifs '") + separator + "' ";
  return "mlr --icsv " + ifs + "--onidx " + std::string(column);
}

bool is_hexadecimal(std::string_view text) {
  text.remove_prefix(skip_sign(text, 0));
  return text.size() > 1 && text[0] == '0' && lower(text[1]) == 'x';
}

}  // namespace

std::size_t find_fault(std::string_view text) {
  const std::size_t first = skip_sign(text, 0);
  for (const auto word : {"nan", "inf", "infinity"})
    if (same_word(text.substr(first), word)) return std::string_view::npos;

  std::size_t at = skip_digits(text, first);
  std::size_t digits = at - first;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = at + 1;
    at = skip_digits(text, fraction);
    digits += at - fraction;
  }
  if (digits == 0) return at;
  if (at < text.size() && lower(text[at]) == 'e') {
    const std::size_t exponent = skip_sign(text, at + 1);
    at = skip_digits(text, exponent);
    if (at == exponent) return at;
  }
  return at == text.size() ? std::string_view::npos : at;
}

bool is_missing(std::string_view text) {
  for (const auto word : {"na", "n/a", "#n/a", "#na", "<na>", "null", "none", "\\n", "-"})
    if (same_word(text, word)) return true;
  return false;
}

std::string describe_missing(std::string_view text) {
  const std::string remedy =
      " is a missing value; leave such values out with --missing skip, or write nan";
  return text.empty() ? "an empty line" + remedy + ", or delete the line if it is no row"
                      : shown(text) + remedy;
}

std::string describe_fault(std::string_view text, std::size_t at) {
  if (is_hexadecimal(text)) return shown(text) + " is hexadecimal; write it in decimal digits";
  if (at >= text.size()) return shown(text) + " ends before its last digit; complete the number";
  const char c = text[at];
  const std::string no_part = shown(c) + " is not part of a number; ";
  if (c == ',' || c == ';' || c == '|')
    return no_part +
           (c == ',' ? "a decimal comma: tr ',' '.', one between thousands: tr -d ',', " : "") +
           "one between numbers: tr '" + c +
           "' '\\n', a column of a table: " + column_command(c, "--implicit-csv-header cut -f 2");
  if (c == '_') return no_part + "leave such marks out: tr -d _";
  if (c == '\'') return no_part + "leave such marks out: tr -d \\'";
  if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F)
    return no_part + "if this is no text file, name its --format";
  const std::string problem = shown(c) + " in " + shown(text) + " is not part of a number; ";
  const auto separator = text.find_first_of(",;|");
  if (separator != std::string_view::npos || c == '"')
    return problem + "print a column of a table by its NAME: " +
           column_command(separator == std::string_view::npos ? ',' : text[separator],
                          "cut -f NAME");
  return problem + "write it as -12.5e-3, and leave a header out with tail -n +2";
}

}  // namespace onefold::program
