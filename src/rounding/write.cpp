// SPDX-License-Identifier: Apache-2.0
// state::write: rounds the state's own value.
#include <cmath>

#include "rounding/round_state.hpp"

namespace onefold {

status state::write(void* output, dtype type, const rounding_options& options) const try {
  if (!std::isfinite(options.correction))
    return {status_code::usage,
            "rounding_options::correction is no finite number; give one such as 1 or 0.5"};
  return round_state(op_, known_, {input_, options.nan_policy, options.correction}, output, type);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
