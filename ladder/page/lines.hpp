// SPDX-License-Identifier: Apache-2.0
#pragma once
// The counters of a launch by line of the source, each line with what nvcc made of it.

#include "ladder/page/page.hpp"
#include "simt/counts.hpp"

#include <map>

namespace onefold::ladder {

/// Counts requests by the instruction that made them.
class line_recorder : public simt::request_listener {
 public:
  void request(const simt::priced_request& priced) override {
    by_pc_[priced.request.pc].request(priced);
  }

  std::map<simt::location, simt::counts> by_line() const;

 private:
  std::map<std::uintptr_t, simt::request_counter> by_pc_;
};

/// The lines that asked for memory, and those that machine code is recorded of: the rung's own file
/// first.
std::vector<source_line> source_lines(const rung& r, element type, const line_recorder& recorder);

/// The recorded excerpts of the rung, of all types, whose line is still in its file.
std::vector<code_excerpt> code_excerpts(const rung& r);

/// The counters of a line, a row for each kind of access.
struct access_row {
  std::string_view access;  ///< "global load"
  std::uint64_t requests;
  std::optional<std::uint64_t> wavefronts, conflicts;  ///< of loads and stores of shared memory
  std::optional<std::uint64_t> sectors;                ///< of global memory
};
std::vector<access_row> access_rows(const simt::counts& c);

/// "31" for a line of the rung's own file, "shuffle.cuh:22" for another's, "unknown" for none.
std::string line_name(const rung& r, const simt::location& place);

}  // namespace onefold::ladder
