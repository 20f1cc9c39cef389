// SPDX-License-Identifier: Apache-2.0
// The columns of `onefold stats`: their operators, types and values.
#include "commands/statistics.hpp"

#include <cmath>
#include <optional>

#include "failure.hpp"
#include "onefold/reduce.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

struct column {
  std::string_view name;
  std::optional<onefold::op> op;  // none: the count of NaNs
};

constexpr column columns_in_order[] = {
    {"count", op::count},   {"nan", {}},         {"sum", op::sum},      {"mean", op::mean},
    {"var", op::var},       {"std", op::stddev}, {"norm2", op::norm2},  {"min", op::min},
    {"argmin", op::argmin}, {"max", op::max},    {"argmax", op::argmax}};
constexpr std::size_t count_column = 0, nan_column = 1;

// Integers have no NaN for the minimum of an empty input.
dtype type_of(const column& column, dtype input, std::int64_t items) {
  if (!column.op || column.op == op::count || is_position(*column.op)) return dtype::i64;
  const bool element = column.op == op::min || column.op == op::max;
  return element && (items > 0 || is_floating(input)) ? output_type(*column.op, input, {})
                                                      : dtype::f64;
}

number nothing(dtype type) {
  switch (type) {
  case dtype::f32:
    return number::from(std::nanf(""));
  case dtype::f64:
    return number::from(std::nan(""));
  default:
    return number::from(std::int64_t(-1));
  }
}

}  // namespace

op_list statistics_operators() {
  op_list ops;
  for (const column& column : columns_in_order)
    if (column.op) ops.push_back(*column.op);
  return ops;
}

std::vector<std::string_view> statistics_names() {
  std::vector<std::string_view> names;
  for (const column& column : columns_in_order) names.push_back(column.name);
  return names;
}

std::vector<answer> statistics_columns(dtype input, std::int64_t items,
                                       const std::vector<std::int64_t>& shape,
                                       const std::string& name) {
  std::vector<answer> columns;
  for (const column& column : columns_in_order) {
    answer next;
    next.input = name;
    next.op = column.name;
    next.value = numbers(type_of(column, input, items), shape);
    next.count = items;
    columns.push_back(std::move(next));
  }
  return columns;
}

void write_statistics(const windows& from, std::vector<answer>& columns, std::int64_t k) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto op = columns_in_order[i].op;
    if (!op) continue;
    numbers& value = columns[i].value;
    auto done = from.write(*op, value.place(k, 1));
    if (done.code() == status_code::empty)
      value.set(k, nothing(value.type()));
    else
      require_about(*columns[i].input, done);
  }
  // Under every policy: the elements that are not NaN.
  rounding_options without_nans;
  without_nans.nan_policy = nan_policy::omit;
  const auto counted = require(from.partial(op::count)).value<std::int64_t>(without_nans);
  columns[count_column].value.set(k, number::from(counted));
  columns[nan_column].value.set(k, number::from(from.count() - counted));
}

status write_statistics(const array_view& x, const request& request, std::vector<answer>& columns) {
  std::vector<output_view> outputs;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns_in_order[i].op) outputs.push_back(columns[i].value.place());
  if (auto done =
          reduce(request.where, statistics_operators(), std::span(&x, 1), outputs, request.options);
      !done)
    return done;
  options without_nans = request.options;
  without_nans.nan_policy = nan_policy::omit;
  numbers &counts = columns[count_column].value, &nans = columns[nan_column].value;
  if (auto done = reduce(request.where, op::count, {x}, counts.place(), without_nans); !done)
    return done;
  for (std::int64_t k = 0; k < counts.size(); ++k)
    nans.set(k, number::from(columns[nan_column].count - counts[k].as<std::int64_t>()));
  return {};
}

}  // namespace onefold::program
