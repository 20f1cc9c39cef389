// SPDX-License-Identifier: Apache-2.0
#include "cpu/drivers/keys/row_lists.hpp"

#include <string>
#include <utility>

#include "runtime/share.hpp"

namespace onefold::cpu {
namespace {

result<row_lists> lists_of_offsets(const row_scatter& request) {
  for (std::int64_t k = 0; k <= request.answers; ++k) {
    const std::int64_t offset = request.offsets[k], before = k > 0 ? request.offsets[k - 1] : 0;
    if (offset < before || offset > request.rows)
      return status(status_code::mismatch,
                    "offset " + std::to_string(k) + " is " + std::to_string(offset) +
                        "; offsets do not decrease and are within 0 and the number of rows, " +
                        std::to_string(request.rows));
  }
  return row_lists{{request.offsets, request.offsets + request.answers + 1}, {}};
}

}  // namespace

status no_answer(std::int64_t row, std::int64_t key, std::int64_t answers) {
  return {status_code::mismatch, "the key of row " + std::to_string(row) + " is " +
                                     std::to_string(key) + ", but there are " +
                                     std::to_string(answers) + " answers, numbered from 0"};
}

result<row_lists> lists_of(const row_scatter& request, const std::stop_token& stop) {
  if (request.keys == nullptr) return lists_of_offsets(request);
  row_lists lists;
  lists.offsets.resize(std::size_t(request.answers) + 1);
  bool ascending = true;
  std::int64_t before = 0;
  status fine;
  // Counts are one place to the right, where they become the ends of lists.
  auto done = in_slices(0, request.rows, stop, [&](std::int64_t row, std::int64_t last) {
    for (; row < last && fine; ++row) {
      const std::int64_t key = request.key(row);
      if (key < 0 || key >= request.answers) {
        fine = no_answer(row, key, request.answers);
        return;
      }
      ++lists.offsets[std::size_t(key) + 1];
      ascending = ascending && before <= key;
      before = key;
    }
  });
  if (!fine) return fine;
  if (!done) return done;
  for (std::size_t k = 1; k < lists.offsets.size(); ++k) lists.offsets[k] += lists.offsets[k - 1];
  if (ascending) return lists;
  std::vector<std::int64_t> next(lists.offsets.begin(), lists.offsets.end() - 1);
  lists.places.resize(std::size_t(request.rows));
  done = in_slices(0, request.rows, stop, [&](std::int64_t row, std::int64_t last) {
    for (; row < last; ++row)
      lists.places[std::size_t(next[std::size_t(request.key(row))]++)] = row;
  });
  if (!done) return done;
  return lists;
}

}  // namespace onefold::cpu
