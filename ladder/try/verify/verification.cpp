// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/verify/verification.hpp"

#include "ladder/try/launch/attempt.hpp"
#include "ladder/try/launch/printed.hpp"
#include "ladder/try/object/child.hpp"
#include "ladder/try/object/confinement.hpp"
#include "ladder/try/report/defects.hpp"
#include "simt/device.hpp"

#include <fmt/format.h>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

using bytes = std::vector<std::byte>;

constexpr int loaded_nothing = 3, other_parameters = 4;
constexpr std::size_t widest_element = 16;
constexpr std::size_t most_arguments = 64;
constexpr std::uint64_t max_lanes = simt::max_block_threads;

element_layout layout_of(scalar type) {
  return {size_bytes(type), {{type, 0, "", ""}}};
}

/// The roles of "in=in", "out=out", "scale=0.5", ...
parameters roles_in(const std::vector<std::string>& arguments) {
  parameters found;
  for (const std::string& argument : arguments) {
    const std::string word = argument.substr(argument.rfind('=') + 1);
    role r = role::constant;
    for (role known = role::input; known < role::constant; known = role(int(known) + 1)) {
      if (word == to_string(known)) r = known;
    }
    if (word == to_string(role::structure)) r = role::structure;
    found.roles.push_back(r);
    found.values.push_back(r == role::constant ? std::strtod(word.c_str(), nullptr) : 0);
  }
  return found;
}

class verifier {
 public:
  verifier(const session_plan& plan, const session_result& session, scalar output)
      : plan_(plan), given_(roles_in(session.arguments)), output_(output),
        input_(scalar_named(session.type)), grid_(session.grid), block_(session.block),
        expectation_(plan.expected->expectation),
        op_(plan.expected->op.value_or(plan.op.value_or(reduction::sum))) {
    if (given_.inputs().empty() || given_.output() >= given_.roles.size()) {
      throw std::invalid_argument("--verify: no parameter is the input or the answer; use --args");
    }
  }

  void launch(verification& result, const try_shape& data, simt::schedule order) {
    data_ = data;
    make_inputs();
    const child_result child =
        run_child([&](int fd) { return answer(order, fd); }, processor_limit(plan_.limit_s));
    ++result.launches;
    if (child.exit_code == other_parameters) {
      throw std::invalid_argument(fmt::format("--verify: the answer has to be {}, and the elements "
                                              "{}",
                                              to_string(output_), to_string(input_)));
    }
    if (child.out_of_time || child.out_of_memory) {
      result.defects.push_back(defect_at("no end", {}, "a launch on random elements did not end"));
    } else if (child.output.size() != output_bytes()) {
      result.defects.push_back(
          defect_at("crash", {}, "a launch on random elements returned no answer"));
    } else if (const auto run = judge(child.output, order)) {
      result.wrong.push_back(*run);
    }
  }

 private:
  /// Those of a session in a random order, which keeps answers exact. Of a fold, whose answer has
  /// no order, a quarter changes nothing any more, or a random element is the extremum.
  void make_inputs() {
    inputs_ = input_values({expectation_, input_kind::random, op_, input_, output_, data_.volume(),
                            given_.inputs().size()});
    for (numbers& values : inputs_) std::shuffle(values.begin(), values.end(), random_);
    if (expectation_ != expectation::fold) return;
    numbers& values = inputs_.front();
    const number bound = values[random_() % values.size()];
    for (number& value : values) {
      if (op_ == reduction::maximum) value = std::min(value, bound);
      if (op_ == reduction::minimum) value = std::max(value, bound);
      const bool adds = op_ == reduction::sum || op_ == reduction::product;
      if (adds && random_() % 4 == 0) value = identity(op_, input_);
    }
  }

  /// Of outputs.
  reduction fold_op() const { return expectation_ == expectation::products ? reduction::sum : op_; }
  bool in_place() const { return !given_.any(role::output); }
  bool one_each() const {
    return only_moves(expectation_) || expectation_ == expectation::pairs || in_place();
  }

  std::size_t outputs() const {
    if (one_each()) return data_.volume();
    if (is_one_value(expectation_)) return grid_.volume() * block_.volume();
    return expectation_ == expectation::rows ? data_.y : data_.x;
  }
  std::size_t output_bytes() const { return outputs() * size_bytes(output_); }

  /// What a buffer holds before the launch: of an answer what changes nothing in a fold.
  bytes first_bytes(role r) const {
    if (r == role::output) {
      return bytes_of(layout_of(output_), numbers(outputs(), identity(fold_op(), output_)));
    }
    return bytes(std::max<std::size_t>(data_.volume(), grid_.volume()) * widest_element);
  }

  bool fits(const entry& kernel) const {
    const parameter& in = kernel.parameters[given_.inputs().front()];
    const parameter& out = kernel.parameters[given_.output()];
    return in.type == input_ && out.type == output_ && in.lanes * out.lanes == 1 &&
           out.component_count == 0;
  }

