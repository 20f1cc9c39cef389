// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/main/program_report.hpp"
#include "ladder/try/main/program_rewrite.hpp"
#include "ladder/try/main/running_program.hpp"
#include "ladder/try/object/child.hpp"
#include "ladder/try/object/compiler.hpp"
#include "ladder/try/object/embedded.hpp"
#include "ladder/try/object/interrupts.hpp"
#include "ladder/try/report/events.hpp"
#include "ladder/try/source/source.hpp"
#include "simt/schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

namespace onefold::ladder {
namespace {

using namespace learner;

/// A library of device code that needs nvcc, with what to write instead.
struct library {
  const char *header, *name;
};
constexpr std::array libraries = {
    library{"cub/", "CUB"},         library{"thrust/", "Thrust"},    library{"cublas", "cuBLAS"},
    library{"curand", "cuRAND"},    library{"cusparse", "cuSPARSE"}, library{"cufft", "cuFFT"},
    library{"cuda/std", "libcu++"}, library{"nvrtc", "NVRTC"},
};

/// Fails: std::invalid_argument, with the line.
void refuse_libraries(const std::string& file, const std::string& text,
                      const std::vector<token>& tokens) {
  for (const token& t : tokens) {
    if (t.kind != token_kind::directive || t.text.find("include") == std::string::npos) continue;
    for (const library& l : libraries) {
      if (t.text.find(std::string("<") + l.header) == std::string::npos) continue;
      throw std::invalid_argument(
          fmt::format("{}:{}: {} is not supported; write the kernel out, or compile with nvcc",
                      file, line_of(text, t.begin), l.name));
    }
  }
}

bool offers(std::string_view header, const std::string& word) {
  for (std::size_t at = 0; (at = header.find(word, at)) != std::string_view::npos; ++at) {
    const char next = header[at + word.size()];
    if (std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '_') return true;
  }
  return false;
}

bool is_offered(const std::string& word) {
  const auto headers = embedded_headers();
  return std::any_of(headers.begin(), headers.end(),
                     [&word](const embedded_file& header) { return offers(header.text, word); });
}

/// Fails: std::invalid_argument, with the line, where the compiler stumbled over a name of CUDA's
/// host API that is not here.
void refuse_unknown_call(const std::string& file, const std::string& text,
                         const std::string& message) {
  for (const token& t : tokens_of(text)) {
    const std::string word(t.text);
    if (t.kind != token_kind::word || !word.starts_with("cuda") || is_offered(word)) continue;
    const bool unknown =
        message.find("\u2018" + word + "\u2019 was not declared") != std::string::npos ||
        message.find("'" + word + "' was not declared") != std::string::npos ||
        message.find("identifier '" + word + "'") != std::string::npos;
    if (!unknown) continue;
    throw std::invalid_argument(
        fmt::format("{}:{}: {} is not supported by --main; write the step with cudaMalloc, "
                    "cudaMemcpy and launches, or compile with nvcc",
                    file, line_of(text, t.begin), word));
  }
}

/// The compiler has seen main under another name.
std::string with_main_named(std::string message) {
  const std::string name = "onefold_learner_main";
  for (std::size_t at = 0; (at = message.find(name, at)) != std::string::npos;) {
    message.replace(at, name.size(), "main");
  }
  return message;
}

struct prepared_program {
  program_plan plan;
  std::string unit;
  std::string text;  ///< of the file
};

prepared_program prepare(const program_options& o) {
  const std::string text = read_source(o.file);
  const std::vector<token> tokens = tokens_of(text);
  refuse_libraries(o.file, text, tokens);
  if (!defines_main(tokens)) {
    throw std::invalid_argument(fmt::format(
        "{}: has no main; leave out --main to try a kernel, or write one that launches it",
        o.file));
  }
  prepared_program p;
  p.unit = program_unit(o.file, program_rewritten(text, o.file));
  p.plan.file = o.file;
  p.plan.arguments = o.arguments;
  p.plan.buffers = buffer_names(text, tokens);
  p.text = text;
  return p;
}

try_defect defect_of(const json& j) {
  try_defect d;
  d.kind = j.at("kind");
  d.place = location_from(j.at("place"));
  if (j.contains("other_place")) d.other = location_from(j.at("other_place"));
  d.detail = j.at("detail");
  d.times = j.at("times");
  return d;
}

try_defect ending_defect(const char* kind, std::string detail) {
  try_defect d;
  d.kind = kind;
  d.detail = std::move(detail);
  return d;
}

/// Adds what one run told: a defect of a place that is known already only counts.
class report_builder {
 public:
  explicit report_builder(program_report& report) : report_(report) {}

  void begin(simt::schedule order) {
    report_.runs.push_back({order, {}, {}});
    new_in_run_.clear();
    ended_ = false;
  }

