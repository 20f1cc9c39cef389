// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/trials.hpp"

#include "simt/device.hpp"
#include "simt/loaded_objects.hpp"

#include <algorithm>
#include <cstring>

namespace onefold::ladder::learner {
namespace {

// An endless loop is seen at the first pause of a lane; one lane that folds everything alone takes
// a few basic blocks for each element.
constexpr std::uint64_t least_step_budget = std::uint64_t{1} << 16;
constexpr std::uint64_t steps_an_element = 4;

simt::launch_config launch_config_of(const trial_setup& setup, const trial_launch& launch,
                                     std::size_t item_bytes) {
  return {.grid = {launch.grid},
          .block = {setup.block},
          .dynamic_shared_bytes = setup.shared_bytes.value_or(setup.block * item_bytes),
          .order = launch.order,
          .step_budget = std::max(least_step_budget, steps_an_element * launch.n)};
}

void restore(const std::vector<device_variable>& variables) {
  for (const device_variable& v : variables) {
    std::memcpy(reinterpret_cast<void*>(v.place.address), v.first_bytes.data(),
                v.first_bytes.size());
  }
}

const buffer_watch* running_watch = nullptr;

std::vector<std::byte> bytes_of(scalar type, const std::vector<number>& values) {
  const unsigned item = size_bytes(type);
  std::vector<std::byte> bytes(values.size() * item);
  for (std::size_t i = 0; i < values.size(); ++i) store(type, bytes.data() + i * item, values[i]);
  return bytes;
}

}  // namespace

std::uintptr_t last_access_pc() {
  return running_watch == nullptr ? 0 : running_watch->last_pc();
}

/// One launch on a device of its own.
class trials::attempt {
 public:
  attempt(const trials& of, const trial_launch& launch)
      : setup_(of.setup_), cleared_(of.cleared_), launch_(launch),
        values_(input_values(setup_.asked, launch.input, setup_.op, setup_.input(), launch.n)),
        answers_(answers(setup_.asked, setup_.op, setup_.output(), values_)),
        arguments_(setup_.roles.size()) {
    restore(setup_.variables);
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (setup_.roles[i] != role::input) arguments_[i] = argument_for(i);
    }
    // Last: what is read past its end is no other buffer.
    const std::vector<std::size_t> inputs = indices_of(setup_.roles, role::input);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      arguments_[inputs[k]].pointer = place_input(setup_.names[inputs[k]], values_[k]);
    }
  }

  try_run run(simt::observer* extra) {
    device_.attach(watch_);
    if (extra != nullptr) device_.attach(*extra);
    launch();
    try_run result{launch_.n,           launch_.grid,        launch_.order,   {}, {}, false,
                   watch_.never_read(), watch_.read_again(), device_.report()};
    judge(result);
    counts_ = device_.counts();
    tell_waits(result.findings);
    return result;
  }

  /// The answer of one more launch, if it is wrong. The host has taken the first answer, and has
  /// cleared what it cleared before.
  std::string wrong_second_answer() {
    const std::size_t item = size_bytes(setup_.output());
    constexpr int poison = 0xFF;
    std::memset(at_output_, poison, outputs() * item);
    watch_.forget_writes(output_);
    for (const host_cleared& c : host_cleared_) clear(c);
    launch();
    if (!watch_.wrote(output_, 0, item)) return "no answer";
    try_run again;
    judge(again);
    return again.answer_right ? "" : again.answer;
  }

  std::set<std::string> to_clear() const {
    std::set<std::string> names;
    for (std::size_t i = 0; i < followed_.size(); ++i) {
      const std::string& name = setup_.names[followed_[i]];
      if (watch_.read_first(i) && !cleared_.contains(name)) names.insert(name);
    }
    return names;
  }

  const simt::counts& counts() const { return counts_; }

 private:
  void launch() {
    running_watch = &watch_;
    setup_.kernel.launch(device_, launch_config_of(setup_, launch_, size_bytes(setup_.output())),
                         arguments_.data());
    running_watch = nullptr;
  }

  /// A wait for another block and a loop without an end look alike to the executor.
  void tell_waits(std::vector<simt::finding>& findings) {
    const std::optional<std::size_t> word = watch_.polled_offset();
    if (!word) return;
    const simt::buffer* const near = device_.memory().nearest(*word);
    for (simt::finding& f : findings) {
      if (f.kind != simt::defect::no_progress || near == nullptr) continue;
      f.detail = "a lane reads one word of '" + near->name +
                 "' again and again, and waits for another block to change it";
    }
  }

  void* place_input(const std::string& name, const numbers& values) {
    const std::vector<std::byte> bytes = bytes_of(setup_.input(), values);
    void* const at = device_.memory().copy(std::span(bytes), name);
    watch_.follow_input({device_.memory().offset_of(at), bytes.size()}, size_bytes(setup_.input()));
    return at;
  }

  std::size_t outputs() const { return setup_.asked == task::pairs ? launch_.n : launch_.grid; }

  argument argument_for(std::size_t i) {
    switch (setup_.roles[i]) {
    case role::output:
      return {.pointer =
                  place(i, setup_.output(), outputs(), identity(setup_.op, setup_.output()))};
    case role::scratch:
      return {.pointer = place(i, setup_.kernel.parameters[i].type,
                               std::max<std::size_t>(launch_.n, launch_.grid), 0)};
    case role::length:
      return {.integer = launch_.n};
    case role::flag:
    case role::input:
      break;
    }
    return {.integer = 0};
  }

  /// A buffer, and the value that the host clears it with.
  struct host_cleared {
    std::byte* at;
    std::size_t bytes;
    scalar type;
    number value;
  };

  static void clear(const host_cleared& c) {
    for (std::size_t k = 0; k < c.bytes; k += size_bytes(c.type)) store(c.type, c.at + k, c.value);
  }

  void* place(std::size_t i, scalar type, std::size_t count, number cleared_value) {
    const std::size_t bytes = count * size_bytes(type);
    simt::arena& memory = device_.memory();
    auto* at = memory.allocate<std::byte>(bytes, setup_.names[i]);
    if (cleared_.contains(setup_.names[i])) {
      host_cleared_.push_back({at, bytes, type, cleared_value});
      clear(host_cleared_.back());
      memory.mark_written(memory.offset_of(at), bytes);
    }
    if (setup_.roles[i] == role::output) {
      at_output_ = at;
      output_ = followed_.size();
    }
    followed_.push_back(i);
    watch_.follow({memory.offset_of(at), bytes});
    return at;
  }

  void judge(try_run& result) const {
    const scalar type = setup_.output();
    const std::size_t item = size_bytes(type);
    numbers found;
    for (std::size_t i = 0; i < outputs(); ++i) found.push_back(load(type, at_output_ + i * item));
    if (setup_.asked == task::pairs) return judge_pairs(result, found);
    const number all = folded(setup_.op, type, found);
    const number expected = answers_.front();
    const bool only_first = !watch_.wrote(output_, item, launch_.grid * item);
    const number answer = only_first ? found.front() : all;
    result.answer_right = watch_.wrote(output_, 0, item) && (answer == expected || all == expected);
    result.answer = to_text(type, answer);
    result.expected = to_text(type, expected);
  }

  void judge_pairs(try_run& result, const numbers& found) const {
    const scalar type = setup_.output();
    const std::size_t item = size_bytes(type);
    result.answer = result.expected = std::to_string(found.size()) + " results";
    result.answer_right = true;
    for (std::size_t i = found.size(); i-- > 0;) {
      if (found[i] == answers_[i] && watch_.wrote(output_, i * item, (i + 1) * item)) continue;
      result.answer_right = false;
      result.answer = to_text(type, found[i]) + " at element " + std::to_string(i);
      result.expected = to_text(type, answers_[i]);
    }
  }

  const trial_setup& setup_;
  const std::set<std::string>& cleared_;
  trial_launch launch_;
  std::vector<numbers> values_;  ///< of each input
  numbers answers_;
  simt::device device_;
  simt::counts counts_;
  buffer_watch watch_;
  std::byte* at_output_ = nullptr;
  std::size_t output_ = 0;             ///< in the watch's numbering
  std::vector<std::size_t> followed_;  ///< parameter of each followed buffer
  std::vector<host_cleared> host_cleared_;
  std::vector<argument> arguments_;
};

