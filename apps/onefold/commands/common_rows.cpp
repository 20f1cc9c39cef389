// SPDX-License-Identifier: Apache-2.0
// Removes rows with missing values from inputs in memory.
#include "commands/common_rows.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "failure.hpp"
#include "messages.hpp"

namespace onefold::program {
namespace {

using positions = std::vector<std::int64_t>;

std::int64_t row_count(rows_of_input rows) {
  return *rows.elements.described.items + rows.from.missing.size();
}

// Removes the elements of these rows; those of `missing` have none.
void remove_rows(loaded& from, const positions& rows, const positions& missing) {
  const auto item_bytes = std::int64_t(size_bytes(from.described.type));
  std::byte *const data = from.data.get(), *to = data;
  const std::byte* next = data;  // the first element that is not yet in its place
  const auto keep_until = [&](const std::byte* end) {
    const auto bytes = end - next;
    if (bytes > 0) std::memmove(to, next, std::size_t(bytes));
    to += bytes;
  };
  auto none = missing.begin();
  for (const std::int64_t row : rows) {
    if (none != missing.end() && *none == row) {
      ++none;
      continue;
    }
    const std::byte* const removed = data + (row - (none - missing.begin())) * item_bytes;
    keep_until(removed);
    next = removed + item_bytes;
  }
  keep_until(data + *from.described.items * item_bytes);
  from.described.items = (to - data) / item_bytes;
  from.described.shape = {*from.described.items};
}

}  // namespace

void keep_common_rows(rows_of_input a, rows_of_input b) {
  if (a.from.missing.empty() && b.from.missing.empty()) return;
  // The library refuses a text, which is a column, with an array that is none.
  if (a.elements.described.shape.size() != 1 || b.elements.described.shape.size() != 1) return;
  if (row_count(a) != row_count(b))
    throw failure(messages::other_rows(a.from.name, row_count(a), b.from.name, row_count(b)),
                  b.from.name);
  const positions of_a = a.from.missing.positions(), of_b = b.from.missing.positions();
  positions all;
  std::set_union(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(all));
  remove_rows(a.elements, all, of_a);
  remove_rows(b.elements, all, of_b);
}

}  // namespace onefold::program
