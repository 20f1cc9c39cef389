// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/performance.hpp"

#include "ladder/try/coverage/coverage.hpp"
#include "ladder/try/coverage/launches.hpp"
#include "ladder/try/explain/explain.hpp"
#include "ladder/try/launch/attempt.hpp"
#include "ladder/try/launch/crash.hpp"
#include "ladder/try/launch/printed.hpp"
#include "ladder/try/launch/setup.hpp"
#include "ladder/try/object/confinement.hpp"
#include "ladder/try/report/defects.hpp"
#include "ladder/try/report/events.hpp"
#include "ladder/try/report/notes.hpp"
#include "ladder/try/watch/equal_stores.hpp"
#include "simt/schedules.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <set>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

class performance {
 public:
  performance(const session_plan& plan, const transcript_seal& seal, int fd)
      : plan_(plan), seal_(seal), fd_(fd) {}

  void play() {
    report_crashes(fd_, plan_.file, seal_);
    const entry& kernel = load();
    const decided_setup decided =
        decide_setup(plan_, kernel, structs_, [this](const decided_setup& s) { tell_setup(s); });
    tell_setup(decided);
    trials all(decided.trial);
    const bool ended = every_launch(all, decided) && gathered(all);
    if (failed_ && decided.guessed && !found_defect_) check_other_folds(all);
    if (ended && failed_) explain(all);
    if (const std::string svg = picture_of(all, plan_, shortest_); !svg.empty())
      tell({{"picture", svg}});
    compare_nans(all.setup().op);
    if (!all.second_answer().empty()) tell_defects({stale_variable(all)});
    tell({{"cleared", all.cleared()}});
  }

  void tell(const json& event) const {
    const std::string line =
        seal_.token() + event.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    [[maybe_unused]] const ssize_t written = write(fd_, line.data(), line.size());
  }

 private:
  void tell_setup(const decided_setup& decided) const {
    const trial_setup& t = decided.trial;
    json arguments = json::array();
    for (std::size_t i = 0; i < t.given.roles.size(); ++i) {
      std::string word = to_string(t.given.roles[i]);
      if (t.given.roles[i] == role::constant) word = fmt::format("{}", t.given.values[i]);
      arguments.push_back(fmt::format("{}={}", t.kernel.names[i], word));
    }
    const bool moves = only_moves(t.expectation) || t.expectation == expectation::file ||
                       t.expectation == expectation::position ||
                       t.expectation == expectation::fields;
    const std::string word = only_moves(t.expectation) ? "transpose"
                             : t.expectation == expectation::position
                                 ? fmt::format("arg{}", to_string(t.op))
                                 : "result";
    tell({{"setup",
           {{"type", type_name(t.input())},
            {"op", moves ? word : to_string(t.op)},
            {"data", to_json(t.shape.data)},
            {"block", to_json(t.shape.block)},
            {"grid", to_json(t.shape.grid)},
            {"suffix", suffix(t.expectation)},
            {"expected", decided.expected},
            {"guessed", decided.guessed},
            {"assumed", decided.assumed},
            {"launched", decided.launched},
            {"one_reduction", t.expectation == expectation::fold && t.shape.data.is_flat() &&
                                  t.shape.block.is_flat() && t.input().lanes == 1 &&
                                  !is_struct(t.input()) && !is_struct(t.output())},
            {"untested", decided.untested},
            {"arguments", arguments}}}});
  }

  const entry& load() {
    void* const object = dlopen(plan_.object.c_str(), RTLD_NOW | RTLD_LOCAL);
    const void* const found = object == nullptr ? nullptr : dlsym(object, entry_symbol);
    if (found != nullptr) {
      for (auto* s = static_cast<const parameter*>(dlsym(object, structs_symbol)); s->bytes != 0;
           ++s) {
        structs_.push_back(*s);
      }
      return *static_cast<const entry*>(found);
    }
    std::string why = dlerror();
    if (why.starts_with(plan_.object)) why = why.substr(plan_.object.size() + 2);
    throw std::invalid_argument(fmt::format(
        "the compiled kernel cannot be loaded: {}; a kernel may only call what it defines", why));
  }

