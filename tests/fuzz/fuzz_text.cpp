// SPDX-License-Identifier: Apache-2.0
// Any bytes, read whole and read in two cuts: the same status, message, count, value and missing
// cells, both as decimals and as binary64; and no byte is read beyond a chunk.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "io/text.hpp"

namespace {

using onefold::status;
using onefold::program::missing_cells;
using onefold::program::text_options;
using onefold::program::text_reader;

struct outcome {
  std::string message;
  std::string sum;
  std::int64_t count = 0;
  std::uint64_t value = 0;
  std::vector<std::uint64_t> binary64;
  std::vector<std::int64_t> missing;

  bool operator==(const outcome&) const = default;
};

outcome read(const std::vector<std::vector<char>>& chunks, bool as_binary64, bool skip_missing) {
  outcome out;
  missing_cells missing;
  text_options options;
  options.skip_missing = skip_missing;
  options.missing = &missing;
  if (as_binary64)
    options.binary64_blocks = [&](std::span<const double> block) {
      for (const double x : block) out.binary64.push_back(std::bit_cast<std::uint64_t>(x));
      return status();
    };
  text_reader reader("in", options);
  for (const auto& chunk : chunks)
    if (!reader.feed(chunk)) break;
  if (const auto ended = reader.end(); !ended) return {.message = ended.message()};
  out.sum = reader.sum().to_string();
  out.count = reader.count();
  out.value = std::bit_cast<std::uint64_t>(reader.sum().value());
  out.missing = missing.positions();
  return out;
}

void expect(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const std::vector<char> all(data + 4, data + size);
  std::size_t cuts[] = {data[0] + 256u * data[1], data[2] + 256u * data[3]};
  for (auto& cut : cuts) cut %= all.size() + 1;
  std::sort(std::begin(cuts), std::end(cuts));
  const auto piece = [&](std::size_t from, std::size_t to) {
    return std::vector<char>(all.begin() + static_cast<std::ptrdiff_t>(from),
                             all.begin() + static_cast<std::ptrdiff_t>(to));
  };
  const std::vector<std::vector<char>> pieces = {piece(0, cuts[0]), piece(cuts[0], cuts[1]),
                                                 piece(cuts[1], all.size())};
  for (const bool skip_missing : {false, true}) {
    const auto decimal = read({all}, false, skip_missing);
    const auto binary64 = read({all}, true, skip_missing);
    expect(decimal == read(pieces, false, skip_missing));
    expect(binary64 == read(pieces, true, skip_missing));
    // One grammar: both readings accept and refuse the same, at the same place.
    const auto beyond = [](const outcome& o) {
      return o.message.find("beyond") != std::string::npos;
    };
    if (beyond(decimal) || beyond(binary64)) continue;
    expect(decimal.message == binary64.message && decimal.missing == binary64.missing);
  }
  return 0;
}
