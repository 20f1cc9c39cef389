// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "commands/commands.hpp"
#include "commands/parts.hpp"
#include "failure.hpp"
#include "io/standard_streams.hpp"
#include "messages.hpp"
#include "report/units.hpp"

namespace onefold::program {
namespace {

std::string kind(const partial_sum& sum) {
  if (const auto* elements = std::get_if<state>(&sum)) return std::string(name(elements->input()));
  return "decimal text";
}

// Merges the inputs as they come; the answer does not depend on their order.
class totals {
 public:
  void add(const part& next) {
    count_ += next.given.count;
    if (std::holds_alternative<std::monostate>(sum_)) {
      sum_ = next.whole;
      return;
    }
    const std::string& input = *next.given.input;
    if (kind(sum_) != kind(next.whole))
      throw failure(messages::total_of_types(input, kind(next.whole), kind(sum_)), input);
    if (auto* elements = std::get_if<state>(&sum_))
      require(elements->try_merge(std::get<state>(next.whole)), input);
    else
      std::get<decimal_sum>(sum_).merge(std::get<decimal_sum>(next.whole));
  }

  answer value(const request& asked) const {
    const auto* elements = std::get_if<state>(&sum_);
    const number value = elements ? value_of(*elements, asked, "total")
                                  : value_of(std::get<decimal_sum>(sum_), asked, "total");
    return {std::nullopt, asked.operation, value, count_, level::exact};
  }

 private:
  partial_sum sum_;
  std::int64_t count_ = 0;
};

void check(const request& asked) {
  if (asked.total && asked.how.how == accuracy::fast) throw failure(messages::total_of_fast());
  if (std::count(asked.inputs.begin(), asked.inputs.end(), "-") > 1)
    throw failure(messages::stdin_twice(), "-");
}

void tell(const input& from, const part& done) {
  const bool text = from.format == file_format::text;
  complain(fmt::format("{:<12}{}\n{:<12}{}{}\n", "file", from.stream.name(), "format",
                       name(from.format), text ? "" : ", " + describe(from.described)));
  if (done.decided) complain(to_string(*done.decided));
}

void tell(const run_facts& run) {
  complain(fmt::format("{:<12}{}\n{:<12}{}, {}\n", "read", format_bytes(double(run.bytes)), "time",
                       format_seconds(run.time_s),
                       format_rate(run.time_s > 0 ? double(run.bytes) / run.time_s : 0)));
}

report reduce_inputs(const request& asked) {
  const auto start = std::chrono::steady_clock::now();
  report done;
  totals all;
  for (const std::string& name : asked.inputs) {
    input from = open_input(name, asked);
    part next =
        from.format == file_format::text ? sum_text(from, asked) : sum_elements(from, asked);
    if (asked.verbose) tell(from, next);
    if (asked.total) all.add(next);
    done.run.bytes += next.bytes;
    if (next.decided) done.run.threads = std::max(done.run.threads, next.decided->threads);
    done.run.plans.push_back(std::move(next.decided));
    done.answers.push_back(std::move(next.given));
  }
  if (asked.total) done.answers.push_back(all.value(asked));
  done.run.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return done;
}

}  // namespace

outcome run_sum(const request& asked) {
  check(asked);
  const report done = reduce_inputs(asked);
  if (asked.verbose) tell(done.run);
  switch (asked.style) {
  case report_style::json:
    return {write_json(done)};
  case report_style::tsv:
    return {write_tsv(done, asked.hex)};
  default:
    return {write_plain(done, asked.hex, !asked.output_path && is_terminal(STDOUT_FILENO))};
  }
}

}  // namespace onefold::program
