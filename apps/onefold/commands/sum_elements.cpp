// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "commands/parts.hpp"
#include "failure.hpp"
#include "io/window_reader.hpp"
#include "messages.hpp"
#include "onefold/windows.hpp"

namespace onefold::program {
namespace {

// Half of the memory for the window that is read, half for the one that is worked on; whole
// multiples of window_items, which keep the bits of a fast sum.
std::size_t window_bytes(const request& asked, dtype type) {
  const std::uint64_t unit = std::uint64_t(window_items) * size_bytes(type);
  return std::size_t(std::max<std::uint64_t>(1, asked.memory_bytes / 2 / unit) * unit);
}

window_settings settings_for(const input& from, const request& asked) {
  window_settings settings;
  settings.window_bytes = window_bytes(asked, from.described.type);
  settings.limit_bytes = from.described.data_bytes();
  settings.prepare = [described = from.described](std::span<std::byte> bytes) {
    make_native(described, bytes);
  };
  return settings;
}

array_view view_of_window(std::span<const std::byte> window, dtype type) {
  const auto item_bytes = std::int64_t(size_bytes(type));
  return {window.data(), type, {{std::int64_t(window.size()) / item_bytes, item_bytes}}};
}

std::optional<plan> whole_plan(const input& from, const request& asked) {
  if (!from.described.items) return std::nullopt;
  const array_view whole = view_of(from.described, nullptr);
  return require_about(from.name, make_plan(asked.where, asked.operation, whole, asked.how));
}

number write(const windows& done, dtype type, const std::string& input) {
  number value(type);
  require_about(input, done.write(value.place()));
  return value;
}

std::uint64_t add_windows(input& from, const request& asked, windows& into) {
  window_reader reader(from.stream, settings_for(from, asked));
  progress bar(asked.progress_bar, from.described.data_bytes());
  const dtype type = from.described.type;
  std::uint64_t bytes = 0;
  while (true) {
    const auto window = require(reader.next(), from.name);
    if (window.empty()) return bytes;
    bytes += window.size();
    if (window.size() % size_bytes(type) != 0)
      throw failure(messages::raw_ragged(from.stream.name(), bytes, type), from.name);
    require_about(from.name, into.add(view_of_window(window, type)));
    bar.advance(window.size());
  }
}

}  // namespace

part sum_elements(input& from, const request& asked) {
  const dtype type = from.described.type;
  const dtype output = asked.output_type.value_or(default_output(asked.operation, type));
  windows sum(asked.where, asked.operation, type, asked.how);
  // A type that the sum of nothing does not fit is refused now, not after a terabyte.
  write(sum, output, from.name);
  part done;
  done.decided = whole_plan(from, asked);
  done.bytes = add_windows(from, asked, sum);
  const level delivered = asked.how.how == accuracy::exact ? level::exact : level::fast;
  done.given = {from.name, asked.operation, write(sum, output, from.name), sum.count(), delivered};
  if (asked.total) done.whole = require_about(from.name, sum.partial());
  return done;
}

number value_of(const state& sum, const request& asked, const std::string& input) {
  number value(asked.output_type.value_or(default_output(sum.what(), sum.input())));
  const output_view place = value.place();
  require_about(input, sum.write(place.data(), place.type()));
  return value;
}

}  // namespace onefold::program
