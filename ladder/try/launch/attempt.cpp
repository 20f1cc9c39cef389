// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/attempt.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace onefold::ladder::learner {
namespace {

// An endless loop is seen at the first pause of a lane; one lane that folds everything alone takes
// a few basic blocks for each element.
constexpr std::uint64_t least_step_budget = std::uint64_t{1} << 16;
constexpr std::uint64_t steps_an_element = 4;
// A tile needs two barriers, and is one element at least.
constexpr std::uint64_t least_barrier_budget = std::uint64_t{1} << 13;
constexpr std::uint64_t barriers_an_element = 2;
constexpr int poison = 0xFF;

simt::shape shape_of(const try_shape& s) {
  return {s.x, s.y, s.z};
}

/// Integers wrap; the greatest of 64 bits are no doubles, and are meant by what they round to.
unsigned long long integer_of(double value) {
  constexpr auto all = std::numeric_limits<unsigned long long>::max();
  if (value >= 0x1p64) return all;
  if (value >= 0x1p63) return all / 2;
  return static_cast<unsigned long long>(static_cast<long long>(value));
}

/// The floating type of the answer with the fewest bits, in which sums have to be exact.
scalar narrowest_output(const trial_setup& setup) {
  scalar found = setup.output().type;
  for (const component& part : layout_of(setup.output()).parts) {
    const bool less = !is_floating(found) || exact_bits(part.type) < exact_bits(found);
    if (is_floating(part.type) && less) found = part.type;
  }
  return found;
}

bool has_squares(const record_rule& rule) {
  return std::any_of(rule.begin(), rule.end(),
                     [](const record_number& r) { return r.meaning == number_meaning::squares; });
}

/// Dynamic shared memory of one lane: an element of the answer; where indices or structs go with
/// the elements, room for both.
std::size_t shared_item_bytes(const trial_setup& setup, const element_layout& output) {
  const element_layout input = layout_of(setup.input());
  if (setup.expectation == expectation::position && output.width() == 1) {
    return input.bytes + output.bytes;
  }
  if (!is_struct(setup.input()) && !is_struct(setup.output())) return output.bytes;
  return std::max(input.bytes, output.bytes);
}

}  // namespace

simt::launch_config launch_config_of(const trial_setup& setup, const trial_launch& launch,
                                     std::size_t item_bytes) {
  const std::uint64_t elements = launch.data.volume() * setup.lanes;
  return {.grid = shape_of(launch.grid),
          .block = shape_of(launch.block),
          .dynamic_shared_bytes = setup.shared_bytes.value_or(launch.block.volume() * item_bytes),
          .order = launch.order,
          .seed = launch.seed,
          .step_budget = std::max(least_step_budget, steps_an_element * elements),
          .barrier_budget = std::max(least_barrier_budget, barriers_an_element * elements),
          .cluster = setup.one_cluster ? launch.grid.x : launch.together,
          .absent = launch.absent.value_or(simt::launch_config{}.absent)};
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
      given.integer = integer_of(setup.given.values[i]);
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
  if (launch.elements != nullptr) {
    std::vector<numbers> inputs(setup.given.inputs().size(),
                                numbers(launch.elements->size(), number{1}));
    inputs[launch.of_input] = *launch.elements;
    return inputs;
  }
  return input_values({setup.expectation, launch.input, setup.op, setup.input().type,
                       narrowest_output(setup), launch.data.volume() * setup.input().lanes,
                       setup.given.inputs().size(), has_squares(setup.rule), setup.input_parts,
                       launch.seed});
}

bool has_choice_of_nan(const trial_setup& setup, const trial_launch& launch) {
  return launch.input == input_kind::nan && selects(setup.op);
}

bool has_equal_inputs(const trial_setup& setup) {
  if (!setup.input_parts.empty()) return false;
  const auto sorted = inputs_of(
      setup, trial_launch::at_full(setup.shape, simt::schedule::forward, input_kind::gathered));
  return std::any_of(sorted.begin(), sorted.end(), [](const numbers& input) {
    return std::adjacent_find(input.begin(), input.end()) != input.end();
  });
}

/// A maximum may be that of the numbers; attempt::judge_one_value takes a NaN, too.
std::vector<numbers> without_nan(std::vector<numbers> inputs) {
  std::erase_if(inputs.front(), [](number value) { return value != value; });
  return inputs;
}

numbers answers_of(const trial_setup& setup, const trial_launch& launch,
                   const std::vector<numbers>& inputs) {
  if (setup.expectation == expectation::file) return setup.file_answer;
  const std::size_t width = layout_of(setup.input()).width();
  if (setup.of_records()) return record_of(setup.rule, {inputs.front(), width});
  std::vector<scalar> types;
  for (const component& part : layout_of(setup.output()).parts) types.push_back(part.type);
  return answers({setup.expectation, setup.op, setup.output().type, launch.data,
                  static_cast<unsigned>(width), types},
                 has_choice_of_nan(setup, launch) ? without_nan(inputs) : inputs);
}

