// SPDX-License-Identifier: Apache-2.0
// The drawing of the progress bar.
#include "io/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "interrupt.hpp"
#include "io/standard_streams.hpp"
#include "report/units.hpp"

namespace onefold::program {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 500ms;
constexpr auto interval = 100ms;
constexpr int bar_columns = 24;

bool shown(progress_mode mode) {
  if (mode != progress_mode::automatic) return mode == progress_mode::always;
  const char* terminal = std::getenv("TERM");
  return is_terminal(STDERR_FILENO) && terminal != nullptr && std::string_view(terminal) != "dumb";
}

}  // namespace

progress::progress(progress_mode mode, std::optional<std::uint64_t> total_bytes)
    : total_bytes_(total_bytes),
      next_draw_(mode == progress_mode::always ? start_ : start_ + patience), wanted_(shown(mode)) {
}

progress::~progress() {
  if (!stands_) return;
  complain("\r\x1b[K");
  progress_bar_stands(false);
}

void progress::advance(std::uint64_t bytes) {
  done_bytes_ += bytes;
  if (!wanted_) return;
  const auto now = clock::now();
  if (now < next_draw_) return;
  draw(now);
  next_draw_ = now + interval;
}

void progress::draw(clock::time_point now) {
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  const std::string rate =
      elapsed_s > 0 ? format_rate(double(done_bytes_) / elapsed_s) : std::string("-");
  std::string line = fmt::format("{}  {}", format_bytes(double(done_bytes_)), rate);
  if (total_bytes_ && *total_bytes_ > 0) {
    const double share = std::min(1.0, double(done_bytes_) / double(*total_bytes_));
    const int full = int(share * bar_columns);
    line = fmt::format("[{:=<{}}{: <{}}] {:3.0f} %  {}", "", full, "", bar_columns - full,
                       share * 100, line);
  }
  stands_ = true;
  progress_bar_stands(true);
  complain("\r\x1b[K" + line);
}

}  // namespace onefold::program
