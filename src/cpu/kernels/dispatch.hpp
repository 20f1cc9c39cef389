// SPDX-License-Identifier: Apache-2.0
// The entry of one target in a table that HWY_EXPORT defines.
//
// HWY_DYNAMIC_DISPATCH takes the entry of the target that Highway chose for the whole process. That
// choice belongs to all users of libhwy, so ours is an argument.
#pragma once

#include <hwy/targets.h>

#include <cstddef>
#include <cstdint>

namespace onefold::cpu {

/// Precondition: the table has an entry for the target, which is one bit of HWY_TARGETS.
template <class Entry, std::size_t N>
Entry entry_of_target(const Entry (&table)[N], std::int64_t target) {
  if constexpr (N == 1) {  // one target is compiled
    return table[0];
  } else {
    hwy::ChosenTarget chosen;  // ours; Highway's is hwy::GetChosenTarget()
    chosen.Update(target);
    return table[chosen.GetIndex()];
  }
}

}  // namespace onefold::cpu
