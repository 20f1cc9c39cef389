// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a try found out, as data: the text and the JSON are made from it.

#include "ladder/try/report/shape.hpp"
#include "simt/counts.hpp"
#include "simt/findings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace onefold::ladder {

/// One launch of the learner's kernel.
struct try_run {
  std::size_t n = 0;  ///< elements
  try_shape data;     ///< the same, by row
  try_shape grid, block;
  unsigned together = 1;  ///< blocks that run at the same time
  simt::schedule order = simt::schedule::forward;
  std::string elements;           ///< "ordinary", "a NaN", ...
  std::optional<bool> keeps_nan;  ///< of a maximum or minimum of elements with a NaN
  std::string nan_answer;         ///< of such, if it is neither NaN nor that of the others
  bool infinite_sum_is_nan = false;
  std::uint64_t most_accesses = 0;  ///< by one lane
  bool gathered = false;  ///< of inputs whose equal elements are next to each other; no answer
  std::string answer, expected;
  bool answer_right = false;
  std::size_t never_read = 0, read_again = 0;  ///< elements of the input
  std::vector<simt::finding> findings;
  simt::location wrong_place;  ///< what stored the first wrong element, if one did

  /// "16384", or "64 x 48".
  std::string length() const;
  bool right() const { return answer_right && never_read == 0; }
  bool clean() const { return right() && findings.empty(); }
  /// "right", or everything that is wrong, worst first: "bounds, wrong value".
  std::string verdict() const;
};

/// A defect with its line, whoever found it: the executor, or the checks of this room.
struct try_defect {
  std::string kind;  ///< "race", ..., "wrong operator", "stale variable", "crash", "no end"
  simt::location place, other;
  std::string detail;
  std::uint64_t times = 1;
  std::string where;  ///< "n 1, reverse" when the first launch at the full length was without it
  std::vector<simt::location> more_places;  ///< a race's, besides `other`

  std::string text() const;
};

enum class try_state {
  refused,       ///< the command line is at fault
  not_compiled,  ///< the compiler's message says why
  interrupted,
  ran,  ///< as far as `runs` and `defects` tell
};

struct try_report {
  try_state state = try_state::refused;
  std::string message;  ///< of a refusal or of the compiler

  std::string file, kernel, type, op;
  std::string suffix;  ///< what follows op: " of products", " of each pair", or nothing
  std::size_t n = 0;
  try_shape data, block, grid;
  std::string expected;        ///< "the sum of all elements"
  bool guessed = false;        ///< that was not said
  std::string assumed;         ///< of elements that are structs: "'index' of element i is i"
  std::string launched;        ///< a launch that was found by trying; else empty
  bool one_reduction = false;  ///< a rung of the ladder computes the same
  std::vector<std::string> untested;
  std::string printed;                 ///< by the launch that was counted, or that crashed
  std::vector<std::string> arguments;  ///< "in = input": what each parameter got
  std::vector<try_run> runs;           ///< the first is the one that was counted
  std::optional<simt::counts> counts;
  std::vector<try_defect> defects;
  std::string lost;     ///< "n 3: element 2 never reaches the answer: ..."
  std::string picture;  ///< an SVG, where one was asked for and can be drawn
  std::vector<std::string> hints;
  unsigned verified = 0;           ///< launches whose answer was judged in another process
  std::vector<std::string> notes;  ///< what is no defect, though strict memory order asks for more

  std::string rung;  ///< of --compare
  std::optional<simt::counts> rung_counts;
  double seconds = 0;

  bool clean() const;
  /// "right", or everything that is wrong, worst first; of a kernel that did not run, why.
  std::string verdict() const;
  /// Under every schedule.
  bool all_schedules() const;
  /// 0 right and clean under every schedule, 1 not, 2 refused, 3 clean under those that were asked
  /// for.
  int exit_code() const;
};

/// Complete; made for people. The same for g++ and clang, but for the compiler's own messages.
std::string text_of(const try_report& report);
/// Complete and stable; only what is under "run" differs from run to run.
std::string json_of(const try_report& report);

}  // namespace onefold::ladder
