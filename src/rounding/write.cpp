// SPDX-License-Identifier: Apache-2.0
// state::write: rounds the state's own value.
#include "rounding/finish.hpp"

namespace onefold {

status state::write(void* output, dtype type, const finish_options& how) const try {
  return finish(op_, known_, {input_, how.nan_policy, how.correction}, output, type);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