  /// In the child: its exit code.
  int answer(simt::schedule order, int fd) const {
    capture_prints();
    confine_process();
    void* const object = dlopen(plan_.object.c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto* const kernel =
        object == nullptr ? nullptr : static_cast<const entry*>(dlsym(object, entry_symbol));
    if (kernel == nullptr) return loaded_nothing;
    if (kernel->count != given_.roles.size() || !fits(*kernel)) return other_parameters;
    trial_setup setup;
    setup.given = given_;
    const bool side = !data_.is_flat() && data_.x == data_.y && !given_.any(role::width);
    setup.shape = {data_, block_, grid_, grid_rule::elements,
                   side ? length_unit::side : length_unit::elements};
    setup.kernel.kernel = *kernel;
    setup.shared_bytes = plan_.shared_bytes;
    setup.one_cluster = plan_.one_cluster;
    simt::device device;
    std::vector<argument> arguments(kernel->count);
    std::size_t inputs = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const role r = given_.roles[i];
      const bool is_input = r == role::input || r == role::in_place;
      if (!is_input && r != role::output && r != role::scratch) {
        arguments[i] = number_argument(setup, i, data_);
        continue;
      }
      const bytes first =
          is_input ? bytes_of(layout_of(input_), inputs_[inputs++]) : first_bytes(r);
      arguments[i].pointer = device.memory().copy(std::span(first), fmt::format("{}", i));
    }
    std::size_t item = size_bytes(output_);
    if (expectation_ == expectation::position) item += size_bytes(input_);
    const trial_launch launch{data_, order, input_kind::random, grid_, block_};
    kernel->launch(device, launch_config_of(setup, launch, item), arguments.data());
    return write(fd, arguments[given_.output()].pointer, output_bytes()) < 0 ? 1 : 0;
  }

  std::optional<try_run> judge(const std::string& output, simt::schedule order) const {
    const auto* const at = reinterpret_cast<const std::byte*>(output.data());
    const numbers found = numbers_at(layout_of(output_), at, outputs());
    const numbers right =
        expectation_ == expectation::position
            ? record_of({{number_meaning::position, op_, output_, 0}}, {inputs_.front(), 1})
            : answers({expectation_, op_, output_, data_, 1, {}}, inputs_);
    const std::size_t wrong = first_wrong(found, right);
    if (wrong == right.size()) return {};
    try_run run;
    run.n = data_.volume();
    run.data = data_;
    run.grid = grid_;
    run.block = block_;
    run.elements = "random";
    run.order = order;
    run.answer = to_text(output_, found[wrong]);
    run.expected = to_text(output_, right[wrong]);
    return run;
  }

  /// The number of right answers if none is wrong.
  std::size_t first_wrong(const numbers& found, const numbers& right) const {
    if (!is_one_value(expectation_)) {
      const auto ends = std::mismatch(right.begin(), right.end(), found.begin(), found.end());
      return static_cast<std::size_t>(ends.first - right.begin());
    }
    const number expected = right.front();
    const std::size_t blocks = grid_.volume(), lanes = block_.volume();
    bool is_right = found.front() == expected;
    if (expectation_ == expectation::position) {
      const auto end = found.begin() + static_cast<std::ptrdiff_t>(blocks);
      is_right |= std::find(found.begin(), end, expected) != end;
    } else if (in_place()) {
      for (const std::size_t stride :
           {1ul, (found.size() + blocks - 1) / blocks, lanes, 2 * lanes}) {
        is_right |= fold_every(found, stride, blocks) == expected;
      }
    } else {
      is_right |= fold_every(found, 1, found.size()) == expected;
    }
    return is_right ? right.size() : 0;
  }

  number fold_every(const numbers& found, std::size_t stride, std::size_t most) const {
    numbers some;
    for (std::size_t i = 0; i < most && i * stride < found.size(); ++i) {
      some.push_back(found[i * stride]);
    }
    return folded(fold_op(), output_, some);
  }

  const session_plan& plan_;
  parameters given_;
  scalar output_, input_;
  try_shape grid_, block_, data_;
  expectation expectation_;
  reduction op_;
  std::vector<numbers> inputs_;
  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace

verification verify(const session_plan& plan, const session_result& session, scalar output) {
  if (!plan.expected || plan.expected->expectation == expectation::file ||
      plan.expected->expectation == expectation::fields) {
    throw std::invalid_argument(
        "--verify: say by --expect what the kernel computes, and no file or fields");
  }
  const try_shape& data = session.data;
  // Of a matrix the sides are about the root of n.
  const bool as_planned =
      (!plan.n || (data.is_flat() ? data.x == *plan.n : 2 * data.volume() > *plan.n)) &&
      (!plan.data || data == *plan.data) && (!plan.block || session.block == *plan.block) &&
      (!plan.grid || session.grid == *plan.grid) &&
      (plan.type.empty() || session.type == plan.type);
  const std::uint64_t lanes = session.grid.volume() * std::min(session.block.volume(), max_lanes);
  verification result;
  if (!as_planned || data.volume() - 1 >= max_n || session.grid.volume() - 1 >= max_n ||
      lanes - 1 >= 4 * max_n || session.arguments.size() > most_arguments) {
    result.defects.push_back(defect_at("crash", {}, "its launches were not those asked for"));
    return result;
  }
  verifier all(plan, session, output);
  all.launch(result, data, simt::schedule::forward);
  all.launch(result, data, simt::schedule::shuffled);
  const parameters given = roles_in(session.arguments);
  if (!data.is_flat() || !given.any(role::length)) return result;
  // Shorter by less than a block, so that the grid is still the right one.
  const std::uint64_t most = std::min(session.block.volume(), data.volume()) - 1;
  if (most == 0) return result;
  const auto less = static_cast<unsigned>(std::random_device{}() % most) + 1;
  all.launch(result, {data.x - less}, simt::schedule::reverse);
  return result;
}

}  // namespace onefold::ladder::learner
