// SPDX-License-Identifier: Apache-2.0
// The reduction of one input: its answers, and the partials that `--total` merges.
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

/// The accumulators of decimals: numbers as they were written.
struct decimals {
  decimal_sum sum;
  text_range range;  ///< if requested

  void merge(const decimals& other) { sum.merge(other.sum), range.merge(other.range); }
};

/// Mergeable partial reductions, one state for each operator; monostate: nothing yet, or nothing
/// that can be merged.
using partials = std::variant<std::monostate, std::vector<state>, decimals>;

struct part {
  std::vector<answer> answers;  ///< one for each operator
  partials whole;
  std::optional<onefold::plan> plan;
  std::int64_t count = 0;
  std::uint64_t bytes = 0;
};

/// Reduces elements, window by window. `before`: the elements of the inputs before this one, under
/// --total. Throws failure.
part reduce_elements(input& from, const request& request, std::int64_t before);
/// Reduces elements that must be in memory as a whole: kept axes, positions in column-major
/// data, and both inputs of dot. Throws failure.
part reduce_arrays(std::span<input> from, const request& request);
/// Reduces this rank's shares of an input, of both for dot, and merges the states of all ranks: the
/// same answers on each. name: that of answers and messages. Precondition: request.ranks. Throws
/// failure, on all ranks the same.
part reduce_over_ranks(std::span<const std::string> names, const std::string& name,
                       const request& request);
/// Computes an answer for each distinct key of --by. Throws failure.
part reduce_by_keys(input& from, const request& request);
/// Reduces decimals: text without --as f64. Throws failure.
part reduce_text(input& from, const request& request);

/// An answer without a value.
answer no_answer(std::string_view op, const failure& why);

/// The result of `make`; if it throws failure, an answer of this operator without a value.
template <class Make>
answer answer_or_error(const Make& make, op op) {
  try {
    return make();
  } catch (const failure& why) {
    return no_answer(name(op), why);
  }
}

/// Throws failure (usage: standard input twice).
void check_inputs(const request& request);

/// Whether an input must be read as a whole.
bool needs_memory(const input& from, const request& request);

/// The elements of one answer, by the flat index of the kept axes.
array_view elements_of(const array_view& x, const axis_set& over, std::int64_t k);

/// An answer of decimals in the requested type; else i64 if all numbers are integers and it fits,
/// else in all its digits, or f64 if they do not end. Throws failure (unsupported, overflow, empty,
/// not_a_number).
answer answer_of(const decimals& from, op op, const request& request, const std::string& input);
/// An answer of a state in its output_type(). Throws failure.
answer answer_of(const state& from, const request& request, const std::string& input);
/// An answer whose numbers are still zeros.
answer empty_answer(op op, dtype input, const request& request, const std::string& name);

/// The plan of a request over inputs, two for dot; none if their size is not known. Throws failure,
/// also for invalid combinations of operators, types and options.
std::optional<plan> plan_of(std::span<const input> from, const request& request);

}  // namespace onefold::program
