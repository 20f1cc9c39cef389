// SPDX-License-Identifier: Apache-2.0
// Reads and writes states, and lines of additive words.
#include "commands/state_files.hpp"

#include <charconv>
#include <string_view>

#include <fmt/ranges.h>

#include "failure.hpp"
#include "io/source.hpp"
#include "messages.hpp"

namespace onefold::program {
namespace {

constexpr std::size_t piece_bytes = 1 << 16;

// Lines of a source, of any length.
template <class Take>
void for_each_line(source& from, const std::string& name, const Take& take) {
  std::string rest;
  std::vector<std::byte> piece(piece_bytes);
  std::uint64_t line = 0;
  for (;;) {
    const std::size_t got = require(from.read_some(piece), name);
    rest.append(reinterpret_cast<const char*>(piece.data()), got);
    if (got == 0 && !rest.empty() && rest.back() != '\n') rest += '\n';
    std::size_t start = 0;
    for (std::size_t end; (end = rest.find('\n', start)) != std::string::npos; start = end + 1)
      take(std::string_view(rest).substr(start, end - start), ++line);
    rest.erase(0, start);
    if (got == 0) return;
  }
}

std::vector<std::int64_t> words_of(std::string_view line, const std::string& name,
                                   std::uint64_t number) {
  constexpr std::string_view separators = " \t,|\r";
  std::vector<std::int64_t> words;
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(separators), line.size()));
    if (line.empty()) return words;
    const std::string_view word = line.substr(0, line.find_first_of(separators));
    std::int64_t value = 0;
    const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (wrong != std::errc{} || end != word.data() + word.size())
      throw failure(messages::words_line(name, number, word), name);
    words.push_back(value);
    line.remove_prefix(word.size());
  }
}

}  // namespace

std::optional<output> open_state_file(const request& request) {
  if (!request.state_path) return std::nullopt;
  // One temporary file at a time is removed when the program is interrupted.
  if (request.output_path) throw failure(messages::conflict("--state-out", "--out"));
  require(check_not_an_input(*request.state_path, request.files()));
  return require(output::open(request.state_path));
}

void write_state(output& to, const state& all) {
  const auto bytes = all.bytes();
  require(to.deliver({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

std::vector<std::byte> read_state_file(const std::string& name) {
  source from = require(source::open(name), name);
  std::vector<std::byte> bytes(piece_bytes + 1);
  bytes.resize(require(from.fill(bytes), name));
  if (bytes.size() > piece_bytes) throw failure(messages::state_too_long(name, piece_bytes), name);
  return bytes;
}

void add_lines_of_words(const std::string& name, std::vector<std::int64_t>& sum) {
  source from = require(source::open(name), name);
  bool some = false;
  for_each_line(from, name, [&](std::string_view line, std::uint64_t number) {
    const auto words = words_of(line, name, number);
    if (words.empty()) return;
    some = true;
    if (sum.empty()) sum.resize(words.size());
    if (words.size() != sum.size())
      throw failure(messages::words_length(name, number, words.size(), sum.size()), name);
    for (std::size_t i = 0; i < words.size(); ++i)
      if (__builtin_add_overflow(sum[i], words[i], &sum[i]))
        throw failure(messages::words_overflow(name, number), name);
  });
  if (!some) throw failure(messages::words_missing(name), name);
}

std::string line_of_words(const std::vector<std::int64_t>& words) {
  return fmt::format("{}\n", fmt::join(words, ","));
}

}  // namespace onefold::program
