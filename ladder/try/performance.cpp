// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/performance.hpp"

#include "ladder/try/crash.hpp"
#include "ladder/try/defects.hpp"
#include "ladder/try/events.hpp"
#include "ladder/try/trials.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
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
    tell({{"cleared", all.cleared()}});
  }

  void tell(const json& event) const {
    const std::string line = event.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    [[maybe_unused]] const ssize_t written = write(fd_, line.data(), line.size());
  }

 private:
  trial_setup set_up() const {
    const entry& kernel = loaded();
    const auto roles =
        roles_of(kernel, plan_.kernel.parameter_names, plan_.kernel.parameters, plan_.arguments);
    const std::size_t blocks = (plan_.n + plan_.block - 1) / plan_.block;
    trial_setup setup{kernel,
                      roles,
                      plan_.kernel.parameter_names,
                      plan_.op,
                      plan_.n,
                      plan_.block,
                      plan_.grid.value_or(static_cast<unsigned>(blocks)),
                      plan_.shared_bytes};
    const char* const type = to_string(setup.input());
    if (!plan_.type.empty() && plan_.type != type) {
      throw std::invalid_argument(
          fmt::format("--type {}: the kernel's elements are {}", plan_.type, type));
    }
    json arguments = json::array();
    for (std::size_t i = 0; i < roles.size(); ++i) {
      arguments.push_back(fmt::format("{}={}", setup.names[i], to_string(roles[i])));
    }
    tell({{"setup",
           {{"type", type},
            {"grid", setup.grid},
            {"arguments", arguments},
            {"takes_length", setup.takes_length()}}}});
    return setup;
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

  /// Which line is to blame, and whether another grid would do: of the longest launch that failed.
  void explain(trials& all) {
    trial_launch how = *failed_;
    how.order = simt::schedule::forward;
    // What a lane reads past the end, or before it is written, is no identity of anyone's choice.
    if (!strange_memory_) {
      tell_defects(wrong_identities(stored(all, how), all.setup().op, all.setup().output(),
                                    all.expected(how)));
    }
    how.input = input_kind::wide;
    tell_defects(wrong_operators(stored(all, how), all.setup().op));
    const unsigned half = (all.setup().grid + 1) / 2;
    how = {plan_.n, simt::schedule::forward, input_kind::random, half};
    if (!plan_.grid && half < all.setup().grid && all.run(how).clean())
      tell({{"better_grid", half}});
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
