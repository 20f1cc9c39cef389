// SPDX-License-Identifier: Apache-2.0
#include "cpu/key_outputs.hpp"

#include <cstring>
#include <string>

namespace onefold::cpu {

result<group_outputs> make_outputs(const reduction& of, std::int64_t groups,
                                   const group_maker& make) {
  const int each = answers_of(of.decided.what[0]);
  const group_outputs room = make(groups);
  const auto& axes = room.answers.axes();
  bool fits = axes.size() == (each > 1 ? 2 : 1) && axes[0].extent == groups;
  if (fits && each > 1)
    fits = axes[1].extent == each &&
           axes[1].stride_bytes == std::int64_t(size_bytes(room.answers.type()));
  if (fits) return room;
  return status(status_code::mismatch, "the output has another shape than one answer for each of " +
                                           std::to_string(groups) + " groups");
}

void write_groups(const std::vector<key_record>& groups, dtype key_type, const group_outputs& to) {
  const std::size_t key_bytes = size_bytes(key_type), bytes = size_bytes(to.answers.type());
  auto* keys = static_cast<std::byte*>(to.keys);
  auto* answer = static_cast<std::byte*>(to.answers.data());
  for (const key_record& each : groups) {
    write_key(key_type, each.ordinal, keys);
    std::memcpy(answer, &each.payload, bytes);
    keys += key_bytes, answer += to.answers.axes()[0].stride_bytes;
  }
}

}  // namespace onefold::cpu
