// SPDX-License-Identifier: Apache-2.0
// The operators on the command line: their names and their checks against the options.
#include "operations.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/ranges.h>

#include "failure.hpp"
#include "messages.hpp"
#include "suggestion.hpp"

namespace onefold::program {
namespace {

op parse_operation(const std::string& word, const std::string& list) {
  if (word.empty()) throw failure(messages::operator_missing(list));
  if (const auto found = parse_op(word)) return *found;
  throw failure(messages::unknown_operator(word, nearest_word(word, operator_names())));
}

template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool any_of(const op_list& ops, bool (*holds)(op)) {
  return std::any_of(ops.begin(), ops.end(), holds);
}

// "var and std": the operators that hold.
std::string names_of(bool (*holds)(op)) {
  std::vector<std::string_view> names;
  for (const op op : all_ops)
    if (holds(op)) names.push_back(name(op));
  return fmt::format("{}{}{}", fmt::join(names.begin(), names.end() - 1, ", "),
                     names.size() > 1 ? " and " : "", names.back());
}

bool has_all_digits(op op) {
  return detail::has_trait(op, detail::is_one_sum) && inputs_of(op) == 1;
}

// Whether fast is a different computation, and not exact under another name.
bool has_fast_way(op op, dtype type) {
  if (accumulator_of(op) == accumulator::product) return !is_floating(type);
  return accumulator_of(op) <= accumulator::moments;
}

void check_digits(const request& request) {
  if (!request.all_digits) return;
  for (const op op : request.operations)
    if (!has_all_digits(op))
      throw failure(messages::option_without_use("--digits all", names_of(has_all_digits)));
  const std::pair<bool, const char*> others[] = {
      {!request.whole(), "--axis"},
      {request.by.has_value(), "--by"},
      {request.options.initial.has_value(), "--initial"},
      {request.output_type.has_value(), "--dtype-out"},
      {request.options.accuracy == accuracy::fast, "--accuracy fast"}};
  for (const auto& [there, option] : others)
    if (there) throw failure(messages::conflict("--digits all", option));
}

template <class T, class From>
bool holds(From value) {
  if constexpr (std::is_floating_point_v<From>)
    return value == 0;  // "-0"
  else
    return std::in_range<T>(value);
}

template <class T>
bool is_element(const scalar& value) {
  if constexpr (is_floating(dtype_of<T>)) return true;
  return value.visit([](auto number) {
    if constexpr (std::is_same_v<T, bool>)
      return number == 0 || number == 1;
    else if constexpr (std::is_integral_v<T>)
      return holds<T>(number);
    else
      return true;
  });
}

}  // namespace

op_list parse_operations(const std::string& word) {
  op_list ops;
  for (std::size_t start = 0; start <= word.size();) {
    const std::size_t comma = std::min(word.find(',', start), word.size());
    const op next = parse_operation(word.substr(start, comma - start), word);
    if (ops.contains(next)) throw failure(messages::operator_twice(name(next), word));
    ops.push_back(next);
    start = comma + 1;
  }
  if (ops.size() > 1 && ops.contains(op::dot)) throw failure(messages::dot_alone(word));
  return ops;
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names(all_ops.size());
  std::transform(all_ops.begin(), all_ops.end(), names.begin(),
                 [](op op) { return std::string(name(op)); });
  return names;
}

bool divides_by_count(op op) noexcept {
  return detail::has_trait(op, detail::has_correction);
}

dtype output_type(op op, dtype input, const request& request) noexcept {
  const dtype usual = request.output_type.value_or(default_output(op, input));
  const bool half = usual == dtype::f16 || usual == dtype::bf16;
  return half && !request.output_type ? dtype::f64 : usual;
}

level level_of(op op, dtype type, accuracy accuracy) noexcept {
  if (accuracy == accuracy::fast && has_fast_way(op, type)) return level::fast;
  const accumulator accumulator = accumulator_of(op);
  const bool bounded = accumulator == accumulator::exponentials ||
                       (accumulator == accumulator::product && is_floating(type));
  return bounded ? level::bounded : level::exact;
}

scalar parse_initial(std::string_view option, const std::string& word) {
  const bool negative_zero = parsed<double>(word) == 0 && word[0] == '-';
  if (const auto number = parsed<std::int64_t>(word); number && !negative_zero) return *number;
  if (const auto number = parsed<std::uint64_t>(word)) return *number;
  if (const auto number = parsed<double>(word)) return *number;
  throw failure(messages::bad_value(option, word, "a number such as 0, -1.5 or inf"));
}

void check_operations(const request& request) {
  const op_list& ops = request.operations;
  const bool stats = request.command == command::stats;
  if (request.options.correction != 0 && !stats && !any_of(ops, divides_by_count))
    throw failure(messages::option_without_use("--correction", names_of(divides_by_count)));
  if (request.options.first_index != 0 && !stats && !any_of(ops, is_position))
    throw failure(messages::option_without_use("--first-index", names_of(is_position)));
  check_digits(request);
  if (request.options.keepdims && request.whole()) throw failure(messages::keepdims_without_axis());
  if (!request.by && request.options.min_count != 0)
    throw failure(messages::group_option_without_by("--min-count"));
  if (!request.by && request.options.empty_value)
    throw failure(messages::group_option_without_by("--empty-value"));
  const bool pair = ops.contains(op::dot) && request.command != command::merge;
  if (pair && request.inputs.size() != 2)
    throw failure(messages::dot_takes_two(request.inputs.size()));
}

void check_initial(const request& request, dtype type, const std::string& input) {
  if (!request.options.initial) return;
  const bool fits = with_type(
      type, [&]<class T>(detail::tag<T>) { return is_element<T>(*request.options.initial); });
  if (!fits) throw failure(messages::initial_is_no_element(input, type), input);
}

}  // namespace onefold::program
