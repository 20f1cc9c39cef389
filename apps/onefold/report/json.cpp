// SPDX-License-Identifier: Apache-2.0
// The JSON report. to_decimal writes the numbers: a JSON library knows neither f16 nor f32, and
// would not write the same digits as the plain report.
#include <fmt/format.h>

#include "report/escape.hpp"
#include "report/report.hpp"

namespace onefold::program {
std::string json_value(const number& value) {
  return is_finite(value) ? to_decimal(value) : json_string(to_decimal(value));
}

std::string json_status(const failure& why) {
  return fmt::format(R"("status": {}, "message": {})", json_string(name(why.why().code())),
                     json_string(why.why().message()));
}

namespace {

std::string json_hex(const number& value) {
  return json_string(to_hex(value));
}

// A number, or nested lists of numbers: the axes from `axis` on, starting at a flat index.
template <class Write>
void append_nested(std::string& text, const numbers& numbers, std::size_t axis, std::int64_t& at,
                   const Write& write) {
  if (axis == numbers.shape().size()) {
    text += write(numbers[at++]);
    return;
  }
  text += '[';
  for (std::int64_t i = 0; i < numbers.shape()[axis]; ++i) {
    if (i > 0) text += ", ";
    append_nested(text, numbers, axis + 1, at, write);
  }
  text += ']';
}

template <class Write>
std::string nested(const numbers& numbers, const Write& write) {
  std::string text;
  std::int64_t at = 0;
  append_nested(text, numbers, 0, at, write);
  return text;
}

std::string json_answer(const answer& given) {
  const auto input = given.input ? json_string(*given.input) : std::string("null");
  if (given.error)
    return fmt::format(R"({{"input": {}, {}"operation": {}, "error": {{{}}}}})", input,
                       json_tensor(given.tensor), json_string(given.op), json_status(*given.error));
  const numbers& value = given.value;
  const auto keys =
      given.keys ? fmt::format(R"("keys": {}, )", nested(*given.keys, json_value)) : std::string();
  return fmt::format(R"({{"input": {}, {}"operation": {}, {}"value": {}, "hex": {}, "dtype": {}, )"
                     R"("count": {}, "level": {}}})",
                     input, json_tensor(given.tensor), json_string(given.op), keys,
                     nested(value, json_value),
                     is_floating(value.type()) ? nested(value, json_hex) : "null",
                     json_string(value.decimal() ? "decimal" : name(value.type())), given.count,
                     json_string(name(given.delivered)));
}

std::string json_axes(const loop_nest& axes) {
  std::string text;
  for (const auto& axis : axes)
    text += fmt::format(R"({}{{"extent": {}, "stride_bytes": {}}})", text.empty() ? "" : ", ",
                        axis.extent, axis.x_bytes);
  return "[" + text + "]";
}

std::string json_run(const run_facts& run) {
  std::string plans;
  for (const auto& plan : run.plans)
    plans += (plans.empty() ? "" : ", ") + (plan ? json_plan(*plan) : "null");
  const double rate = run.time_s > 0 ? double(run.bytes) / run.time_s : 0;
  const std::string warning =
      run.warning.empty() ? "" : R"(, "warning": )" + json_string(run.warning);
  return fmt::format(
      R"({{"device": {}, "plan": [{}], "threads": {}, "seconds": {}, "bytes_per_second": {}{}}})",
      json_string(run.device), plans, run.threads, to_decimal(number::from(run.time_s)),
      to_decimal(number::from(rate)), warning);
}

}  // namespace

std::string json_plan(const plan& plan) {
  std::string operations;
  for (const op op : plan.ops) operations.append(operations.empty() ? "" : ",").append(name(op));
  return fmt::format(
      R"({{"operation": {}, "input": {}, "accuracy": {}, "nan": {}, "shape": {}, )"
      R"("answers": {}, "kept": {}, "items": {}, "axes": {}, "origin_bytes": {}, "reading": {}, )"
      R"("chunk_items": {}, "chunks": {}, "threads": {}, "target": {}}})",
      json_string(operations), json_string(name(plan.input)), json_string(name(plan.accuracy)),
      json_string(name(plan.nan_policy)), json_string(name(plan.form)), plan.outputs,
      json_axes(plan.kept), plan.items, json_axes(plan.reduced), plan.origin.x_bytes,
      json_string(name(plan.reading)), plan.chunk_items, plan.chunks, plan.threads,
      json_string(plan.target));
}

std::string write_json(const report& done) {
  std::string answers;
  for (const answer& answer : done.answers)
    answers += (answers.empty() ? "" : ", ") + json_answer(answer);
  return fmt::format("{{\"schema\": 2, \"results\": [{}], \"run\": {}}}\n", answers,
                     json_run(done.run));
}

std::string write_json_error(const failure& why) {
  return fmt::format("{{\"schema\": 2, \"error\": {{{}, \"input\": {}}}}}\n", json_status(why),
                     why.input().empty() ? "null" : json_string(why.input()));
}

}  // namespace onefold::program
