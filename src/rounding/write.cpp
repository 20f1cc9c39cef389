// SPDX-License-Identifier: Apache-2.0
// state::write: rounds the state's own value.
#include "rounding/round_state.hpp"

namespace onefold {

status state::write(void* output, dtype type, const rounding_options& options) const try {
  return round_state(op_, known_, {input_, options.nan_policy, options.correction}, output, type);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
