// SPDX-License-Identifier: Apache-2.0
// The table and the JSON of `onefold audit`.
#include "report/audit.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/escape.hpp"
#include "report/report.hpp"

namespace onefold::program {
namespace {

constexpr const char* columns[] = {
    "count", "nan",        "inf",           "missing",       "naive",     "pairwise", "neumaier",
    "exact", "ulps_naive", "ulps_pairwise", "ulps_neumaier", "condition", "receipt"};
constexpr const char* no_value = "error";
constexpr const char* not_rounded = "-";  // sums of integers

fields values_of(const audit& row, bool hex) {
  if (row.error) return fields(std::size(columns), no_value);
  const auto text = [&](const number& value) { return hex ? to_hex(value) : to_decimal(value); };
  fields line;
  for (const std::int64_t count : {row.count, row.nan, row.infinities, row.missing})
    line.push_back(std::to_string(count));
  const std::optional<audited_sum>* const sums[] = {&row.naive, &row.pairwise, &row.neumaier};
  for (const auto* sum : sums) line.push_back(*sum ? text((*sum)->value) : not_rounded);
  line.push_back(text(row.exact));
  for (const auto* sum : sums)
    line.push_back(*sum ? to_decimal(number::from((*sum)->ulps)) : not_rounded);
  line.push_back(row.condition ? to_decimal(number::from(*row.condition)) : not_rounded);
  line.push_back(row.receipt);
  return line;
}

std::string json_number(const std::optional<number>& value) {
  return value ? json_value(*value) : "null";
}

std::string json_sums(const audit& row) {
  const std::pair<const char*, const std::optional<audited_sum>*> sums[] = {
      {"naive", &row.naive}, {"pairwise", &row.pairwise}, {"neumaier", &row.neumaier}};
  std::string text;
  for (const auto& [name, sum] : sums)
    text += fmt::format(R"("{}": {}, )", name, *sum ? json_value((*sum)->value) : "null");
  text += fmt::format(R"("exact": {}, )", json_value(row.exact));
  for (const auto& [name, sum] : sums)
    text += fmt::format(R"("ulps_{}": {}, )", name,
                        *sum ? json_value(number::from((*sum)->ulps)) : "null");
  return text;
}

std::string json_audit(const audit& row) {
  const std::string input = json_string(row.input.value_or(""));
  if (row.error)
    return fmt::format(R"({{"input": {}, {}"error": {{{}}}}})", input, json_tensor(row.tensor),
                       json_status(*row.error));
  const std::string index =
      row.index.empty() ? "" : fmt::format(R"("index": [{}], )", fmt::join(row.index, ", "));
  return fmt::format(
      R"({{"input": {}, {}{}"dtype": {}, "count": {}, "nan": {}, "inf": {}, "missing": {}, {})"
      R"("condition": {}, "receipt": {}}})",
      input, json_tensor(row.tensor), index, json_string(name(row.type)), row.count, row.nan,
      row.infinities, row.missing, json_sums(row),
      json_number(row.condition ? std::optional(number::from(*row.condition)) : std::nullopt),
      json_string(row.receipt));
}

}  // namespace

std::string write_audit(const audit_report& done, bool hex, bool terminal) {
  const auto any = [&](auto holds) {
    return std::any_of(done.audits.begin(), done.audits.end(), holds);
  };
  const bool tensors = any([](const audit& row) { return row.tensor.has_value(); });
  const bool indexed = any([](const audit& row) { return !row.index.empty(); });
  const table_walk lines = [&](const line_taker& take) {
    bool header = true;
    for (const audit& row : done.audits) {
      if (row.error && !row.tensor) continue;
      fields line;
      if (header) {
        if (indexed) line.emplace_back("index");
        line.insert(line.end(), std::begin(columns), std::end(columns));
        append_label_names(line, tensors);
        take(std::exchange(line, {}));
        header = false;
      }
      if (indexed) line.push_back(fmt::format("{}", fmt::join(row.index, ",")));
      for (std::string& value : values_of(row, hex)) line.push_back(std::move(value));
      append_labels(line, row.input, row.tensor, tensors);
      take(line);
    }
  };
  return terminal ? in_columns(lines, label_columns(tensors)) : with_tabs(lines);
}

std::string write_audit_json(const audit_report& done) {
  std::string audits;
  for (const audit& row : done.audits) audits += (audits.empty() ? "" : ", ") + json_audit(row);
  return fmt::format("{{\"schema\": 2, \"results\": [{}]}}\n", audits);
}

}  // namespace onefold::program
