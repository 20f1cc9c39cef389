// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/performance.hpp"

#include "ladder/try/launch/crash.hpp"
#include "ladder/try/launch/trials.hpp"
#include "ladder/try/report/defects.hpp"
#include "ladder/try/report/events.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

class performance {
 public:
  performance(const session_plan& plan, int fd) : plan_(plan), fd_(fd) {}

  void play() {
    report_crashes(fd_, plan_.file);
    trials all(set_up());
    const bool ended = short_lengths(all) && full_length(all);
    if (ended && failed_) explain(all);
    if (!all.second_answer().empty()) tell_defects({stale_variable(all)});
    tell({{"cleared", all.cleared()}});
  }

  void tell(const json& event) const {
    const std::string line = event.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    [[maybe_unused]] const ssize_t written = write(fd_, line.data(), line.size());
  }

 private:
  trial_setup set_up() const {
    const entry& kernel = loaded();
    const kernel_source& source = plan_.kernel;
    check_parameters(kernel, source.parameter_names, source.parameters);
    const std::size_t blocks = (plan_.n + plan_.block - 1) / plan_.block;
    trial_setup setup{.kernel = kernel,
                      .roles = {},
                      .names = source.parameter_names,
                      .variables = device_variables(),
                      .op = plan_.op,
                      .n = plan_.n,
                      .block = plan_.block,
                      .grid = plan_.grid.value_or(static_cast<unsigned>(blocks)),
                      .shared_bytes = plan_.shared_bytes};
    tell_first_guess(setup);
    const std::vector<pointer_use> uses = uses_of_pointers(setup);
    setup.roles =
        roles_of(kernel, source.parameter_names, source.parameters, plan_.arguments, uses);
    setup.asked = task_of(setup, uses);
    const char* const type = to_string(setup.input());
    if (!plan_.type.empty() && plan_.type != type) {
      throw std::invalid_argument(
          fmt::format("--type {}: the kernel's elements are {}", plan_.type, type));
    }
    tell_setup(setup);
    return setup;
  }

  /// By names alone, for the report of a crash in the first launch; nothing if they do not do.
  void tell_first_guess(trial_setup setup) const {
    try {
      setup.roles = roles_of(setup.kernel, setup.names, plan_.kernel.parameters, plan_.arguments);
    } catch (const std::invalid_argument&) {
      return;
    }
    tell_setup(setup);
  }

  void tell_setup(const trial_setup& setup) const {
    json arguments = json::array();
    for (std::size_t i = 0; i < setup.roles.size(); ++i) {
      arguments.push_back(fmt::format("{}={}", setup.names[i], to_string(setup.roles[i])));
    }
    tell({{"setup",
           {{"type", to_string(setup.input())},
            {"grid", setup.grid},
            {"of", suffix(setup.asked)},
            {"arguments", arguments},
            {"takes_length", setup.takes_length()}}}});
  }

  /// A kernel of two inputs that leaves more values than blocks leaves one for each pair.
  static task task_of(const trial_setup& setup, const std::vector<pointer_use>& uses) {
    if (indices_of(setup.roles, role::input).size() == 1) return task::fold;
    const std::size_t out = index_of(setup.roles, role::output);
    if (uses[out].elements_written > setup.grid) return task::pairs;
    if (setup.op == reduction::sum) return task::products;
    throw std::invalid_argument(
        fmt::format("--op {}: of two inputs, try checks the sum of their products, or one result "
                    "for each pair; use --op sum",
                    to_string(setup.op)));
  }

  const entry& loaded() const {
    void* const object = dlopen(plan_.object.c_str(), RTLD_NOW | RTLD_LOCAL);
    const void* const found = object == nullptr ? nullptr : dlsym(object, entry_symbol);
    if (found != nullptr) return *static_cast<const entry*>(found);
    std::string why = dlerror();
    if (why.starts_with(plan_.object)) why = why.substr(plan_.object.size() + 2);
    throw std::invalid_argument(fmt::format(
        "the compiled kernel cannot be loaded: {}; a kernel may only call what it defines", why));
  }