attempt::attempt(const trial_setup& setup, const std::set<std::string>& cleared,
                 const trial_launch& launch)
    : setup_(setup), cleared_(cleared), launch_(launch), values_(inputs_of(setup, launch)),
      answers_(answers_of(setup, launch, values_)), layout_(layout_of(setup.output())),
      arguments_(setup.given.roles.size()) {
  restore(setup_.variables);
  for (const parameter& p : setup_.structs) device_.know_struct(held_bytes(p));
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
  result.block = launch_.block;
  result.together = launch_.together;
  result.order = launch_.order;
  result.elements = to_string(launch_.input);
  result.gathered = launch_.input == input_kind::gathered;
  const bool one_value = is_one_value(setup_.expectation) && !setup_.in_place();
  // Of a struct a kernel may need some fields, and some of them twice.
  if (!is_struct(setup_.input())) {
    if (one_value) result.never_read = watch_.never_read();
    result.read_again = watch_.read_again();
  }
  result.findings = device_.report();
  // Of blocks that run together the executor takes some ordered accesses for races; one after the
  // other shows all of them.
  if (launch_.together > 1 && !setup_.one_cluster) {
    std::erase_if(result.findings, [](const auto& f) { return f.kind == simt::defect::race; });
  }
  judge(result);
  result.most_accesses = watch_.most_accesses();
  counts_ = device_.counts();
  say_what_waits(result.findings);
  return result;
}

std::string attempt::wrong_second_answer() {
  std::memset(at_output_, poison, outputs() / layout_.width() * layout_.bytes);
  watch_.forget_writes(output_);
  for (const host_cleared& c : host_cleared_) clear(c);
  launch();
  if (!wrote(0, layout_.width())) return "no answer";
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
  launch_watched(setup_, device_, watch_,
                 launch_config_of(setup_, launch_, shared_item_bytes(setup_, layout_)), arguments_);
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
  const element_layout layout = layout_of(setup_.at(i));
  const unsigned item = is_struct(setup_.at(i)) ? layout.bytes : size_bytes(layout.parts[0].type);
  const std::vector<std::byte> bytes = bytes_of(layout, values);
  void* const at = device_.memory().copy(std::span(bytes), setup_.kernel.names[i]);
  const buffer_watch::extent place{device_.memory().offset_of(at), bytes.size()};
  watch_.follow_input(place, item);
  if (setup_.given.roles[i] != role::in_place) return at;
  at_output_ = static_cast<std::byte*>(at);
  output_ = followed_.size();
  followed_.push_back(i);
  watch_.follow(place, item);
  return at;
}

void* attempt::place(std::size_t i) {
  const bool is_output = setup_.given.roles[i] == role::output;
  const parameter& p = setup_.at(i);
  const std::size_t items = std::max(launch_.data.volume(), launch_.grid.volume());
  const std::size_t bytes =
      is_output ? (outputs() + layout_.width() - 1) / layout_.width() * layout_.bytes
                : items * std::max(p.bytes, size_bytes(p.type));
  simt::arena& memory = device_.memory();
  auto* at = memory.allocate<std::byte>(bytes, setup_.kernel.names[i]);
  if (cleared_.contains(setup_.kernel.names[i])) {
    host_cleared_.push_back({at, bytes, layout_of(p), start_of(p, is_output)});
    clear(host_cleared_.back());
    memory.mark_written(memory.offset_of(at), bytes);
  }
  if (is_output) {
    at_output_ = at;
    output_ = followed_.size();
  }
  followed_.push_back(i);
  const unsigned item = is_struct(p) ? p.bytes : size_bytes(p.type);
  watch_.follow({memory.offset_of(at), bytes}, is_output ? item : 0);
  return at;
}

void attempt::clear(const host_cleared& c) {
  std::memset(c.at, 0, c.bytes);
  if (c.values.empty()) return;
  const std::size_t count = c.bytes / c.layout.bytes * c.layout.width();
  for (std::size_t i = 0; i < count; ++i) {
    store(c.layout.type_of(i), c.at + c.layout.offset_of(i), c.values[i % c.layout.width()]);
  }
}

/// What the host clears an element of the answer with; of other buffers zeros, which is empty.
numbers attempt::start_of(const parameter& p, bool is_output) const {
  if (!is_output || p.type == scalar::other) return {};
  if (setup_.of_records()) return identities(setup_.rule);
  numbers values;
  for (const component& part : layout_of(p).parts) {
    values.push_back(identity(setup_.op, part.type));
  }
  return values;
}

bool attempt::wrote(std::size_t first_number, std::size_t last_number) const {
  for (std::size_t i = first_number; i < last_number; ++i) {
    const std::size_t at = layout_.offset_of(i);
    if (!watch_.wrote(output_, at, at + size_bytes(layout_.type_of(i)))) return false;
  }
  return true;
}

std::size_t attempt::partial_answers_count() const {
  const std::size_t blocks = launch_.grid.volume(), lanes = launch_.block.volume();
  if (setup_.partial == partial_answers::of_lanes) return blocks * lanes;
  if (setup_.partial == partial_answers::of_blocks) return blocks;
  return blocks * ((lanes + simt::max_warp_lanes - 1) / simt::max_warp_lanes);
}

std::size_t attempt::outputs() const {
  const std::size_t lanes = layout_.width();
  if (setup_.in_place()) return launch_.data.volume() * lanes;
  if (is_one_value(setup_.expectation)) return partial_answers_count() * lanes;
  const bool lines =
      setup_.expectation == expectation::rows || setup_.expectation == expectation::columns;
  return lines ? answers_.size() * lanes : answers_.size();
}

}  // namespace onefold::ladder::learner
