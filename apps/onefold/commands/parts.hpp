// SPDX-License-Identifier: Apache-2.0
// One input, reduced: its answers, and what `--total` merges.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "failure.hpp"
#include "io/input.hpp"
#include "io/text_range.hpp"
#include "onefold/decimal.hpp"
#include "onefold/op_list.hpp"
#include "onefold/plan.hpp"
#include "onefold/state.hpp"
#include "options.hpp"
#include "report/report.hpp"

namespace onefold::program {

/// What is known of numbers as they were written.
struct decimals {
  decimal_sum sum;
  text_range range;  ///< where it was asked for

  void merge(const decimals& other) { sum.merge(other.sum), range.merge(other.range); }
};

/// Reductions that can be merged, a state for each operator; monostate: nothing yet, or nothing
/// that could be.
using partials = std::variant<std::monostate, std::vector<state>, decimals>;

struct part {
  std::vector<answer> answers;  ///< one for each operator
  partials whole;
  std::optional<plan> decided;
  std::int64_t count = 0;
  std::uint64_t bytes = 0;
};

/// Elements, window by window. `before`: the elements of the inputs before this one, under
/// --total. Throws failure.
part reduce_elements(input& from, const request& asked, std::int64_t before);
/// Elements that have to lie in memory as a whole: axes that are kept, positions in column-major
/// data, and both inputs of dot. Throws failure.
part reduce_arrays(std::vector<input>& from, const request& asked);
/// An answer for each distinct key of --by. Throws failure.
part reduce_by_keys(input& from, const request& asked);
/// Decimals: text without --as f64. Throws failure.
part reduce_text(input& from, const request& asked);

/// What `make` returns; where it throws failure, an answer of this operator without a value.
template <class Make>
answer answer_or_error(const Make& make, op what) {
  try {
    return make();
  } catch (const failure& why) {
    answer none;
    none.input = why.input();
    none.what = name(what);
    none.error = why;
    return none;
  }
}

/// Throws failure (usage: standard input twice).
void check_inputs(const request& asked);

/// Whether an input has to be read as a whole.
bool needs_memory(const input& from, const request& asked);

/// An answer of decimals in the type asked for; else i64 where all numbers are integers and it
/// fits, and where not all digits, or f64 where they do not end. Throws failure (unsupported,
/// overflow, empty, not_a_number).
answer answer_of(const decimals& from, op what, const request& asked, const std::string& input);
/// An answer of a state in its output_type(). Throws failure.
answer answer_of(const state& from, const request& asked, const std::string& input);
/// The answer whose numbers are still zeros.
answer empty_answer(op what, dtype input, const request& asked, const std::string& name);

/// The plan of a request over inputs, two for dot; none where their size is not known. Throws
/// failure, also for what the operators, types and options cannot be.
std::optional<plan> plan_of(std::span<const input> from, const request& asked);

}  // namespace onefold::program
