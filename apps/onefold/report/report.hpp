// SPDX-License-Identifier: Apache-2.0
// The report of a reduction, and its output forms: plain, TSV, JSON.
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
#include "report/lines.hpp"
#include "report/numbers.hpp"

namespace onefold::program {

/// The answers of one operator over one input. The same on every machine; if fast, on every CPU.
struct answer {
  std::optional<std::string> input;    ///< as the user wrote it; none: all inputs together
  std::optional<tensor_label> tensor;  ///< of an input that has several
  std::string_view op;                 ///< the operator's name
  numbers value{dtype::f64};
  std::optional<numbers> keys;  ///< --by: the key of each answer
  bool pair = false;            ///< minmax: the last axis has extent 2, minimum and maximum
  std::int64_t count = 0;       ///< elements of each answer; --by: of all together
  level delivered = level::exact;
  std::optional<failure> error;  ///< why there is no value
};

/// The facts of the run, which differ from run to run.
struct run_facts {
  std::vector<std::optional<plan>> plans;  ///< one for each array; none without a plan (text)
  std::string device = "cpu";
  std::string warning;  ///< why a chosen GPU was not used after all; else empty
  int threads = 1;
  double time_s = 0;
  std::uint64_t bytes = 0;
};

struct report {
  std::vector<answer> answers;  ///< inputs outermost, then their tensors
  std::size_t per_input = 1;    ///< answers of each input, or of each of its tensors
  bool header = false;          ///< whether columns have names: several operators
  int exit_code = 0;            ///< of the first error
  run_facts run;
};

/// Whether any of the answers has a value.
bool has_values(std::span<const answer> answers) noexcept;

// An input without any value has no line, but a tensor has one; an operator without a value has the
// word error in its line.

/// One operator over one input: the number alone; for an array a line for each row of the last
/// axis. Otherwise as write_tsv, without the name of a single array input; on a terminal in
/// columns, with the numbers right-aligned.
std::string write_plain(const report& done, bool hex, bool terminal);
/// A line for each input or tensor, or for each index of the kept axes: index, numbers, name,
/// separated by tabs, with names as table_field writes them (escape.hpp); of tensors name, type and
/// shape in front of the input's name. The first line has the column names if there are several
/// operators, arrays or tensors.
std::string write_tsv(const report& done, bool hex);
/// The object of schema/result.schema.json.
std::string write_json(const report& done);
/// {"schema": 2, "error": …}: for a run that fails before its first input.
std::string write_json_error(const failure& why);

/// A number, or one of the strings nan, inf and -inf.
std::string json_value(const number& value);
/// "status": …, "message": …: the members of an error.
std::string json_status(const failure& why);
/// A plan as a JSON object.
std::string json_plan(const plan& plan);

}  // namespace onefold::program
