// SPDX-License-Identifier: Apache-2.0
// Reads binary input in windows, and converts elements for --as f64.
#include "io/element_windows.hpp"

#include <algorithm>
#include <vector>

#include "failure.hpp"
#include "io/progress.hpp"
#include "io/text_blocks.hpp"
#include "io/window_reader.hpp"
#include "messages.hpp"
#include "onefold/reduce.hpp"
#include "onefold/windows.hpp"

namespace onefold::program {
namespace {

// Half of the memory is for the window being read, half for the one being reduced.
std::size_t window_bytes(const request& request, dtype type) {
  const std::uint64_t unit = std::uint64_t(window_items) * size_bytes(type);
  return std::size_t(std::max<std::uint64_t>(1, request.window_memory_bytes() / 2 / unit) * unit);
}

window_settings settings_for(const input& from, const request& request) {
  window_settings settings;
  settings.window_bytes = window_bytes(request, from.stored.type);
  settings.limit_bytes = from.stored.data_bytes();
  settings.prepare = [stored = from.stored](std::span<std::byte> bytes) {
    make_native(stored, bytes);
  };
  return settings;
}

array_view view_of_window(std::span<const std::byte> window, dtype type) {
  const auto item_bytes = std::int64_t(size_bytes(type));
  return {window.data(), type, {{std::int64_t(window.size()) / item_bytes, item_bytes}}};
}

// --as f64: each element is rounded separately, as the sum of one element; in short pieces, so that
// they take little memory.
void take_as_f64(const array_view& window, const std::string& name,
                 const std::function<void(const array_view&)>& take) {
  std::vector<double> rounded(static_cast<std::size_t>(window_items));
  const auto& [items, stride] = window.axes()[0];
  options alone;
  alone.axes = axis(1);
  for (std::int64_t first = 0; first < items; first += window_items) {
    const std::int64_t count = std::min(window_items, items - first);
    const auto* data = static_cast<const std::byte*>(window.data()) + first * stride;
    const array_view ones(data, window.type(), {{count, stride}, {1, stride}});
    const axis_list row = {{count, std::int64_t(sizeof(double))}};
    require_about(name, reduce(executor::cpu{}, op::sum, {ones},
                               output_view(rounded.data(), dtype::f64, row), alone));
    take({rounded.data(), dtype::f64, row});
  }
}

}  // namespace

std::uint64_t for_each_window(input& from, const request& request,
                              const std::function<void(const array_view&)>& take) {
  if (from.format == file_format::text) return for_each_text_window(from, request, take);
  window_reader reader(from.stream, settings_for(from, request));
  progress bar(request.progress_bar, from.stored.data_bytes());
  const dtype type = from.stored.type;
  std::uint64_t bytes = 0;
  while (true) {
    const auto window = require(reader.next(), from.name);
    if (window.empty()) return bytes;
    bytes += window.size();
    if (window.size() % size_bytes(type) != 0)
      throw failure(messages::raw_ragged(from.stream.name(), bytes, type), from.name);
    if (from.described.type == type)
      take(view_of_window(window, type));
    else
      take_as_f64(view_of_window(window, type), from.name, take);
    bar.advance(window.size());
  }
}

}  // namespace onefold::program
