// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/session.hpp"

#include "ladder/try/launch/performance.hpp"
#include "ladder/try/object/child.hpp"
#include "ladder/try/report/defects.hpp"
#include "ladder/try/report/events.hpp"
#include "ladder/try/source/source.hpp"

#include <fmt/format.h>

namespace onefold::ladder::learner {
namespace {

/// Debug information names the learner's file with the folder of the compilation or without, as
/// the compiler likes it; a report has it as it was typed.
void name_as_typed(simt::location& place, const std::string& file) {
  if (same_file(place.file, file)) place.file = file;
}

/// What the child's lines add up to.
class listener {
 public:
  listener(session_result& result, const std::string& file) : result_(result), file_(file) {}

  void hear(const json& event) {
    if (event.contains("setup")) set_up(event.at("setup"));
    if (event.contains("run")) add_run(event);
    if (event.contains("defect")) add_defect(defect_from(event.at("defect")));
    if (event.contains("cleared"))
      result_.cleared = event.at("cleared").get<std::vector<std::string>>();
    if (event.contains("infinite_sum_is_nan")) result_.infinite_sum_is_nan = true;
    if (event.contains("note")) {
      simt::location place = location_from(event.at("place"));
      name_as_typed(place, file_);
      result_.notes.push_back(simt::to_string(place) + ": " + event.at("note").get<std::string>());
    }
    if (event.contains("lost")) {
      result_.lost = fmt::format("n {}: {}", event.at("n").get<std::size_t>(),
                                 event.at("lost").get<std::string>());
    }
    if (event.contains("picture")) result_.picture = event.at("picture");
    if (event.contains("only_block")) result_.only_block = event.at("only_block").get<unsigned>();
    if (event.contains("untested")) result_.untested = event.at("untested");
    if (event.contains("better_block"))
      result_.better_block = event.at("better_block").get<unsigned>();
    if (event.contains("printed")) result_.printed = event.at("printed");
    if (event.contains("refused")) result_.refused = event.at("refused");
    if (event.contains("crash")) add_crash(event.at("crash"));
    ended_ |= event.contains("done") || event.contains("refused") || event.contains("crash");
  }

  bool ended() const { return ended_; }

 private:
  void set_up(const json& setup) {
    result_.type = setup.at("type");
    result_.op = setup.at("op");
    result_.data = shape_from(setup.at("data"));
    result_.block = shape_from(setup.at("block"));
    result_.grid = shape_from(setup.at("grid"));
    result_.suffix = setup.at("suffix");
    result_.expected = setup.at("expected");
    result_.guessed = setup.at("guessed");
    result_.assumed = setup.at("assumed");
    result_.launched = setup.at("launched");
    result_.one_reduction = setup.at("one_reduction");
    result_.untested = setup.at("untested").get<std::vector<std::string>>();
    result_.arguments = setup.at("arguments").get<std::vector<std::string>>();
  }

  /// The counted run comes first.
  void add_run(const json& event) {
    const bool counted = event.contains("counts");
    if (counted) result_.counts = counts_from(event.at("counts"));
    try_run run = run_from(event.at("run"));
    for (simt::finding& f : run.findings) {
      name_as_typed(f.place, file_);
      name_as_typed(f.other, file_);
    }
    name_as_typed(run.wrong_place, file_);
    result_.runs.insert(counted ? result_.runs.begin() : result_.runs.end(), std::move(run));
  }

  void add_defect(try_defect defect) {
    name_as_typed(defect.place, file_);
    result_.defects.push_back(std::move(defect));
  }

  void add_crash(const json& crash) {
    const simt::location place{crash.at("file").get<std::string>(), crash.at("line")};
    add_defect(defect_at("crash", place, crash.at("detail")));
  }

  session_result& result_;
  const std::string& file_;
  bool ended_ = false;
};

/// False where a line is not the executor's.
bool hear_all(const std::string& output, const transcript_seal& seal, listener& ears) try {
  const auto lines = seal.lines_of(output);
  if (!lines) return false;
  for (const std::string& line : *lines) ears.hear(json::parse(line));
  return true;
} catch (const json::exception&) {
  return false;
}

}  // namespace

session_result run_session(const session_plan& plan) {
  transcript_seal seal;
  const child_result child = run_child([&plan, &seal](int fd) { return perform(plan, seal, fd); },
                                       processor_limit(plan.limit_s));
  session_result result;
  listener ears(result, plan.file);
  const bool sealed = hear_all(child.output, seal, ears);
  result.interrupted = child.interrupted;
  result.out_of_time = child.out_of_time && !child.out_of_memory;
  if (!sealed) {
    result.runs.clear();
    result.counts.reset();
    result.defects = {
        defect_at("forged report", {}, "it wrote lines of its own between those of the executor")};
    return result;
  }
  if (child.out_of_memory) {
    result.defects.push_back(
        defect_at("crash", {},
                  fmt::format("it took more than {} GiB of memory: does a loop ask for more and "
                              "more?",
                              max_memory_bytes >> 30)));
  } else if (child.out_of_time) {
    result.defects.push_back(
        defect_at("no end", {},
                  fmt::format("the launches took more than {} s of a processor, or ten times that "
                              "on the clock: does a "
                              "loop without a memory access never end? if not, use a smaller --n",
                              plan.limit_s)));
  } else if (!ears.ended() && !child.interrupted) {
    result.defects.push_back(defect_at("crash", {},
                                       child.signal == 0
                                           ? std::string("it called exit")
                                           : fmt::format("signal {} ended it", child.signal)));
  }
  return result;
}

}  // namespace onefold::ladder::learner
