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

bool is_extremum(op op) {
  return op == op::min || op == op::max || op == op::minmax;
}

void check_text(const std::string& name, const request& request) {
  if (!request.whole()) throw failure(messages::text_has_no_axes(name), name);
  if (request.where.gpu() != nullptr) throw failure(messages::text_on_device(name), name);
  for (const op op : request.operations)
    if (!detail::has_trait(op, detail::reads_decimals))
      throw failure(messages::text_operator(name, onefold::name(op)), name);
  if (request.options.initial) throw failure(messages::text_option(name, "--initial"), name);
}

[[noreturn]] void throw_no_form(op op, dtype type, const char* allowed, const std::string& input) {
  throw failure(messages::text_output(input, onefold::name(op), type, allowed), input);
}

// A sum, a minimum or a maximum.
number number_of(const decimal_sum& exact, op op, const request& request,
                 const std::string& input) {
  if (!request.output_type) return number::decimal(exact.to_string(), exact.value());
  switch (*request.output_type) {
  case dtype::i64:
    return number::from(require_about(input, exact.value_i64()));
  case dtype::f64:
    return number::from(exact.value());
  case dtype::f32:
    return number::from(exact.value_f32());
  default:
    throw_no_form(op, *request.output_type, "f64, f32 or i64", input);
  }
}

number sum_of(const decimal_sum& sum, const request& request, const std::string& input) {
  const auto integer = sum.value_i64();
  if (!request.output_type && sum.count() > 0 && integer) return number::from(*integer);
  return number_of(sum, op::sum, request, input);
}

number mean_of(const decimal_sum& sum, const request& request, const std::string& input) {
  if (auto digits = sum.mean_to_string(); digits && !request.output_type)
    return number::decimal(std::move(*digits), sum.mean());
  switch (const dtype type = request.output_type.value_or(dtype::f64)) {
  case dtype::f64:
    return number::from(sum.mean());
  case dtype::f32:
    return number::from(sum.mean_f32());
  default:
    throw_no_form(op::mean, type, "f64 or f32", input);
  }
}

number count_of(const decimal_sum& sum, const request& request, const std::string& input) {
  const dtype type = request.output_type.value_or(dtype::i64);
  if (type != dtype::i64) throw_no_form(op::count, type, "i64", input);
  return number::from(sum.count());
}

// The minimum and the maximum: i64 if all numbers are written as integers and both fit, so that
// both have one type.
std::pair<number, number> ends_of(const decimals& from, op op, const request& request,
                                  const std::string& input) {
  const bool nan = from.sum.nan_count() > 0;
  if (from.range.empty() && !nan)
    throw failure(messages::text_is_empty(input, onefold::name(op)), input);
  const decimal_sum least = nan ? from.sum : from.range.least();
  const decimal_sum largest = nan ? from.sum : from.range.largest();
  const auto low = least.value_i64(), high = largest.value_i64();
  if (!request.output_type && from.sum.all_integers() && low && high)
    return {number::from(*low), number::from(*high)};
  return {number_of(least, op, request, input), number_of(largest, op, request, input)};
}

numbers value_of(const decimals& from, op op, const request& request, const std::string& input) {
  if (op == op::sum) return sum_of(from.sum, request, input);
  if (op == op::mean) return mean_of(from.sum, request, input);
  if (op == op::count) return count_of(from.sum, request, input);
  const auto [least, largest] = ends_of(from, op, request, input);
  if (op == op::min) return least;
  if (op == op::max) return largest;
  numbers pair(least.type(), {2});
  pair.set(0, least), pair.set(1, largest);
  return pair;
}

}  // namespace

answer answer_of(const decimals& from, op op, const request& request, const std::string& input) {
  decimals counted = from;
  if (request.options.nan_policy == nan_policy::error && from.sum.nan_count() > 0)
    throw failure(messages::text_met_a_nan(input, onefold::name(op)), input);
  if (request.options.nan_policy == nan_policy::omit) counted.sum.omit_nans();
  answer answer;
  answer.input = input;
  answer.op = onefold::name(op);
  answer.value = value_of(counted, op, request, input);
  answer.pair = answers_of(op) > 1;
  answer.count = from.sum.count();
  return answer;
}

part reduce_text(input& from, const request& request) {
  check_text(from.name, request);
  part done;
  decimals all;
  text_options options;
  options.skip_missing = request.skip_missing;
  const bool range = std::any_of(request.operations.begin(), request.operations.end(), is_extremum);
  if (range) options.range = &all.range;
  text_reader reader(from.stream.name(), std::move(options));
  done.bytes = read_text(from, request, reader);
  all.sum = std::move(reader.sum());
  done.count = all.sum.count();
  for (const op op : request.operations)
    done.answers.push_back(
        answer_or_error([&] { return answer_of(all, op, request, from.name); }, op));
  if (request.keeps_states()) done.whole = std::move(all);
  return done;
}

}  // namespace onefold::program