  /// False when a launch made no progress: each further one would take as long.
  bool launch(trials& all, const trial_launch& how, bool counted = false) {
    simt::counts counts;
    const try_run run = all.run(how, nullptr, &counts);
    json event = {{"run", to_json(run)}};
    if (counted) event["counts"] = to_json(counts);
    tell(event);
    if (!run.right()) {
      failed_ = how;
      strange_memory_ = has(run, simt::defect::bounds) || has(run, simt::defect::uninitialised);
    }
    return !has(run, simt::defect::no_progress);
  }

  static bool has(const try_run& run, simt::defect kind) {
    return std::any_of(run.findings.begin(), run.findings.end(),
                       [kind](const simt::finding& f) { return f.kind == kind; });
  }

  bool every_order(trials& all, std::size_t n) {
    return std::all_of(plan_.orders.begin(), plan_.orders.end(), [&](simt::schedule order) {
      return launch(all, {n, order, input_kind::random, all.grid_at(n)});
    });
  }

  /// A kernel that takes no length cannot know of a tail.
  bool short_lengths(trials& all) {
    if (!all.setup().takes_length() || plan_.n == 1) return true;
    return every_order(all, 1) && (plan_.n == 2 || every_order(all, plan_.n - 1));
  }

  bool full_length(trials& all) {
    return launch(all, {plan_.n, plan_.orders.front(), input_kind::counting, all.setup().grid},
                  true) &&
           every_order(all, plan_.n);
  }

  /// Which line is to blame, and whether another launch would do: of the longest that failed.
  void explain(trials& all) {
    trial_launch how = *failed_;
    how.order = simt::schedule::forward;
    const trial_setup& setup = all.setup();
    // What a lane reads past the end, or before it is written, is no identity of anyone's choice.
    if (const auto expected = all.expected(how); expected && !strange_memory_) {
      tell_defects(wrong_identities(stored(all, how), setup.op, setup.output(), *expected));
    }
    how.input = input_kind::wide;
    tell_defects(wrong_operators(stored(all, how), setup.op, setup.asked == task::products));
    try_half_the_grid(all);
    try_smaller_block(setup);
  }

  void try_half_the_grid(trials& all) const {
    const unsigned half = (all.setup().grid + 1) / 2;
    if (plan_.grid || half == all.setup().grid) return;
    if (is_clean(all, half)) tell({{"better_grid", half}});
  }

  /// A tree that halves its block loses elements where a half is odd.
  void try_smaller_block(trial_setup setup) const {
    const unsigned whole = std::bit_floor(setup.block);
    if (whole == setup.block) return;
    const std::size_t lanes = std::size_t{setup.grid} * setup.block;
    setup.block = whole;
    setup.grid = static_cast<unsigned>((lanes + whole - 1) / whole);
    trials other(setup);
    tell({{"better_block", is_clean(other, setup.grid) ? whole : 0}});
  }

  bool is_clean(trials& all, unsigned grid) const {
    return all.run({plan_.n, simt::schedule::forward, input_kind::random, grid}).clean();
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

  static stored_lines stored(trials& all, const trial_launch& how) {
    store_watch watch(all.setup().output());
    all.run(how, &watch);
    return watch.lines();
  }

  void tell_defects(const std::vector<try_defect>& defects) const {
    for (const try_defect& d : defects) tell({{"defect", to_json(d)}});
  }

  const session_plan& plan_;
  int fd_;
  std::optional<trial_launch> failed_;  ///< the last, which is the longest
  bool strange_memory_ = false;         ///< it used memory outside a buffer, or unwritten
};

/// A kernel's printf would be told by every lane of every launch.
void be_silent() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
}

}  // namespace

int perform(const session_plan& plan, int fd) {
  be_silent();
  performance act(plan, fd);
  try {
    act.play();
    act.tell({{"done", true}});
  } catch (const std::exception& error) {
    act.tell({{"refused", error.what()}});
  }
  return 0;
}

}  // namespace onefold::ladder::learner