  /// False when a launch made no progress: each further one would take as long.
  bool launch(trials& all, const trial_launch& launch, bool counted = false) {
    simt::counts counts;
    std::string printed;
    const std::clock_t begin = std::clock();
    try_run run = all.run(launch, nullptr, &counts, &printed);
    costs_[launch.order] = {run.n, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC};
    if (is_slow(run)) {
      tell_defects({too_slow(run)});
      return false;
    }
    take_notes(all, launch, run);
    if (run.block != all.setup().shape.block) {
      other_blocks_.emplace_back(launch, run);
      return true;
    }
    tell_run(launch, run, counted ? &counts : nullptr, printed);
    return !has(run, simt::defect::no_progress);
  }

  void tell_run(const trial_launch& launch, const try_run& run,
                const simt::counts* counts = nullptr, const std::string& printed = "") {
    if (run.keeps_nan) (*run.keeps_nan ? nan_kept_ : nan_left_) = run;
    if (!run.nan_answer.empty()) nan_lost_ = run;
    if (run.infinite_sum_is_nan) tell({{"infinite_sum_is_nan", true}});
    json event = {{"run", to_json(run)}};
    if (counts != nullptr) {
      event["counts"] = to_json(*counts);
      event["printed"] = printed;
    }
    tell(event);
    clean_ &= run.clean();
    right_once_ |= run.answer_right;
    found_defect_ |= !run.findings.empty();
    if (!has(run, simt::defect::no_progress) && run.n >= ended_n_) {
      ended_n_ = run.n;
      ended_accesses_ = std::max(ended_accesses_, run.most_accesses);
    }
    if (run.right()) return;
    failed_ = {launch, run.answer,
               has(run, simt::defect::bounds) || has(run, simt::defect::uninitialised)};
    if (!run.answer_right && (!shortest_ || run.n < shortest_->launch.data.volume()))
      shortest_ = failed_;
    if (run.n >= least_told && (!other_failed_ || run.n < other_failed_->launch.data.volume()))
      other_failed_ = failed_;
  }

  /// Lanes that wait for each other take the square of their number.
  bool costs_too_much(const trial_launch& launch, simt::schedule order) const {
    const auto known = costs_.find(order);
    if (known == costs_.end() || known->second.seconds < least_cost_s) return false;
    const double growth = static_cast<double>(launch.data.volume()) / known->second.n;
    const double most = most_cost_s * std::max(1.0, launch.data.volume() / double{usual_n});
    return known->second.seconds * std::max(1.0, growth * growth) > most;
  }

  /// Whether a lane that ran out of steps does what grows with the square of the length: then it
  /// would end.
  bool is_slow(const try_run& run) const {
    if (!has(run, simt::defect::no_progress) || ended_n_ == 0 || run.n <= ended_n_) return false;
    const double growth = static_cast<double>(run.n) / ended_n_;
    return steps_an_access * ended_accesses_ * growth * growth > run.most_accesses;
  }

  try_defect too_slow(const try_run& run) const {
    for (const simt::finding& f : run.findings) {
      if (f.kind != simt::defect::no_progress) continue;
      return defect_at("too slow", f.place,
                       fmt::format("{} at n {}; it has an end, for at n {} it came to it",
                                   f.detail.substr(0, f.detail.find(" without")), run.n, ended_n_));
    }
    return {};
  }

  static bool has(const try_run& run, simt::defect kind) {
    return std::any_of(run.findings.begin(), run.findings.end(),
                       [kind](const simt::finding& f) { return f.kind == kind; });
  }

  bool every_launch(trials& all, const decided_setup& decided) {
    const trial_setup& t = all.setup();
    const bool one_answer = t.expectation == expectation::file;
    const std::vector<trial_launch> list =
        launches_of({t.shape, one_answer ? geometry_request{} : decided.request, plan_.orders,
                     other_blocks(plan_, t), special_elements(plan_, t),
                     !t.one_cluster && !one_answer, fewer_blocks_are_enough(plan_, t)});
    const bool ended = std::all_of(list.begin(), list.end(), [&](trial_launch l) {
      const auto order = std::find_if(plan_.orders.begin(), plan_.orders.end(),
                                      [&](simt::schedule o) { return !costs_too_much(l, o); });
      if (costs_too_much(l, l.order)) {
        if (order == plan_.orders.end()) return skipped_ = true;
        l.order = *order;
      }
      return launch(all, l, l.input == input_kind::counting);
    });
    judge_blocks(t, decided.untested);
    return ended;
  }

