// SPDX-License-Identifier: Apache-2.0
// Answers for programs. The numbers are written by to_decimal, because the JSON library neither
// knows f16 and f32 nor writes the same digits as the plain report.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/report.hpp"

namespace onefold::program {
namespace {

std::string json_text(std::string_view text) {
  return json_string(std::string(text));
}

std::string json_value(const number& value) {
  return is_finite(value) ? to_decimal(value) : json_text(to_decimal(value));
}

std::string json_hex(const number& value) {
  return is_floating(value.type()) ? json_text(to_hex(value)) : "null";
}

std::string json_answer(const answer& given) {
  return fmt::format(R"({{"input": {}, "operation": {}, "value": {}, "hex": {}, "dtype": {}, )"
                     R"("count": {}, "level": {}}})",
                     given.input ? json_text(*given.input) : "null", json_text(name(given.what)),
                     json_value(given.value), json_hex(given.value),
                     json_text(name(given.value.type())), given.count,
                     json_text(name(given.delivered)));
}

std::string json_run(const run_facts& run) {
  std::string plans;
  for (const auto& each : run.plans)
    plans += (plans.empty() ? "" : ", ") + (each ? json_plan(*each) : "null");
  const double rate = run.time_s > 0 ? double(run.bytes) / run.time_s : 0;
  return fmt::format(
      R"({{"device": "cpu", "plan": [{}], "threads": {}, "seconds": {}, "bytes_per_second": {}}})",
      plans, run.threads, to_decimal(number::of(run.time_s)), to_decimal(number::of(rate)));
}

}  // namespace

std::string json_string(const std::string& text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string json_plan(const plan& decided) {
  std::string axes;
  for (const auto& axis : decided.axes)
    axes += fmt::format(R"({}{{"extent": {}, "stride_bytes": {}}})", axes.empty() ? "" : ", ",
                        axis.extent, axis.stride_bytes);
  return fmt::format(R"({{"operation": {}, "input": {}, "accuracy": {}, "shape": {}, )"
                     R"("items": {}, "axes": [{}], "origin_bytes": {}, "reading": {}, )"
                     R"("chunk_items": {}, "chunks": {}, "threads": {}, "target": {}}})",
                     json_text(name(decided.what)), json_text(name(decided.input)),
                     json_text(name(decided.how)), json_text(name(decided.form)), decided.items,
                     axes, decided.origin_bytes, json_text(name(decided.reading)),
                     decided.chunk_items, decided.chunks, decided.threads,
                     json_text(decided.target));
}

std::string write_json(const report& done) {
  std::string answers;
  for (const answer& each : done.answers)
    answers += (answers.empty() ? "" : ", ") + json_answer(each);
  return fmt::format("{{\"schema\": 1, \"results\": [{}], \"run\": {}}}\n", answers,
                     json_run(done.run));
}

std::string write_json_error(const failure& why) {
  return fmt::format(
      "{{\"schema\": 1, \"error\": {{\"status\": {}, \"message\": {}, \"input\": {}}}}}\n",
      json_text(name(why.why().code())), json_string(why.why().message()),
      why.input().empty() ? "null" : json_string(why.input()));
}

}  // namespace onefold::program
