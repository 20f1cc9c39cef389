// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/performance.hpp"

#include "ladder/try/launch/attempt.hpp"
#include "ladder/try/launch/crash.hpp"
#include "ladder/try/launch/printed.hpp"
#include "ladder/try/launch/setup.hpp"
#include "ladder/try/object/confinement.hpp"
#include "ladder/try/report/defects.hpp"
#include "ladder/try/report/events.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
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
    const bool ended = shorter(all, decided.request) && full_shape(all);
    if (ended && failed_) explain(all);
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
    const try_run run = all.run(launch, nullptr, &counts, &printed);
    json event = {{"run", to_json(run)}};
    if (counted) {
      event["counts"] = to_json(counts);
      event["printed"] = printed;
    }
    tell(event);
    if (!run.right()) {
      failed_ = launch;
      strange_memory_ = has(run, simt::defect::bounds) || has(run, simt::defect::uninitialised);
    }
    return !has(run, simt::defect::no_progress);
  }

  static bool has(const try_run& run, simt::defect kind) {
    return std::any_of(run.findings.begin(), run.findings.end(),
                       [kind](const simt::finding& f) { return f.kind == kind; });
  }

  bool every_order(trials& all, const try_shape& data) {
    return std::all_of(plan_.orders.begin(), plan_.orders.end(), [&](simt::schedule order) {
      return launch(all, {data, order, input_kind::random, all.grid_at(data)});
    });
  }

  /// A kernel that takes no length cannot know of a tail; a file has one answer.
  bool shorter(trials& all, const geometry_request& request) {
    const trial_setup& t = all.setup();
    if (t.expectation == expectation::file) return true;
    const std::vector<try_shape> list = shorter_shapes(t.shape, request);
    return std::all_of(list.begin(), list.end(),
                       [&](const try_shape& data) { return every_order(all, data); });
  }

  bool full_shape(trials& all) {
    const geometry& shape = all.setup().shape;
    return launch(all, {shape.data, plan_.orders.front(), input_kind::counting, shape.grid},
                  true) &&
           every_order(all, shape.data) && gathered(all);
  }

  /// The values of a file's inputs come at a distance, so lanes that use them as places to add to
  /// never meet. Together they do; only the findings count.
  bool gathered(trials& all) {
    const trial_setup& t = all.setup();
    if (t.expectation != expectation::file || !has_equal_inputs(t)) return true;
    return launch(all, {t.shape.data, plan_.orders.front(), input_kind::gathered, t.shape.grid});
  }

  /// Which line is to blame, and whether another launch would do: of the longest that failed.
  void explain(trials& all) {
    trial_launch blamed = *failed_;
    blamed.order = simt::schedule::forward;
    const trial_setup& t = all.setup();
    if (t.shape.rule == grid_rule::elements && t.shape.flat && !t.one_cluster) {
      explain_lines(all, blamed);
      try_half_the_grid(all);
      try_smaller_block(t);
    }
  }

  /// By what lines store of the values that they load: of numbers of one type.
  void explain_lines(trials& all, trial_launch blamed) const {
    const trial_setup& t = all.setup();
    const scalar type = t.output().type;
    const bool pairs =
        t.expectation == expectation::pairs || t.expectation == expectation::products;
    const bool one_type = t.input().type == type && t.input().lanes == 1 && t.output().lanes == 1 &&
                          !is_struct(t.input()) && !is_struct(t.output());
    if (!one_type || !(pairs || t.expectation == expectation::fold)) return;
    // What a lane reads past the end, or before it is written, is no identity of anyone's choice.
    if (const auto expected = all.expected(blamed); expected && !strange_memory_) {
      tell_defects(wrong_identities(stored(all, blamed), t.op, type, *expected));
    }
    blamed.input = input_kind::wide;
    tell_defects(
        wrong_operators(stored(all, blamed), t.op, t.expectation == expectation::products));
  }

  void try_half_the_grid(trials& all) const {
    const unsigned grid = all.setup().shape.grid.x, half = (grid + 1) / 2;
    if (plan_.grid || half == grid) return;
    if (is_clean(all, half)) tell({{"better_grid", half}});
  }

  /// A tree that halves its block loses elements where a half is odd.
  void try_smaller_block(trial_setup setup) const {
    const unsigned block = setup.shape.block.x, whole = std::bit_floor(block);
    if (whole == block) return;
    const std::size_t lanes = std::size_t{setup.shape.grid.x} * block;
    setup.shape.block = {whole};
    setup.shape.grid = {static_cast<unsigned>((lanes + whole - 1) / whole)};
    trials other(setup);
    tell({{"better_block", is_clean(other, setup.shape.grid) ? whole : 0}});
  }

  static bool is_clean(trials& all, const try_shape& grid) {
    const try_shape data = all.setup().shape.data;
    return all.run({data, simt::schedule::forward, input_kind::random, grid}).clean();
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

  static stored_lines stored(trials& all, const trial_launch& launch) {
    store_watch watch(all.setup().output().type);
    all.run(launch, &watch);
    return watch.lines();
  }

  void tell_defects(const std::vector<try_defect>& defects) const {
    for (const try_defect& d : defects) tell({{"defect", to_json(d)}});
  }

  const session_plan& plan_;
  const transcript_seal& seal_;
  int fd_;
  std::vector<parameter> structs_;      ///< those that the file has
  std::optional<trial_launch> failed_;  ///< the last, which is the longest
  bool strange_memory_ = false;         ///< it used memory outside a buffer, or unwritten
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
