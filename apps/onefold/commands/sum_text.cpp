// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "commands/parts.hpp"
#include "failure.hpp"
#include "io/text.hpp"
#include "io/window_reader.hpp"
#include "messages.hpp"
#include "onefold/windows.hpp"

namespace onefold::program {
namespace {

// Doubles on their way into windows that hold a multiple of window_items, whatever the blocks of
// the text reader hold.
class binary64_sum {
 public:
  explicit binary64_sum(const request& asked)
      : windows_(asked.where, asked.operation, dtype::f64, asked.how) {
    waiting_.reserve(std::size_t(window_items));
  }

  status add(std::span<const double> block) {
    while (!block.empty()) {
      const auto room = std::size_t(window_items) - waiting_.size();
      const auto taken = block.first(std::min(room, block.size()));
      waiting_.insert(waiting_.end(), taken.begin(), taken.end());
      block = block.subspan(taken.size());
      if (waiting_.size() < std::size_t(window_items)) continue;
      if (auto done = flush(); !done) return done;
    }
    return {};
  }

  status flush() {
    auto done = windows_.add(waiting_);
    waiting_.clear();
    return done;
  }

  const onefold::windows& windows() const noexcept { return windows_; }

 private:
  onefold::windows windows_;
  std::vector<double> waiting_;
};

std::span<const char> as_characters(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t read_text(input& from, const request& asked, text_reader& reader) {
  window_settings settings;
  settings.window_bytes = std::size_t(asked.memory_bytes / 2);
  settings.full = false;
  window_reader chunks(from.stream, std::move(settings));
  progress bar(asked.progress_bar, from.stream.size_bytes());
  std::uint64_t bytes = 0;
  while (true) {
    const auto chunk = require(chunks.next(), from.name);
    if (chunk.empty()) break;
    require(reader.feed(as_characters(chunk)), from.name);
    bytes += chunk.size();
    bar.advance(chunk.size());
  }
  require(reader.finish(), from.name);
  return bytes;
}

part sum_decimals(input& from, const request& asked) {
  text_reader reader(from.stream.name(),
                     {.binary64_blocks = {}, .skip_missing = asked.skip_missing});
  part done;
  done.bytes = read_text(from, asked, reader);
  const number value = value_of(reader.sum(), asked, from.name);
  done.given = {from.name, asked.operation, value, reader.count(), level::exact};
  if (asked.total) done.whole = std::move(reader.sum());
  return done;
}

part sum_as_f64(input& from, const request& asked) {
  binary64_sum sum(asked);
  const auto take = [&](std::span<const double> block) { return sum.add(block); };
  text_reader reader(from.stream.name(),
                     {.binary64_blocks = take, .skip_missing = asked.skip_missing});
  part done;
  done.bytes = read_text(from, asked, reader);
  require_about(from.name, sum.flush());
  number value(asked.output_type.value_or(dtype::f64));
  require_about(from.name, sum.windows().write(value.place()));
  const level delivered = asked.how.how == accuracy::exact ? level::exact : level::fast;
  done.given = {from.name, asked.operation, value, reader.count(), delivered};
  if (asked.total) done.whole = require_about(from.name, sum.windows().partial());
  return done;
}

}  // namespace

part sum_text(input& from, const request& asked) {
  return asked.as_f64 ? sum_as_f64(from, asked) : sum_decimals(from, asked);
}

number value_of(const decimal_sum& sum, const request& asked, const std::string& input) {
  if (!asked.output_type) {
    const auto integer = sum.value_i64();
    return sum.count() > 0 && integer ? number::of(*integer) : number::of(sum.value());
  }
  switch (*asked.output_type) {
  case dtype::i64:
    return number::of(require_about(input, sum.value_i64()));
  case dtype::f64:
    return number::of(sum.value());
  case dtype::f32:
    return number::of(sum.value_f32());
  default:
    throw failure(messages::text_output(input, *asked.output_type), input);
  }
}

}  // namespace onefold::program
