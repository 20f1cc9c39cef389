// SPDX-License-Identifier: Apache-2.0
// `onefold doctor`: the facts of this machine, and checks with their remedies.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/commands.hpp"
#include "io/standard_streams.hpp"
#include "onefold/machine.hpp"
#include "onefold/onefold.hpp"
#include "report/escape.hpp"
#include "report/report.hpp"
#include "report/units.hpp"

namespace onefold::program {
namespace {

enum class finding : unsigned char { ok, note, problem };

constexpr const char* finding_names[] = {"ok", "note", "problem"};
constexpr const char* finding_colours[] = {"\x1b[32m", "\x1b[33m", "\x1b[1;31m"};

struct check {
  finding found = finding::ok;
  std::string subject;
  std::string text;
  std::string remedy;  ///< empty if none is needed
};

const char* compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

check simd(const machine_facts& facts) {
  check line{finding::ok, "simd",
             fmt::format("{} of {} (this CPU runs {})", facts.target_active,
                         fmt::join(facts.targets_compiled, " "),
                         fmt::join(facts.targets_supported, " ")),
             ""};
  if (!facts.target_refused.empty()) {
    line.found = finding::problem;
    line.remedy = fmt::format("ONEFOLD_SIMD asks for {}, which is not among them; unset it, or "
                              "name one of these",
                              facts.target_refused);
  } else if (!facts.targets_supported.empty() &&
             facts.targets_supported[0] != facts.target_active) {
    line.found = finding::note;
    line.remedy = "ONEFOLD_SIMD holds the faster ones back; unset it for speed";
  }
  return line;
}

check threads(const machine_facts& facts) {
  check line{finding::ok, "threads",
             fmt::format("{} ({}), {}", facts.threads, facts.threads_reason, facts.threads_backend),
             ""};
  const char* setting = std::getenv("ONEFOLD_THREADS");
  if (setting != nullptr && facts.threads_reason != "ONEFOLD_THREADS") {
    line.found = finding::problem;
    line.remedy = "ONEFOLD_THREADS is not a number from 1 to 4096 and was not used; correct or "
                  "unset it";
  } else if (facts.threads_reason == "cgroup quota") {
    line.found = finding::note;
    line.remedy = "the container's CPU quota allows no more; raise it for speed";
  }
  return line;
}

check environment(const machine_facts& facts) {
  if (facts.callers_environment.empty())
    return {finding::ok, "rounding", "to nearest, subnormals kept", ""};
  return {finding::note, "rounding", facts.callers_environment,
          "onefold sets its own while it works and puts this back; answers do not change"};
}

check arithmetic(const machine_facts& facts) {
  if (facts.arithmetic_sound) return {finding::ok, "arithmetic", "IEEE 754, as written", ""};
  return {finding::problem, "arithmetic", "this build does not compute as IEEE 754 says",
          "build again without -ffast-math, -fassociative-math and their kind"};
}

// Answers that a plain loop computes wrong, each for another reason.
bool known_answers() {
  const std::vector<double> overflow{1e308, 1e308, -1e308};
  const std::vector<double> tenths(10, 0.1);
  const std::vector<double> lost{1, 1e100, 1, -1e100};
  const std::vector<double> tiny(3, std::numeric_limits<double>::denorm_min());
  const std::vector<std::uint8_t> bytes(300, 255);
  const auto is = [](const auto& data, auto expected) {
    const auto got = try_sum(data);
    return got.ok() && *got == expected;
  };
  return is(overflow, 1e308) && is(tenths, 1.0) && is(lost, 2.0) &&
         is(tiny, 3 * std::numeric_limits<double>::denorm_min()) && is(bytes, 76500u);
}

check answers() {
  if (known_answers())
    return {finding::ok, "answers", "five sums with known answers are right", ""};
  return {finding::problem, "answers", "a sum with a known answer is wrong",
          "do not use this build; please report it with this page"};
}

std::vector<check> gpus(const machine_facts& facts) {
  if (facts.gpus.empty()) {
    // The reason, and after the first semicolon the remedy.
    const std::string& why = facts.gpu_why_none;
    const auto cut = std::min(why.find("; "), why.size());
    return {
        {finding::note, "cuda", why.substr(0, cut), cut < why.size() ? why.substr(cut + 2) : ""}};
  }
  std::vector<check> lines;
  for (std::size_t i = 0; i < facts.gpus.size(); ++i)
    lines.push_back({finding::ok, "cuda",
                     fmt::format("cuda:{} {}, {} (driver {}, runtime {})", i, facts.gpus[i].name,
                                 format_bytes(double(facts.gpus[i].memory_bytes)),
                                 facts.cuda_driver, facts.cuda_runtime),
                     ""});
  return lines;
}

std::vector<check> examine() {
  const machine_facts facts = describe_machine();
  std::vector<check> lines = {{finding::ok, "version", "onefold " ONEFOLD_VERSION_STRING, ""},
                              {finding::ok, "compiler", compiler(), ""},
                              {finding::ok, "cpu", facts.cpu, ""},
                              simd(facts),
                              threads(facts),
                              environment(facts),
                              arithmetic(facts),
                              answers()};
  for (check& line : gpus(facts)) lines.push_back(std::move(line));
  return lines;
}

std::string plain(const std::vector<check>& checks, bool colour) {
  std::string text;
  for (const check& line : checks) {
    const auto found = static_cast<unsigned>(line.found);
    text += fmt::format("{}{:<8}{}{:<12}{}\n", colour ? finding_colours[found] : "",
                        finding_names[found], colour ? "\x1b[0m" : "", line.subject, line.text);
    if (!line.remedy.empty()) text += fmt::format("{:<20}{}\n", "", line.remedy);
  }
  return text;
}

std::string json(const std::vector<check>& checks) {
  std::string lines;
  for (const check& line : checks)
    lines += fmt::format(
        R"({}{{"finding": "{}", "subject": "{}", "text": {}, "remedy": {}}})",
        lines.empty() ? "" : ", ", finding_names[static_cast<unsigned>(line.found)], line.subject,
        json_string(line.text), line.remedy.empty() ? "null" : json_string(line.remedy));
  return fmt::format("{{\"schema\": 1, \"checks\": [{}]}}\n", lines);
}

}  // namespace

outcome run_doctor(const request& request) {
  const auto checks = examine();
  int exit_code = 0;
  for (const check& line : checks)
    if (line.found == finding::problem) exit_code = 1;
  if (request.style == report_style::json) return {json(checks), exit_code};
  const bool colour = !request.output_path && takes_colour(STDOUT_FILENO);
  return {plain(checks, colour), exit_code};
}

}  // namespace onefold::program
