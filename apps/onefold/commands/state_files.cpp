// SPDX-License-Identifier: Apache-2.0
// Reads and writes states, and lines of additive words.
#include "commands/state_files.hpp"

#include <charconv>
#include <string_view>
#include <unordered_map>

#include <fmt/ranges.h>

#include "failure.hpp"
#include "io/source.hpp"
#include "messages.hpp"
#include "onefold/collective.hpp"

namespace onefold::program {
namespace {

constexpr std::size_t piece_bytes = 1 << 16;
constexpr std::string_view blanks = " \t\r";

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

void add_words(const std::vector<std::int64_t>& words, word_sums& sums, const std::string& name,
               std::uint64_t line) {
  if (!sums.empty() && words.size() != sums.begin()->second.size())
    throw failure(messages::words_length(name, line, words.size(), sums.begin()->second.size()),
                  name);
  const auto band = additive_band(words);  // words that have none are refused when all are added
  std::vector<std::int64_t>& sum = sums[band ? *band : 0];
  sum.resize(words.size());
  for (std::size_t i = 0; i < words.size(); ++i)
    if (__builtin_add_overflow(sum[i], words[i], &sum[i]))
      throw failure(messages::words_overflow(name, line), name);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

// The lines of a file that are not empty, of which there has to be one.
template <class Take>
void for_each_filled_line(const std::string& name, const Take& take) {
  source from = require(source::open(name), name);
  bool some = false;
  for_each_line(from, name, [&](std::string_view line, std::uint64_t number) {
    line = trimmed(line);
    if (line.empty()) return;
    some = true;
    take(line, number);
  });
  if (!some) throw failure(messages::words_missing(name), name);
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

void add_lines_of_words(const std::string& name, word_sums& sums) {
  for_each_filled_line(name, [&](std::string_view line, std::uint64_t number) {
    add_words(words_of(line, name, number), sums, name, number);
  });
}

result<state> state_of(const word_sums& sums) {
  std::optional<state> all;
  for (const auto& [band, words] : sums) {
    auto part = from_additive(words);
    if (!part) return part;
    if (!all)
      all = *part;
    else if (auto done = all->try_merge(*part); !done)
      return done;
  }
  return *all;
}

void add_keyed_lines_of_words(const std::string& name, std::vector<keyed_words>& keys) {
  std::unordered_map<std::string, std::size_t> places;
  for (const keyed_words& known : keys) places.emplace(known.key, places.size());
  for_each_filled_line(name, [&](std::string_view line, std::uint64_t number) {
    const std::size_t end = std::min(
        line.find_first_of(line.find_first_of("\t,|") < line.size() ? "\t,|" : " "), line.size());
    const auto [place, fresh] = places.emplace(trimmed(line.substr(0, end)), keys.size());
    if (fresh) keys.push_back({place->first, {}});
    add_words(words_of(line.substr(end), name, number), keys[place->second].sums, name, number);
  });
}

std::string line_of_words(const std::vector<std::int64_t>& words) {
  return fmt::format("{}\n", fmt::join(words, ","));
}

}  // namespace onefold::program
