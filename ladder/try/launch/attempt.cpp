// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/attempt.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace onefold::ladder::learner {
namespace {

// An endless loop is seen at the first pause of a lane; one lane that folds everything alone takes
// a few basic blocks for each element.
constexpr std::uint64_t least_step_budget = std::uint64_t{1} << 16;
constexpr std::uint64_t steps_an_element = 4;
constexpr int poison = 0xFF;

simt::shape shape_of(const try_shape& s) {
  return {s.x, s.y, s.z};
}

std::vector<std::byte> bytes_of(scalar type, const numbers& values) {
  const unsigned item = size_bytes(type);
  std::vector<std::byte> bytes(values.size() * item);
  for (std::size_t i = 0; i < values.size(); ++i) store(type, bytes.data() + i * item, values[i]);
  return bytes;
}

}  // namespace

simt::launch_config launch_config_of(const trial_setup& setup, const trial_launch& launch,
                                     std::size_t item_bytes) {
  const std::uint64_t elements = launch.data.volume() * setup.lanes;
  return {.grid = shape_of(launch.grid),
          .block = shape_of(setup.shape.block),
          .dynamic_shared_bytes =
              setup.shared_bytes.value_or(setup.shape.block.volume() * item_bytes),
          .order = launch.order,
          .step_budget = std::max(least_step_budget, steps_an_element * elements),
          .cluster = setup.one_cluster ? launch.grid.x : 1};
}

argument number_argument(const trial_setup& setup, std::size_t i, const try_shape& data) {
  argument given{.integer = 0};
  switch (setup.given.roles[i]) {
  case role::length:
    given.integer = setup.shape.length_at(data, setup.lanes);
    break;
  case role::width:
    given.integer = data.x;
    break;
  case role::height:
    given.integer = data.y;
    break;
  case role::depth:
    given.integer = data.z;
    break;
  case role::constant:
    if (setup.at(i).kind == passed::real) {
      given.real = setup.given.values[i];
    } else {
      given.integer =
          static_cast<unsigned long long>(static_cast<long long>(setup.given.values[i]));
    }
    break;
  default:
    break;
  }
  return given;
}

void restore(const std::vector<device_variable>& variables) {
  for (const device_variable& v : variables) {
    std::memcpy(reinterpret_cast<void*>(v.place.address), v.first_bytes.data(),
                v.first_bytes.size());
  }
}

std::vector<numbers> inputs_of(const trial_setup& setup, const trial_launch& launch) {
  return input_values({setup.asked, launch.input, setup.op, setup.input().type, setup.output().type,
                       launch.data.volume() * setup.input().lanes, setup.given.inputs().size()});
}

numbers answers_of(const trial_setup& setup, const trial_launch& launch,
                   const std::vector<numbers>& inputs) {
  if (setup.asked == expectation::file) return setup.file_answer;
  return answers({setup.asked, setup.op, setup.output().type, launch.data, setup.input().lanes},
                 inputs);
}

attempt::attempt(const trial_setup& setup, const std::set<std::string>& cleared,
                 const trial_launch& launch)
    : setup_(setup), cleared_(cleared), launch_(launch), values_(inputs_of(setup, launch)),
      answers_(answers_of(setup, launch, values_)), arguments_(setup.given.roles.size()) {
  restore(setup_.variables);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const role r = setup_.given.roles[i];
    if (r == role::input || r == role::in_place) continue;
    if (r == role::output || r == role::scratch) {
      arguments_[i].pointer = place(i);
    } else {
      arguments_[i] = number_argument(setup_, i, launch_.data);
    }
  }
  // Last: what is read past its end is no other buffer.
  const std::vector<std::size_t> inputs = setup_.given.inputs();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    arguments_[inputs[k]].pointer = place_input(inputs[k], values_[k]);
  }
}

try_run attempt::run(simt::observer* extra) {
  device_.attach(watch_);
  if (extra != nullptr) device_.attach(*extra);
  launch();
  try_run result;
  result.n = launch_.data.volume();
  result.data = launch_.data;
  result.grid = launch_.grid;
  result.order = launch_.order;
  if (is_one_value(setup_.asked) && !setup_.in_place()) result.never_read = watch_.never_read();
  result.read_again = watch_.read_again();
  result.findings = device_.report();
  judge(result);
  counts_ = device_.counts();
  say_what_waits(result.findings);
  return result;
}

