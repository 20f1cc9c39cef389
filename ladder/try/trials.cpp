// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/trials.hpp"

#include "simt/device.hpp"

#include <algorithm>

namespace onefold::ladder::learner {
namespace {

// An endless loop is seen at the first pause of a lane; one lane that folds everything alone takes
// a few basic blocks for each element.
constexpr std::uint64_t least_step_budget = std::uint64_t{1} << 16;
constexpr std::uint64_t steps_an_element = 4;

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
        values_(input_values(launch.input, setup_.op, setup_.input(), launch.n)),
        arguments_(setup_.roles.size()) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (setup_.roles[i] != role::input) arguments_[i] = argument_for(i);
    }
    // Last: what is read past its end is no other buffer.
    const std::size_t in = index_of(setup_.roles, role::input);
    arguments_[in].pointer = place_input(setup_.names[in]);
  }

  try_run run(simt::observer* extra) {
    device_.attach(watch_);
    if (extra != nullptr) device_.attach(*extra);
    running_watch = &watch_;
    setup_.kernel.launch(device_, config(), arguments_.data());
    running_watch = nullptr;
    try_run result{launch_.n,           launch_.grid,        launch_.order,   {}, {}, false,
                   watch_.never_read(), watch_.read_again(), device_.report()};
    judge(result);
    return result;
  }

  std::set<std::string> to_clear() const {
    std::set<std::string> names;
    for (std::size_t i = 0; i < followed_.size(); ++i) {
      const std::string& name = setup_.names[followed_[i]];
      if (watch_.read_first(i) && !cleared_.contains(name)) names.insert(name);
    }
    return names;
  }

  simt::counts counts() const { return device_.counts(); }

 private:
  simt::launch_config config() const {
    const std::size_t item = size_bytes(setup_.output());
    return {.grid = {launch_.grid},
            .block = {setup_.block},
            .dynamic_shared_bytes = setup_.shared_bytes.value_or(setup_.block * item),
            .order = launch_.order,
            .step_budget = std::max(least_step_budget, steps_an_element * launch_.n)};
  }

  void* place_input(const std::string& name) {
    const std::vector<std::byte> bytes = bytes_of(setup_.input(), values_);
    void* const at = device_.memory().copy(std::span(bytes), name);
    watch_.follow_input({device_.memory().offset_of(at), bytes.size()}, size_bytes(setup_.input()));
    return at;
  }

  argument argument_for(std::size_t i) {
    switch (setup_.roles[i]) {
    case role::output:
      return {.pointer =
                  place(i, setup_.output(), launch_.grid, identity(setup_.op, setup_.output()))};
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

  void* place(std::size_t i, scalar type, std::size_t count, number clear) {
    const std::size_t bytes = count * size_bytes(type);
    simt::arena& memory = device_.memory();
    auto* at = memory.allocate<std::byte>(bytes, setup_.names[i]);
    if (cleared_.contains(setup_.names[i])) {
      for (std::size_t k = 0; k < bytes; k += size_bytes(type)) store(type, at + k, clear);
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
    std::vector<number> outputs;
    for (unsigned b = 0; b < launch_.grid; ++b)
      outputs.push_back(load(type, at_output_ + b * item));
    const number all = folded(setup_.op, type, outputs);
    const number expected = folded(setup_.op, type, values_);
    const bool only_first = !watch_.wrote(output_, item, launch_.grid * item);
    const number answer = only_first ? outputs.front() : all;
    result.answer_right = watch_.wrote(output_, 0, item) && (answer == expected || all == expected);
    result.answer = to_text(type, answer);
    result.expected = to_text(type, expected);
  }

  const trial_setup& setup_;
  const std::set<std::string>& cleared_;
  trial_launch launch_;
  std::vector<number> values_;
  simt::device device_;
  buffer_watch watch_;
  std::byte* at_output_ = nullptr;
  std::size_t output_ = 0;             ///< in the watch's numbering
  std::vector<std::size_t> followed_;  ///< parameter of each followed buffer
  std::vector<argument> arguments_;
};

unsigned trials::grid_at(std::size_t n) const {
  const auto blocks = [](std::size_t elements, std::size_t a_block) {
    return static_cast<unsigned>(std::max<std::size_t>(1, (elements + a_block - 1) / a_block));
  };
  const std::size_t a_lane = blocks(setup_.n, std::size_t{setup_.grid} * setup_.block);
  return n == setup_.n ? setup_.grid : blocks(n, a_lane * setup_.block);
}

number trials::expected(const trial_launch& launch) const {
  return folded(setup_.op, setup_.output(),
                input_values(launch.input, setup_.op, setup_.input(), launch.n));
}

try_run trials::run(const trial_launch& launch, simt::observer* extra, simt::counts* counts) {
  while (true) {
    attempt now(*this, launch);
    try_run result = now.run(extra);
    const std::set<std::string> more = now.to_clear();
    cleared_.insert(more.begin(), more.end());
    if (!more.empty()) continue;
    if (counts != nullptr) *counts = now.counts();
    return result;
  }
}

}  // namespace onefold::ladder::learner
