// SPDX-License-Identifier: Apache-2.0
// Indices of argmin and argmax if --missing skip omits cells: the library counts numbers, and a
// position counts cells.
#pragma once

#include <cstdint>
#include <vector>

#include "io/input.hpp"
#include "onefold/array_view.hpp"
#include "operations.hpp"
#include "options.hpp"
#include "report/report.hpp"

namespace onefold::program {

/// Writes a position in the type of the output. Fails: overflow, unsupported, as reduce().
status write_position(op which, std::int64_t position, const output_view& output);

/// The request for an in-memory answer before place_in_input(): indices are i64.
request asking_for_index(op which, const input& from, const request& request);
/// Converts the indices of an in-memory answer to positions in the input, in the requested type.
/// Other operators' answers are unchanged. Throws failure.
void place_in_input(answer& index, op which, const input& from, const request& request);

/// The positions of a stream. Keeps only those missing cells that later windows can need.
class stream_positions {
 public:
  stream_positions(input& from, const request& request) : cells_(from.missing) {
    if (!request.skip_missing || from.format != file_format::text) return;
    for (const op which : request.operations)
      if (is_position(which)) all_.push_back({which, request.options.first_index, -1, 0});
  }

  /// Call after each window. Answers: windows or passes.
  template <class Answers>
  void advance(const Answers& answers) {
    for (entry& entry : all_) {
      std::int64_t index = 0;
      if (!answers.write(entry.which, output_view(index)).ok()) continue;
      index -= entry.first_index;
      if (index == entry.number) continue;
      entry.number = index;
      entry.position = entry.first_index + cells_.position(index);
    }
    if (!all_.empty()) cells_.keep_from(answers.count());
  }

  /// The position of an operator, or null if the library's index is the position.
  const std::int64_t* find(op which) const {
    for (const entry& entry : all_)
      if (entry.which == which && entry.number >= 0) return &entry.position;
    return nullptr;
  }

 private:
  struct entry {
    op which;
    std::int64_t first_index, number, position;
  };

  missing_cells& cells_;
  std::vector<entry> all_;
};

}  // namespace onefold::program
