// SPDX-License-Identifier: Apache-2.0
// Indices of argmin and argmax where --missing skip leaves cells out: the library counts numbers,
// and a position counts cells.
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

/// The request of an answer from memory before place_in_input(): indices are i64.
request asking_for_index(op which, const input& from, const request& asked);
/// Turns the indices of an answer from memory into positions in the input, in the type asked for.
/// Other operators' answers stay as they are. Throws failure.
void place_in_input(answer& index, op which, const input& from, const request& asked);

/// The positions of a stream. Only what later windows can need of the missing cells is kept.
class stream_positions {
 public:
  stream_positions(input& from, const request& asked) : cells_(from.missing) {
    if (!asked.skip_missing || from.format != file_format::text) return;
    for (const op which : asked.operations)
      if (is_position(which)) all_.push_back({which, asked.how.first_index, -1, 0});
  }

  /// Behind each window. Answers: windows or passes.
  template <class Answers>
  void advance(const Answers& answers) {
    for (entry& each : all_) {
      std::int64_t index = 0;
      if (!answers.write(each.which, output_view(index)).ok()) continue;
      index -= each.first_index;
      if (index == each.number) continue;
      each.number = index;
      each.position = each.first_index + cells_.position(index);
    }
    if (!all_.empty()) cells_.keep_from(answers.count());
  }

  /// The position of an operator, or null where the library's index is the position.
  const std::int64_t* of(op which) const {
    for (const entry& each : all_)
      if (each.which == which && each.number >= 0) return &each.position;
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
