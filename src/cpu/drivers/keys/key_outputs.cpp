// SPDX-License-Identifier: Apache-2.0
// Requests, checks and sorts the outputs of a reduction by key.
#include "cpu/drivers/keys/key_outputs.hpp"

#include <cstring>
#include <string>

#include "request/reach.hpp"
#include "runtime/share.hpp"

namespace onefold::cpu {

result<group_outputs> make_outputs(const reduction& reduction, std::int64_t groups,
                                   const group_maker& make) {
  const int answers = answers_of(reduction.plan.ops[0]);
  const group_outputs outputs = make(groups);
  const auto& axes = outputs.answers.axes();
  bool fits = axes.size() == (answers > 1 ? 2 : 1) && axes[0].extent == groups;
  if (fits && answers > 1)
    fits = axes[1].extent == answers &&
           axes[1].stride_bytes == std::int64_t(size_bytes(outputs.answers.type()));
  if (fits && !lies_apart(axes, std::int64_t(size_bytes(outputs.answers.type()))))
    return status(status_code::mismatch, elements_share_bytes);
  if (fits) return outputs;
  return status(status_code::mismatch, "the output has another shape than one answer for each of " +
                                           std::to_string(groups) + " groups");
}

status sort_groups(std::int64_t groups, dtype key_type, const group_outputs& outputs, int threads,
                   const std::stop_token& stop) {
  const auto key_bytes = std::int64_t(size_bytes(key_type));
  const array_view keys(outputs.keys, key_type, {{groups, key_bytes}});
  const std::size_t bytes = size_bytes(outputs.answers.type());
  const std::int64_t stride = outputs.answers.axes()[0].stride_bytes;
  auto* const answers = static_cast<std::byte*>(outputs.answers.data());
  std::vector<key_record> records(static_cast<std::size_t>(groups));
  auto done = in_slices(0, groups, stop, [&](std::int64_t i, std::int64_t last) {
    for (; i < last; ++i) {
      key_record& record = records[std::size_t(i)];
      read_ordinals(keys, i, 1, &record.ordinal);
      std::memcpy(&record.payload, answers + i * stride, bytes);
    }
  });
  if (done) done = sort_records(records, threads, stop);
  if (!done) return done;
  auto* const sorted_keys = static_cast<std::byte*>(outputs.keys);
  return in_slices(0, groups, stop, [&](std::int64_t i, std::int64_t last) {
    for (; i < last; ++i) {
      const key_record& record = records[std::size_t(i)];
      write_key(key_type, record.ordinal, sorted_keys + i * key_bytes);
      std::memcpy(answers + i * stride, &record.payload, bytes);
    }
  });
}

}  // namespace onefold::cpu