  /// A shared array may be as long as the block that the kernel is made for, and a last warp may
  /// need a second one: then it is no defect, but said, that other blocks are wrong.
  void judge_blocks(const trial_setup& t, std::vector<std::string> untested) {
    if (!clean_) return;  // With other blocks the same is wrong, and perhaps more.
    const unsigned own = t.shape.block.x;
    std::map<unsigned, const try_run*> wrong;  // the one that says most
    for (const auto& [launch, run] : other_blocks_) {
      if (run.clean()) continue;
      const auto [at, first] = wrong.emplace(run.block.x, &run);
      if (!first && leaves_array(run)) at->second = &run;
    }
    const bool none_above = wrong.empty() || wrong.rbegin()->first < own;
    const auto& arrays = plan_.facts.arrays;
    const bool array = std::find(arrays.begin(), arrays.end(), own) != arrays.end();
    const bool all_below =
        std::all_of(other_blocks_.begin(), other_blocks_.end(), [&](auto& other) {
          const unsigned block = other.second.block.x;
          return wrong.contains(block) || wrong.empty() || block > wrong.rbegin()->first;
        });
    std::map<unsigned, const try_run*> unfit;
    for (const auto& [launch, run] : other_blocks_) {
      const auto found = wrong.find(run.block.x);
      const bool made_for =
          found == wrong.end() ||
          !(run.block.x < own ? none_above && (array || all_below) : leaves_array(*found->second));
      if (made_for) {
        tell_run(launch, run);
      } else {
        unfit[run.block.x] = found->second;
      }
    }
    if (!unfit.empty()) {
      std::vector<unsigned> blocks;
      for (const auto& [block, run] : unfit) blocks.push_back(block);
      const try_run& run = *unfit.begin()->second;
      untested.push_back(fmt::format("blocks of {}, which the kernel is not made for: with {} {}",
                                     fmt::join(blocks, ", "), run.block.x, run.verdict()));
    }
    if (skipped_) untested.emplace_back("some launches that would take too long here");
    tell({{"untested", untested}});
    if (!clean_) tell({{"only_block", own}});
  }

  static bool leaves_array(const try_run& run) {
    return std::any_of(run.findings.begin(), run.findings.end(), [](const simt::finding& f) {
      return f.kind == simt::defect::bounds && f.detail.find("past the end of '") != f.detail.npos;
    });
  }

  /// The values of a file's inputs come at a distance, so lanes that use them as places to add to
  /// never meet. Together they do; only the findings count.
  bool gathered(trials& all) {
    const trial_setup& t = all.setup();
    if (t.expectation != expectation::file || !has_equal_inputs(t)) return true;
    return launch(all, trial_launch::at_full(t.shape, plan_.orders.front(), input_kind::gathered));
  }

  /// A guess is no reason to call a mean or a norm wrong.
  void check_other_folds(trials& all) const {
    const trial_setup& t = all.setup();
    const char* const name = other_fold(t, *failed_, other_failed_.value_or(*failed_));
    const bool named = plan_.named_op || plan_.kernel.name.find("reduc") != std::string::npos;
    if (name == nullptr && (named || right_once_ || t.expectation != expectation::fold)) return;
    if (name == nullptr && other_failed_ && adds_up(all, other_failed_->launch, plan_)) return;
    const std::string why = name != nullptr ? fmt::format("looks like {} of the elements", name)
                                            : "is the sum of the elements at no length, nor their "
                                              "product, maximum or minimum";
    throw std::invalid_argument(
        fmt::format("I cannot judge this: the answer {}; say what it computes with --expect "
                    "FILE.npy, or with --expect sum, ... if that is meant",
                    why));
  }

  void explain(trials& all) {
    tell_defects(blamed_lines(all, *failed_));
    if (const auto block = better_block(all.setup())) tell({{"better_block", *block}});
    if (!shortest_) return;
    const std::string lost = lost_elements(all, shortest_->launch, plan_);
    if (!lost.empty()) tell({{"lost", lost}, {"n", shortest_->launch.data.volume()}});
  }

