// SPDX-License-Identifier: Apache-2.0
// What a reduction has to tell, and the forms in which it is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "failure.hpp"
#include "onefold/accuracy.hpp"
#include "onefold/op.hpp"
#include "onefold/plan.hpp"
#include "report/number.hpp"

namespace onefold::program {

/// One answer. The same on every machine.
struct answer {
  std::optional<std::string> input;  ///< as the user wrote it; none: all inputs together
  op what = op::sum;
  number value{dtype::f64};
  std::int64_t count = 0;
  level delivered = level::exact;
};

/// How the answers came about. Different from run to run.
struct run_facts {
  std::vector<std::optional<plan>> plans;  ///< one an input; none where there is none (text)
  int threads = 1;
  double time_s = 0;
  std::uint64_t bytes = 0;
};

struct report {
  std::vector<answer> answers;
  run_facts run;
};

/// The number alone where there is one answer; else as write_tsv, or on a terminal as a table
/// with the numbers flush right.
std::string write_plain(const report& done, bool hex, bool terminal);
/// Value, tab, name; a tab, newline or backslash in a name as \t, \n, \\.
std::string write_tsv(const report& done, bool hex);
/// The object of schema/result.schema.json.
std::string write_json(const report& done);
/// {"schema": 1, "error": …}
std::string write_json_error(const failure& why);

/// A string as JSON writes it; bytes that are no UTF-8 become U+FFFD.
std::string json_string(const std::string& text);
/// A plan as a JSON object.
std::string json_plan(const plan& decided);

}  // namespace onefold::program
