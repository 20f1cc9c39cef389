// SPDX-License-Identifier: Apache-2.0
// Checks a raw input against its description.
#include "io/raw.hpp"

#include "messages.hpp"

namespace onefold::program {
namespace {

// Describes the rest of a file as one axis.
status take_all(const source& input, std::uint64_t data_bytes, layout& found) {
  const std::uint64_t item_bytes = size_bytes(found.type);
  if (data_bytes % item_bytes != 0)
    return messages::raw_ragged(input.name(), data_bytes, found.type);
  found.items = std::int64_t(data_bytes / item_bytes);
  found.shape = {*found.items};
  return {};
}

status take_shape(const source& input, const std::vector<std::int64_t>& shape, layout& found) {
  found.shape = shape;
  found.items = count_items(shape, size_bytes(found.type));
  if (!found.items) return messages::shape_too_large(input.name());
  return {};
}

status check_size(const source& input, const layout& found) {
  if (!input.size_bytes()) return {};
  const std::uint64_t there = *input.size_bytes() - found.data_offset;
  if (there >= *found.data_bytes()) return {};
  return messages::data_truncated(input.name(), found.data_offset, *found.data_bytes(), there);
}

}  // namespace

result<layout> open_raw(source& input, const raw_options& described) {
  if (!described.type) return messages::raw_needs_dtype(input.name());
  if (!described.shape && input.may_be_endless()) return messages::raw_endless(input.name());
  const auto size = input.size_bytes();
  if (size && *size < described.skip_bytes)
    return messages::skip_past_end(input.name(), described.skip_bytes, *size);
  layout found;
  found.type = *described.type;
  found.big_endian = described.big_endian && size_bytes(found.type) > 1;
  found.column_major = described.column_major;
  found.data_offset = described.skip_bytes;
  status done;
  if (described.shape)
    done = take_shape(input, *described.shape, found);
  else if (size)
    done = take_all(input, *size - described.skip_bytes, found);
  if (done && described.shape) done = check_size(input, found);
  if (!done) return done;
  const auto skipped = input.skip(described.skip_bytes);
  if (!skipped) return skipped.why();
  if (*skipped < described.skip_bytes)
    return messages::skip_past_end(input.name(), described.skip_bytes, *skipped);
  return found;
}

}  // namespace onefold::program
