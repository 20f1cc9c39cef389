// SPDX-License-Identifier: Apache-2.0
#pragma once
// Counters recorded on real hardware, as data: what the executor's numbers are held against.

#include "ladder/rung/rung.hpp"

namespace onefold::ladder {

/// How and where the counters were recorded; one launch size for all of them.
struct hardware_record {
  std::string_view machine;  ///< short, a column's head
  std::string_view source;
  std::size_t n;
  unsigned block;
  element type;
};

const hardware_record& recorded();

/// The counters of a rung, or null: nobody has recorded it.
const hardware_counters* recorded_counters(std::string_view rung);

/// The same, and null unless the trial was run at the recorded size.
const hardware_counters* recorded_counters(std::string_view rung, const trial_options& options);

}  // namespace onefold::ladder
