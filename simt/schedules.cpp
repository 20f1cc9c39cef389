// SPDX-License-Identifier: Apache-2.0
#include "simt/schedules.hpp"

namespace onefold::simt {

const char* to_string(schedule order) {
  return std::array{"forward", "reverse", "shuffled", "lockstep"}[static_cast<std::size_t>(order)];
}

}  // namespace onefold::simt