unsigned trials::grid_at(std::size_t n) const {
  const auto blocks = [](std::size_t elements, std::size_t a_block) {
    return static_cast<unsigned>(std::max<std::size_t>(1, (elements + a_block - 1) / a_block));
  };
  const std::size_t a_lane = blocks(setup_.n, std::size_t{setup_.grid} * setup_.block);
  return n == setup_.n ? setup_.grid : blocks(n, a_lane * setup_.block);
}

std::optional<number> trials::expected(const trial_launch& launch) const {
  if (setup_.asked == task::pairs) return {};
  return answers(setup_.asked, setup_.op, setup_.output(),
                 input_values(setup_.asked, launch.input, setup_.op, setup_.input(), launch.n))
      .front();
}

try_run trials::run(const trial_launch& launch, simt::observer* extra, simt::counts* counts) {
  while (true) {
    attempt now(*this, launch);
    try_run result = now.run(extra);
    const std::set<std::string> more = now.to_clear();
    cleared_.insert(more.begin(), more.end());
    if (!more.empty()) continue;
    if (counts != nullptr) *counts = now.counts();
    const bool again = !setup_.variables.empty() && extra == nullptr && result.clean();
    if (again && second_answer_.empty()) second_answer_ = now.wrong_second_answer();
    return result;
  }
}