std::string attempt::wrong_second_answer() {
  const std::size_t item = size_bytes(setup_.output().type);
  std::memset(at_output_, poison, outputs() * item);
  watch_.forget_writes(output_);
  for (const host_cleared& c : host_cleared_) clear(c);
  launch();
  if (!watch_.wrote(output_, 0, item)) return "no answer";
  try_run again;
  judge(again);
  return again.answer_right ? "" : again.answer;
}

std::set<std::string> attempt::to_clear() const {
  std::set<std::string> names;
  for (std::size_t i = 0; i < followed_.size(); ++i) {
    const std::string& name = setup_.kernel.names[followed_[i]];
    const bool filled = setup_.given.roles[followed_[i]] == role::in_place;
    if (watch_.read_first(i) && !filled && !cleared_.contains(name)) names.insert(name);
  }
  return names;
}

void attempt::launch() {
  const std::size_t item = std::size_t{size_bytes(setup_.output().type)} * setup_.output().lanes;
  launch_watched(setup_, device_, watch_, launch_config_of(setup_, launch_, item), arguments_);
}

/// A wait for another block and a loop without an end look alike to the executor.
void attempt::say_what_waits(std::vector<simt::finding>& findings) {
  const std::optional<std::size_t> word = watch_.polled_offset();
  if (!word) return;
  const simt::buffer* const near = device_.memory().nearest(*word);
  for (simt::finding& f : findings) {
    if (f.kind != simt::defect::no_progress || near == nullptr) continue;
    f.detail = "a lane reads one word of '" + near->name +
               "' again and again, and waits for another block to change it";
  }
}

void* attempt::place_input(std::size_t i, const numbers& values) {
  const scalar type = setup_.at(i).type;
  const std::vector<std::byte> bytes = bytes_of(type, values);
  void* const at = device_.memory().copy(std::span(bytes), setup_.kernel.names[i]);
  const buffer_watch::extent place{device_.memory().offset_of(at), bytes.size()};
  watch_.follow_input(place, size_bytes(type));
  if (setup_.given.roles[i] != role::in_place) return at;
  at_output_ = static_cast<std::byte*>(at);
  output_ = followed_.size();
  followed_.push_back(i);
  watch_.follow(place, size_bytes(type));
  return at;
}

void* attempt::place(std::size_t i) {
  const bool is_output = setup_.given.roles[i] == role::output;
  const parameter& p = setup_.at(i);
  const std::size_t items = std::max(launch_.data.volume(), launch_.grid.volume());
  const std::size_t bytes =
      is_output ? outputs() * size_bytes(p.type) : items * std::max(p.bytes, size_bytes(p.type));
  simt::arena& memory = device_.memory();
  auto* at = memory.allocate<std::byte>(bytes, setup_.kernel.names[i]);
  if (cleared_.contains(setup_.kernel.names[i])) {
    host_cleared_.push_back(
        {at, bytes, p.type, is_output ? identity(setup_.op, p.type) : number{0}});
    clear(host_cleared_.back());
    memory.mark_written(memory.offset_of(at), bytes);
  }
  if (is_output) {
    at_output_ = at;
    output_ = followed_.size();
  }
  followed_.push_back(i);
  watch_.follow({memory.offset_of(at), bytes}, is_output ? size_bytes(p.type) : 0);
  return at;
}

void attempt::clear(const host_cleared& c) {
  if (c.type == scalar::other) {
    std::memset(c.at, 0, c.bytes);
    return;
  }
  for (std::size_t k = 0; k < c.bytes; k += size_bytes(c.type)) store(c.type, c.at + k, c.value);
}

std::size_t attempt::partial_answers_count() const {
  const std::size_t blocks = launch_.grid.volume(), lanes = setup_.shape.block.volume();
  if (setup_.partial == partial_answers::of_lanes) return blocks * lanes;
  if (setup_.partial == partial_answers::of_blocks) return blocks;
  return blocks * ((lanes + simt::max_warp_lanes - 1) / simt::max_warp_lanes);
}

std::size_t attempt::outputs() const {
  const unsigned lanes = setup_.output().lanes;
  if (setup_.in_place()) return launch_.data.volume() * lanes;
  if (is_one_value(setup_.asked)) return partial_answers_count() * lanes;
  const bool lines = setup_.asked == expectation::rows || setup_.asked == expectation::columns;
  return lines ? answers_.size() * lanes : answers_.size();
}

}  // namespace onefold::ladder::learner
