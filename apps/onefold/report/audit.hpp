// SPDX-License-Identifier: Apache-2.0
// The report of `onefold audit`, and its output forms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "failure.hpp"
#include "report/lines.hpp"
#include "report/number.hpp"

namespace onefold::program {

/// A sum that was rounded after every addition.
struct audited_sum {
  number value;
  double ulps;  ///< from the exact sum, in units in its last place
};

/// What is known of the sums of one array. The same on every machine.
struct audit {
  std::optional<std::string> input;
  std::optional<tensor_label> tensor;
  std::vector<std::int64_t> index;  ///< of the kept axes; empty without --axis
  dtype type = dtype::f64;
  std::int64_t count = 0;  ///< all elements, NaN among them
  std::int64_t nan = 0, infinities = 0;
  std::int64_t missing = 0;  ///< cells of text that --missing skip left out
  std::optional<audited_sum> naive, pairwise, neumaier;  ///< none of integers: those are exact
  number exact{dtype::f64};                              ///< in the elements' type; of integers all
  std::optional<double> condition;                       ///< none of integers
  std::string receipt;                                   ///< "fnv1a64:" and 16 digits
  std::optional<failure> error;                          ///< why there are no sums
};

struct audit_report {
  std::vector<audit> audits;
  int exit_code = 0;
};

/// A line for each array, with a header; on a terminal in columns. An input that cannot be audited
/// has no line, a tensor has one of the word error.
std::string write_audit(const audit_report& done, bool hex, bool terminal);
/// The object of schema/audit.schema.json.
std::string write_audit_json(const audit_report& done);

}  // namespace onefold::program