std::vector<device_variable> device_variables() {
  simt::refresh_loaded_segments();
  std::vector<device_variable> variables;
  for (const simt::memory_object& o :
       simt::tagged_objects(simt::device_tag, simt::arena::alignment_bytes)) {
    const auto* const at = reinterpret_cast<const std::byte*>(o.address);
    variables.push_back({o, {at, at + o.size_bytes}});
  }
  return variables;
}

std::vector<pointer_use> uses_of_pointers(const trial_setup& setup) {
  restore(setup.variables);
  simt::device device;
  buffer_watch watch;
  std::vector<argument> arguments(setup.kernel.count);
  std::vector<std::size_t> pointers;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const parameter& p = setup.kernel.parameters[i];
    arguments[i].integer = p.how == passed::integer ? setup.n : 0;
    if (p.how != passed::pointer && p.how != passed::const_pointer) continue;
    const std::size_t bytes = std::max<std::size_t>(setup.n, setup.grid) * size_bytes(p.type);
    const std::vector<std::byte> zeros(bytes);
    void* const at = device.memory().copy(std::span(zeros), setup.names[i]);
    watch.follow({device.memory().offset_of(at), bytes});
    arguments[i].pointer = at;
    pointers.push_back(i);
  }
  device.attach(watch);
  running_watch = &watch;
  const trial_launch full{setup.n, simt::schedule::forward, input_kind::random, setup.grid};
  constexpr std::size_t widest = sizeof(double);
  setup.kernel.launch(device, launch_config_of(setup, full, widest), arguments.data());
  running_watch = nullptr;
  std::vector<pointer_use> uses(arguments.size());
  for (std::size_t k = 0; k < pointers.size(); ++k) {
    const std::size_t i = pointers[k];
    uses[i] = {watch.read(k), watch.written_bytes(k) / size_bytes(setup.kernel.parameters[i].type)};
  }
  return uses;
}

}  // namespace onefold::ladder::learner
