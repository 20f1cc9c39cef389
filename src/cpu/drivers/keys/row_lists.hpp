// SPDX-License-Identifier: Apache-2.0
// The rows of each answer, as lists.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "onefold/status.hpp"
#include "request/row_scatter.hpp"

namespace onefold::cpu {

struct row_lists {
  std::vector<std::int64_t> offsets;  ///< of each answer's list, and the end of the last
  std::vector<std::int64_t> places;   ///< of the rows; none: rows are in the order of the lists

  std::int64_t count(std::int64_t answer) const {
    return offsets[std::size_t(answer) + 1] - offsets[std::size_t(answer)];
  }
  std::int64_t row(std::int64_t i) const { return places.empty() ? i : places[std::size_t(i)]; }
};

/// The error of a key that is no answer.
status no_answer(std::int64_t row, std::int64_t key, std::int64_t answers);

/// Sorts rows by key, by counting, or takes the offsets. Fails: mismatch (a key that is no answer;
/// offsets that decrease or exceed the rows), cancelled. Throws std::bad_alloc.
result<row_lists> lists_of(const row_scatter& request, const std::stop_token& stop);

}  // namespace onefold::cpu
