// SPDX-License-Identifier: Apache-2.0
// One input of `onefold sum`, reduced: its answer, and what `--total` merges.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "io/input.hpp"
#include "onefold/decimal.hpp"
#include "onefold/plan.hpp"
#include "onefold/state.hpp"
#include "options.hpp"
#include "report/report.hpp"

namespace onefold::program {

/// A reduction that can be merged; monostate: nothing yet, or nothing that could be.
using partial_sum = std::variant<std::monostate, state, decimal_sum>;

struct part {
  answer given;
  partial_sum whole;
  std::optional<plan> decided;
  std::uint64_t bytes = 0;
};

/// Elements, window by window. Throws failure.
part sum_elements(input& from, const request& asked);
/// Numbers written as text. Throws failure.
part sum_text(input& from, const request& asked);

/// The sum of decimals in the type asked for; else i64 where all of them are integers and their
/// sum fits, and f64 where not. Throws failure (unsupported, overflow).
number value_of(const decimal_sum& sum, const request& asked, const std::string& input);
/// The sum of a state in the type asked for, or in NumPy's. Throws failure (unsupported, overflow).
number value_of(const state& sum, const request& asked, const std::string& input);

}  // namespace onefold::program
