// SPDX-License-Identifier: Apache-2.0
// Feeds text inputs to the reader, and collects numbers into windows.
#include "io/text_blocks.hpp"

#include <algorithm>
#include <vector>

#include "failure.hpp"
#include "io/progress.hpp"
#include "io/window_reader.hpp"
#include "onefold/windows.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

// Collects doubles into windows that hold a multiple of window_items, independent of the blocks of
// the text reader.
class collected {
 public:
  explicit collected(const std::function<void(const array_view&)>& take) : take_(take) {
    waiting_.reserve(std::size_t(window_items));
  }

  void add(std::span<const double> block) {
    while (!block.empty()) {
      const auto space = std::size_t(window_items) - waiting_.size();
      const auto taken = block.first(std::min(space, block.size()));
      waiting_.insert(waiting_.end(), taken.begin(), taken.end());
      block = block.subspan(taken.size());
      if (waiting_.size() == std::size_t(window_items)) flush();
    }
  }

  void flush() {
    if (!waiting_.empty()) take_(waiting_);
    waiting_.clear();
  }

 private:
  const std::function<void(const array_view&)>& take_;
  std::vector<double> waiting_;
};

std::span<const char> as_characters(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::uint64_t read_text(input& from, const request& request, text_reader& reader) {
  window_settings settings;
  settings.window_bytes = std::size_t(request.window_memory_bytes() / 2);
  settings.full = false;
  window_reader chunks(from.stream, std::move(settings));
  progress bar(request.progress_bar, from.stream.size_bytes());
  std::uint64_t bytes = 0;
  while (true) {
    const auto chunk = require(chunks.next(), from.name);
    if (chunk.empty()) break;
    require(reader.feed(as_characters(chunk)), from.name);
    bytes += chunk.size();
    bar.advance(chunk.size());
  }
  require(reader.end(), from.name);
  return bytes;
}

std::uint64_t for_each_text_window(input& from, const request& request,
                                   const std::function<void(const array_view&)>& take) {
  collected windows(take);
  text_options options;
  options.skip_missing = request.skip_missing;
  const bool places =
      std::any_of(request.operations.begin(), request.operations.end(), is_position);
  if (places || request.by || request.operations.contains(op::dot)) options.missing = &from.missing;
  options.binary64_blocks = [&](std::span<const double> block) {
    windows.add(block);
    return status();
  };
  text_reader reader(from.stream.name(), std::move(options));
  const std::uint64_t bytes = read_text(from, request, reader);
  windows.flush();
  from.missing_count = reader.missing_count();
  return bytes;
}

}  // namespace onefold::program
