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
  for (const op each : all_ops)
    if (holds(each)) names.push_back(name(each));
  return fmt::format("{}{}{}", fmt::join(names.begin(), names.end() - 1, ", "),
                     names.size() > 1 ? " and " : "", names.back());
}

bool has_all_digits(op what) {
  return detail::has_trait(what, detail::is_one_sum) && inputs_of(what) == 1;
}

// Whether fast is a different computation, and not exact under another name.
bool has_fast_way(op what, dtype type) {
  if (accumulator_of(what) == accumulator::product) return !is_floating(type);
  return accumulator_of(what) <= accumulator::moments;
}

void check_digits(const request& asked) {
  if (!asked.all_digits) return;
  for (const op each : asked.operations)
    if (!has_all_digits(each))
      throw failure(messages::option_without_use("--digits all", names_of(has_all_digits)));
  const std::pair<bool, const char*> others[] = {
      {!asked.whole(), "--axis"},
      {asked.by.has_value(), "--by"},
      {asked.options.initial.has_value(), "--initial"},
      {asked.output_type.has_value(), "--dtype-out"},
      {asked.options.accuracy == accuracy::fast, "--accuracy fast"}};
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
                 [](op each) { return std::string(name(each)); });
  return names;
}

bool divides_by_count(op what) noexcept {
  return detail::has_trait(what, detail::has_correction);
}

dtype output_type(op what, dtype input, const request& asked) noexcept {
  const dtype usual = asked.output_type.value_or(default_output(what, input));
  const bool half = usual == dtype::f16 || usual == dtype::bf16;
  return half && !asked.output_type ? dtype::f64 : usual;
}

level level_of(op what, dtype type, accuracy how) noexcept {
  if (how == accuracy::fast && has_fast_way(what, type)) return level::fast;
  const accumulator of = accumulator_of(what);
  const bool bounded =
      of == accumulator::log_sum || (of == accumulator::product && is_floating(type));
  return bounded ? level::bounded : level::exact;
}

scalar parse_initial(std::string_view option, const std::string& word) {
  const bool negative_zero = parsed<double>(word) == 0 && word[0] == '-';
  if (const auto number = parsed<std::int64_t>(word); number && !negative_zero) return *number;
  if (const auto number = parsed<std::uint64_t>(word)) return *number;
  if (const auto number = parsed<double>(word)) return *number;
  throw failure(messages::bad_value(option, word, "a number such as 0, -1.5 or inf"));
}

void check_operations(const request& asked) {
  const op_list& ops = asked.operations;
  const bool stats = asked.what == command::stats;
  if (asked.options.correction != 0 && !stats && !any_of(ops, divides_by_count))
    throw failure(messages::option_without_use("--correction", names_of(divides_by_count)));
  if (asked.options.first_index != 0 && !stats && !any_of(ops, is_position))
    throw failure(messages::option_without_use("--first-index", names_of(is_position)));
  check_digits(asked);
  if (asked.options.keepdims && asked.whole()) throw failure(messages::keepdims_without_axis());
  const std::size_t most = ops.contains(op::dot) ? 2 : SIZE_MAX;
  if (ops.contains(op::dot) && asked.inputs.size() != most)
    throw failure(messages::dot_takes_two(asked.inputs.size()));
}

void check_initial(const request& asked, dtype type, const std::string& input) {
  if (!asked.options.initial) return;
  const bool fits = with_type(
      type, [&]<class T>(detail::tag<T>) { return is_element<T>(*asked.options.initial); });
  if (!fits) throw failure(messages::initial_is_no_element(input, type), input);
}

}  // namespace onefold::program
