// SPDX-License-Identifier: Apache-2.0
// Sizes, rates and times as text.
#pragma once

#include <cstdint>
#include <string>

namespace onefold::program {

/// "8.0 MiB"
std::string format_bytes(double bytes);
/// "12.3 GB/s": powers of 1000, as in the specifications of memory and disks.
std::string format_rate(double bytes_per_second);
/// "1.25 s", "3.4 ms"
std::string format_seconds(double time_s);

}  // namespace onefold::program
