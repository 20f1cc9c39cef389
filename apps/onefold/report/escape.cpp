// SPDX-License-Identifier: Apache-2.0
// UTF-8 validation, and the escapes of terminal, table and JSON output.
#include "report/escape.hpp"

#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace onefold::program {
namespace {

constexpr unsigned char byte_of(char c) {
  return static_cast<unsigned char>(c);
}

// The smallest and the largest second byte after a lead byte: no overlong forms, no surrogates, no
// code points beyond U+10FFFF (Unicode 15, table 3-7).
struct form {
  std::size_t bytes;
  unsigned char least, largest;
};

constexpr form form_of(unsigned char lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xc2 || lead > 0xf4) return {0, 0, 0};
  if (lead < 0xe0) return {2, 0x80, 0xbf};
  if (lead == 0xe0) return {3, 0xa0, 0xbf};
  if (lead == 0xed) return {3, 0x80, 0x9f};
  if (lead < 0xf0) return {3, 0x80, 0xbf};
  if (lead == 0xf0) return {4, 0x90, 0xbf};
  if (lead == 0xf4) return {4, 0x80, 0x8f};
  return {4, 0x80, 0xbf};
}

// The number of bytes of the first character; 0 if it is not valid.
std::size_t character_bytes(std::string_view text) {
  const auto [bytes, least, largest] = form_of(byte_of(text[0]));
  if (text.size() < bytes) return 0;
  if (bytes > 1 && (byte_of(text[1]) < least || byte_of(text[1]) > largest)) return 0;
  for (std::size_t i = 2; i < bytes; ++i)
    if (byte_of(text[i]) < 0x80 || byte_of(text[i]) > 0xbf) return 0;
  return bytes;
}

bool is_control(std::string_view character) {
  const auto first = byte_of(character[0]);
  return first < 0x20 || first == 0x7f ||
         (character.size() == 2 && first == 0xc2 && byte_of(character[1]) < 0xa0);
}

std::string escaped(std::string_view bytes) {
  if (bytes == "\t") return "\\t";
  if (bytes == "\n") return "\\n";
  if (bytes == "\r") return "\\r";
  std::string text;
  for (const char c : bytes) text += fmt::format("\\x{:02x}", byte_of(c));
  return text;
}

// Calls take(bytes, valid) for each character, and for each byte outside of one.
template <class Take>
void for_each_character(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const std::size_t taken = bytes > 0 ? bytes : 1;
    take(text.substr(0, taken), bytes > 0);
    text.remove_prefix(taken);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for_each_character(text, [&](std::string_view bytes, bool valid) {
    out += valid && !is_control(bytes) ? std::string(bytes) : escaped(bytes);
  });
  return out;
}

std::string table_field(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled.append(c == '\\' ? 2 : 1, c);
  return printable(doubled);
}

std::string json_string(std::string_view text) {
  std::string out = "\"", run;
  const auto write_run = [&] {
    const std::string quoted = nlohmann::json(run).dump();
    out.append(quoted, 1, quoted.size() - 2);
    run.clear();
  };
  for_each_character(text, [&](std::string_view bytes, bool valid) {
    if (valid) {
      run += bytes;
      return;
    }
    write_run();
    out += fmt::format("\\udc{:02x}", byte_of(bytes[0]));
  });
  write_run();
  return out + '"';
}

}  // namespace onefold::program
