// SPDX-License-Identifier: Apache-2.0
#pragma once
// The schedules as words.

#include "simt/launch.hpp"

#include <array>

namespace onefold::simt {

inline constexpr std::array all_schedules = {schedule::forward, schedule::reverse,
                                             schedule::shuffled, schedule::lockstep};

const char* to_string(schedule order);

}  // namespace onefold::simt
