// SPDX-License-Identifier: Apache-2.0
// What a reduction has to tell, and the forms in which it is told.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "failure.hpp"
#include "onefold/accuracy.hpp"
#include "onefold/op.hpp"
#include "onefold/plan.hpp"
#include "report/numbers.hpp"

namespace onefold::program {

/// The answers of one operator over one input. The same on every machine.
struct answer {
  std::optional<std::string> input;  ///< as the user wrote it; none: all inputs together
  std::string_view what;             ///< the operator's name
  numbers value{dtype::f64};
  std::optional<numbers> keys;  ///< --by: of each answer
  bool pair = false;            ///< minmax: the last axis is of two, the least and the largest
  std::int64_t count = 0;       ///< elements of each answer; --by: of all together
  level delivered = level::exact;
  std::optional<failure> error;  ///< why there is no value
};

/// How the answers came about. Different from run to run.
struct run_facts {
  std::vector<std::optional<plan>> plans;  ///< one an input; none where there is none (text)
  std::string device = "cpu";
  std::string warning;  ///< why a GPU that was chosen gave the work back; else empty
  int threads = 1;
  double time_s = 0;
  std::uint64_t bytes = 0;
};

struct report {
  std::vector<answer> answers;  ///< inputs outermost
  std::size_t per_input = 1;    ///< answers of each input
  bool header = false;          ///< whether columns are named: several operators
  int exit_code = 0;            ///< of the first error
  run_facts run;
};

/// Whether any of the answers has a value.
bool has_values(std::span<const answer> answers) noexcept;

// An input of which no operator has a value has no line; else an operator without one is the word
// error in its line.

/// One operator over one input: the number alone; of an array a line for each row of the last
/// axis. Else as write_tsv, where the name of the one input of arrays is left out; on a terminal
/// in columns, the numbers flush right.
std::string write_plain(const report& done, bool hex, bool terminal);
/// A line for each input, or for each index of the axes that are kept: index, numbers, name,
/// with tabs between them, names as table_field writes them (escape.hpp). A line of names in front
/// where there are several operators or arrays.
std::string write_tsv(const report& done, bool hex);
/// The object of schema/result.schema.json.
std::string write_json(const report& done);
/// {"schema": 2, "error": …}: of a run that came to no input.
std::string write_json_error(const failure& why);

/// A plan as a JSON object.
std::string json_plan(const plan& decided);

}  // namespace onefold::program
