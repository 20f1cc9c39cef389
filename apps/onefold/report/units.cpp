// SPDX-License-Identifier: Apache-2.0
// Sizes, rates and times as text.
#include "report/units.hpp"

#include <fmt/format.h>

namespace onefold::program {
namespace {

std::string scaled(double value, double step, const char* const (&units)[6]) {
  int unit = 0;
  while (value >= step && unit < 5) value /= step, ++unit;
  return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 1, units[unit]);
}

}  // namespace

std::string format_bytes(double bytes) {
  return scaled(bytes, 1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB"});
}

std::string format_rate(double bytes_per_second) {
  return scaled(bytes_per_second, 1000, {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"});
}

std::string format_seconds(double time_s) {
  if (time_s < 1e-3) return fmt::format("{:.0f} us", time_s * 1e6);
  if (time_s < 1) return fmt::format("{:.1f} ms", time_s * 1e3);
  return fmt::format("{:.2f} s", time_s);
}

}  // namespace onefold::program