  void take(const json& event) {
    if (event.contains("defect")) add(defect_of(event.at("defect")));
    if (event.contains("refused")) throw std::invalid_argument(event.at("refused"));
    if (event.contains("end")) end(event.at("end"));
  }

  void add(try_defect defect) {
    const auto known = std::find_if(report_.defects.begin(), report_.defects.end(),
                                    [&defect](const try_defect& d) {
                                      return d.kind == defect.kind && d.place == defect.place &&
                                             (!d.place.file.empty() || d.detail == defect.detail);
                                    });
    if (known == report_.defects.end()) {
      if (report_.runs.size() > 1) defect.where = to_string(report_.runs.back().order);
      new_in_run_.push_back(report_.defects.size());
      report_.defects.push_back(std::move(defect));
      return;
    }
    const auto at = static_cast<std::size_t>(known - report_.defects.begin());
    if (std::find(new_in_run_.begin(), new_in_run_.end(), at) != new_in_run_.end()) {
      known->times += defect.times;
    }
  }

  bool ended() const { return ended_; }

 private:
  void end(const json& event) {
    ended_ = true;
    if (event.contains("exit_code")) report_.runs.back().exit_code = event.at("exit_code");
    if (report_.runs.size() > 1) return;
    report_.measures_time = event.at("measures_time");
    report_.error = event.at("error");
    for (const json& l : event.at("launches")) {
      report_.launches.push_back(
          {l.at("line"), l.at("launch"), l.at("times"), counts_from(l.at("counts"))});
    }
  }

  program_report& report_;
  std::vector<std::size_t> new_in_run_;
  bool ended_ = false;
};

void take_lines(const std::string& output, report_builder& builder) {
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = output.find('\n', at);
    if (end == std::string::npos) return;  // the child was cut short in this line
    builder.take(json::parse(output.begin() + static_cast<std::ptrdiff_t>(at),
                             output.begin() + static_cast<std::ptrdiff_t>(end)));
    at = end + 1;
  }
}

std::string contents(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void add_ending(const child_result& child, double limit_s, report_builder& builder) {
  if (child.out_of_memory) {
    builder.add(ending_defect(
        "crash", fmt::format("it took more than {} GiB of memory", max_memory_bytes >> 30)));
  } else if (child.out_of_time) {
    builder.add(ending_defect(
        "no end",
        fmt::format(
            "it did not end within {} s of a processor, or ten times that on the clock: does a "
            "loop never end? if not, use less data or a larger --limit",
            limit_s)));
  } else if (!builder.ended()) {
    builder.add(ending_defect("crash", child.signal == 0
                                           ? std::string("it ended by _exit")
                                           : fmt::format("signal {} ended it", child.signal)));
  }
}

/// Whether the next schedule may run.
bool run_once(program_report& report, report_builder& builder, const program_plan& plan,
              double limit_s) {
  std::cout.flush();
  std::fflush(nullptr);  // or the child writes it again
  builder.begin(plan.order);
  const child_result child =
      run_child([&plan](int fd) -> int { run_program(plan, fd); }, processor_limit(limit_s));
  take_lines(child.output, builder);
  report.runs.back().output = contents(plan.output);
  if (child.interrupted) report.state = try_state::interrupted;
  if (child.interrupted) return false;
  add_ending(child, limit_s, builder);
  return !child.out_of_time && !child.out_of_memory;
}

void compile_and_run(program_report& report, prepared_program& p, const program_options& o) {
  const std::vector<simt::schedule> orders = orders_named(o.schedule);
  const interrupts_held held;
  const workshop place;
  const auto folder = std::filesystem::absolute(report.file).parent_path();
  const compiled object = compile(place, p.unit, folder.string());
  report.state = object.interrupted ? try_state::interrupted
                 : object.good      ? try_state::ran
                                    : try_state::not_compiled;
  if (report.state == try_state::not_compiled) {
    refuse_unknown_call(report.file, p.text, object.message);
    report.message = with_main_named(object.message);
  }
  if (report.state != try_state::ran) return;
  p.plan.object = object.object;
  p.plan.output = place.path("output.txt");
  report_builder builder(report);
  for (const simt::schedule order : orders) {
    p.plan.order = order;
    if (!run_once(report, builder, p.plan, o.limit_s.value_or(usual_run_limit_s))) return;
  }
}

}  // namespace

program_report try_program(const program_options& options) {
  const auto start = std::chrono::steady_clock::now();
  program_report report;
  report.file = options.file;
  report.arguments = options.arguments;
  try {
    prepared_program p = prepare(options);
    compile_and_run(report, p, options);
  } catch (const std::invalid_argument& error) {
    report.state = try_state::refused;
    report.message = error.what();
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace onefold::ladder
