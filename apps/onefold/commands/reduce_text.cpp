// SPDX-License-Identifier: Apache-2.0
// Reductions of decimal text: all digits, or rounded once to a floating type.
#include <algorithm>
#include <utility>

#include "commands/parts.hpp"
#include "failure.hpp"
#include "io/text_blocks.hpp"
#include "messages.hpp"
#include "operations.hpp"

namespace onefold::program {
namespace {

bool is_extremum(op what) {
  return what == op::min || what == op::max || what == op::minmax;
}

void check_text(const std::string& name, const request& asked) {
  if (!asked.whole()) throw failure(messages::text_has_no_axes(name), name);
  if (asked.where.gpu() != nullptr) throw failure(messages::text_on_device(name), name);
  for (const op what : asked.operations)
    if (!detail::has_trait(what, detail::reads_decimals))
      throw failure(messages::text_operator(name, onefold::name(what)), name);
  if (asked.options.initial) throw failure(messages::text_option(name, "--initial"), name);
}

[[noreturn]] void throw_no_form(op what, dtype type, const char* allowed,
                                const std::string& input) {
  throw failure(messages::text_output(input, onefold::name(what), type, allowed), input);
}

// A sum, a minimum or a maximum.
number number_of(const decimal_sum& exact, op what, const request& asked,
                 const std::string& input) {
  if (!asked.output_type) return number::decimal(exact.to_string(), exact.value());
  switch (*asked.output_type) {
  case dtype::i64:
    return number::of(require_about(input, exact.value_i64()));
  case dtype::f64:
    return number::of(exact.value());
  case dtype::f32:
    return number::of(exact.value_f32());
  default:
    throw_no_form(what, *asked.output_type, "f64, f32 or i64", input);
  }
}

number sum_of(const decimal_sum& sum, const request& asked, const std::string& input) {
  const auto integer = sum.value_i64();
  if (!asked.output_type && sum.count() > 0 && integer) return number::of(*integer);
  return number_of(sum, op::sum, asked, input);
}

number mean_of(const decimal_sum& sum, const request& asked, const std::string& input) {
  if (auto digits = sum.mean_to_string(); digits && !asked.output_type)
    return number::decimal(std::move(*digits), sum.mean());
  switch (const dtype type = asked.output_type.value_or(dtype::f64)) {
  case dtype::f64:
    return number::of(sum.mean());
  case dtype::f32:
    return number::of(sum.mean_f32());
  default:
    throw_no_form(op::mean, type, "f64 or f32", input);
  }
}

number count_of(const decimal_sum& sum, const request& asked, const std::string& input) {
  const dtype type = asked.output_type.value_or(dtype::i64);
  if (type != dtype::i64) throw_no_form(op::count, type, "i64", input);
  return number::of(sum.count());
}

// The minimum and the maximum: i64 if all numbers are written as integers and both fit, so that
// both have one type.
std::pair<number, number> ends_of(const decimals& from, op what, const request& asked,
                                  const std::string& input) {
  const bool nan = from.sum.nan_count() > 0;
  if (from.range.empty() && !nan)
    throw failure(messages::text_is_empty(input, onefold::name(what)), input);
  const decimal_sum least = nan ? from.sum : from.range.least();
  const decimal_sum largest = nan ? from.sum : from.range.largest();
  const auto low = least.value_i64(), high = largest.value_i64();
  if (!asked.output_type && from.sum.all_integers() && low && high)
    return {number::of(*low), number::of(*high)};
  return {number_of(least, what, asked, input), number_of(largest, what, asked, input)};
}

numbers value_of(const decimals& from, op what, const request& asked, const std::string& input) {
  if (what == op::sum) return sum_of(from.sum, asked, input);
  if (what == op::mean) return mean_of(from.sum, asked, input);
  if (what == op::count) return count_of(from.sum, asked, input);
  const auto [least, largest] = ends_of(from, what, asked, input);
  if (what == op::min) return least;
  if (what == op::max) return largest;
  numbers pair(least.type(), {2});
  pair.set(0, least), pair.set(1, largest);
  return pair;
}

}  // namespace

answer answer_of(const decimals& from, op what, const request& asked, const std::string& input) {
  decimals counted = from;
  if (asked.options.nan_policy == nan_policy::error && from.sum.nan_count() > 0)
    throw failure(messages::text_met_a_nan(input, onefold::name(what)), input);
  if (asked.options.nan_policy == nan_policy::omit) counted.sum.omit_nans();
  answer made;
  made.input = input;
  made.what = onefold::name(what);
  made.value = value_of(counted, what, asked, input);
  made.pair = answers_of(what) > 1;
  made.count = from.sum.count();
  return made;
}

part reduce_text(input& from, const request& asked) {
  check_text(from.name, asked);
  part done;
  decimals all;
  text_options options;
  options.skip_missing = asked.skip_missing;
  const bool range = std::any_of(asked.operations.begin(), asked.operations.end(), is_extremum);
  if (range) options.range = &all.range;
  text_reader reader(from.stream.name(), std::move(options));
  done.bytes = read_text(from, asked, reader);
  all.sum = std::move(reader.sum());
  done.count = all.sum.count();
  for (const op what : asked.operations)
    done.answers.push_back(
        answer_or_error([&] { return answer_of(all, what, asked, from.name); }, what));
  if (asked.total) done.whole = std::move(all);
  return done;
}

}  // namespace onefold::program