  /// Takes what is no defect out of the run's findings.
  void take_notes(trials& all, const trial_launch& launch, try_run& run) {
    for (const simt::finding& f : run.findings) {
      if (f.kind != simt::defect::race || !f.detail.starts_with("two writes") || equal_) continue;
      equal_stores watch;
      all.run(launch, &watch);
      equal_.emplace();
      for (const std::uintptr_t pc : watch.places()) equal_->push_back(simt::locate(pc));
    }
    const bool discards = discards_absent(all, launch, run);
    std::erase_if(run.findings, [&](const simt::finding& f) {
      const std::string note =
          discards && reads_absent(f)
              ? "a lane reads from a lane outside the mask, whose value is undefined, and discards "
                "it: the answer does not depend on it"
              : note_for(f, plan_.source, equal_.value_or(std::vector<simt::location>{}));
      if (!note.empty() && notes_.insert(note).second)
        tell({{"note", note}, {"place", to_json(f.place)}});
      return !note.empty();
    });
  }

  /// Whether a NaN stays has to be the same wherever it is.
  void compare_nans(reduction op) const {
    if (!clean_) return;
    const auto launch = [](const try_run& run) {
      return fmt::format("n {}, block {}, {}", run.n, to_string(run.block),
                         simt::to_string(run.order));
    };
    std::string detail;
    if (nan_lost_) {
      detail = fmt::format("the {} of elements with a NaN is {}, neither NaN nor the {} of the "
                           "others ({})",
                           to_string(op), nan_lost_->nan_answer, to_string(op), launch(*nan_lost_));
    } else if (nan_kept_ && nan_left_) {
      detail = fmt::format("the {} of elements with a NaN is sometimes NaN ({}) and sometimes the "
                           "{} of the others ({})",
                           to_string(op), launch(*nan_kept_), to_string(op), launch(*nan_left_));
    }
    if (!detail.empty()) tell_defects({defect_at("NaN", {}, detail)});
  }

  static try_defect stale_variable(const trials& all) {
    std::string names;
    for (const device_variable& v : all.setup().variables) {
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", v.place.name);
    }
    return defect_at("stale variable", {},
                     fmt::format("a second launch gives {}: the first leaves {} changed",
                                 all.second_answer(), names));
  }

  void tell_defects(const std::vector<try_defect>& defects) const {
    for (const try_defect& d : defects) tell({{"defect", to_json(d)}});
  }

  const session_plan& plan_;
  const transcript_seal& seal_;
  int fd_;
  std::vector<parameter> structs_;                              ///< those that the file has
  std::vector<std::pair<trial_launch, try_run>> other_blocks_;  ///< launches with another block
  struct cost {
    std::size_t n;
    double seconds;
  };
  // A launch of a usual kernel takes 40 ms of a processor at the usual length, a short one 2 ms.
  static constexpr double least_cost_s = 0.02, most_cost_s = 0.5;
  static constexpr double steps_an_access = 4;
  std::map<simt::schedule, cost> costs_;         ///< of the last launch
  bool skipped_ = false;                         ///< a launch, for its cost
  std::size_t ended_n_ = 0;                      ///< the longest that ended
  std::uint64_t ended_accesses_ = 0;             ///< there, by one lane
  bool clean_ = true;                            ///< every run so far
  bool right_once_ = false;                      ///< the answer of a run
  std::optional<blame> failed_, shortest_;       ///< the last, which is the longest; the shortest
  std::optional<blame> other_failed_;            ///< the shortest of many elements
  static constexpr std::size_t least_told = 31;  ///< of fewer elements any answer may be chance
  std::optional<try_run> nan_kept_, nan_left_, nan_lost_;  ///< the last of each
  std::optional<std::vector<simt::location>> equal_;       ///< lines that store what others store
  std::set<std::string> notes_;
  bool found_defect_ = false;
};

}  // namespace

int perform(const session_plan& plan, transcript_seal& seal, int fd) {
  capture_prints();
  seal.forget();
  confine_process();
  performance act(plan, seal, fd);
  try {
    act.play();
    act.tell({{"done", true}});
  } catch (const std::exception& error) {
    act.tell({{"refused", error.what()}});
  }
  return 0;
}

}  // namespace onefold::ladder::learner
