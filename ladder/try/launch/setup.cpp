// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/setup.hpp"

#include "ladder/try/answer/npy.hpp"
#include "ladder/try/coverage/coverage.hpp"
#include "ladder/try/launch/attempt.hpp"
#include "ladder/try/launch/records_setup.hpp"
#include "ladder/try/source/guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

[[noreturn]] void refuse(std::string why) {
  throw std::invalid_argument(std::move(why));
}

class finder {
 public:
  finder(const session_plan& plan, const entry& kernel, const std::vector<parameter>& structs)
      : plan_(plan) {
    found_.trial.structs = structs;
    for (unsigned i = 0; i < kernel.count; ++i) {
      if (is_struct(kernel.parameters[i])) found_.trial.structs.push_back(kernel.parameters[i]);
    }
    found_.trial.kernel = signature_of(kernel, plan.kernel, plan.structs);
    check_parameters(found_.trial.kernel);
    found_.trial.given = number_roles(found_.trial.kernel, plan.arguments);
    found_.trial.variables = device_variables();
    found_.trial.shared_bytes = plan.shared_bytes;
    found_.trial.one_cluster = plan.one_cluster;
    found_.trial.op = plan.op.value_or(reduction::sum);
    found_.guessed = !plan.expected && !plan.op;
    if (plan.expected) {
      found_.trial.expectation = plan.expected->expectation;
      found_.trial.op = plan.expected->op.value_or(found_.trial.op);
    } else {
      named_ = expectation_by_name(plan.kernel.name);
      if (!plan.op) found_.trial.op = plan.named_op.value_or(reduction::sum);
      if (const char* const word = unknown_fold(plan.kernel.name, !found_.trial.structs.empty(),
                                                plan.named_op.has_value())) {
        refuse(fmt::format("I cannot judge this: '{}' in its name is no sum, product, maximum or "
                           "minimum; say what it computes with --expect FILE.npy, or with --expect "
                           "sum, ... if it is one of these",
                           word));
      }
    }
  }

  decided_setup find(const std::function<void(const decided_setup&)>& first_guess) {
    trial_setup& t = found_.trial;
    find_shapes();
    report_first(first_guess);
    const std::vector<pointer_use> uses = uses_of_pointers(t);
    add_pointer_roles(t.given, t.kernel, plan_.arguments, uses, t.shape.data.volume());
    if (lanes() != found_.request.lanes) find_shapes();
    find_expectation(uses);
    check_expectation();
    find_records();
    give_identities();
    find_partial_answers(uses);
    choose_shape();
    check_type();
    found_.untested = untested_by(plan_, t, found_.request);
    return found_;
  }

 private:
  unsigned lanes() const { return found_.trial.input().lanes; }

  /// Before pointers have roles: components of the first one that is only read, or of the first.
  unsigned lanes_of_first() const {
    const entry& k = found_.trial.kernel.kernel;
    unsigned lanes = 0;
    for (unsigned i = 0; i < k.count; ++i) {
      if (k.parameters[i].kind == passed::const_pointer) return k.parameters[i].lanes;
      if (k.parameters[i].kind == passed::pointer && lanes == 0) lanes = k.parameters[i].lanes;
    }
    return std::max(lanes, 1u);
  }

  void find_shapes() {
    trial_setup& t = found_.trial;
    const bool has_roles = t.given.any(role::input) || t.given.any(role::in_place);
    std::optional<expectation> expected = named_;
    if (plan_.expected) expected = plan_.expected->expectation;
    found_.request = {plan_.n,
                      plan_.data,
                      plan_.block,
                      plan_.grid,
                      expected,
                      t.given.any(role::length),
                      t.given.any(role::width),
                      t.given.any(role::height),
                      has_roles ? lanes() : lanes_of_first(),
                      plan_.one_cluster,
                      plan_.facts};
    shapes_ = geometries(found_.request);
    t.lanes = found_.request.lanes;
    t.shape = shapes_.front();
    if (t.shape.data.volume() > max_n) {
      refuse(fmt::format("{} elements are more than the {} that are tried; use --shape or --n",
                         t.shape.data.volume(), max_n));
    }
  }

  void report_first(const std::function<void(const decided_setup&)>& first_guess) const {
    decided_setup by_names = found_;
    by_names.expected = sentence(found_.trial.expectation, found_.trial.op);
    try {
      add_pointer_roles(by_names.trial.given, by_names.trial.kernel, plan_.arguments, {}, 0);
    } catch (const std::invalid_argument&) {
      return;
    }
    first_guess(by_names);
  }

  void find_expectation(const std::vector<pointer_use>& uses) {
    trial_setup& t = found_.trial;
    if (plan_.expected) {
      if (t.expectation == expectation::file) {
        t.file_answer = read_npy(plan_.expected->file);
        check_file_length(uses[t.given.output()]);
      }
      return;
    }
    found_.guessed = true;
    const bool records = is_struct(t.input()) || is_struct(t.output());
    const bool many = uses[t.given.output()].elements_written > t.shape.grid.volume();
    const bool several = t.given.inputs().size() > 1;
    const std::size_t written = uses[t.given.output()].elements_written;
    if (several && many && !named_) check_as_many(written);
    if (several && !plan_.op) t.op = reduction::sum;
    const std::size_t rows = std::size_t{t.shape.data.y} * t.shape.data.z;
    const bool lines = named_ == expectation::rows || named_ == expectation::columns;
    if (named_ && !several && (!lines || written <= std::max<std::size_t>(rows, t.shape.data.x))) {
      t.expectation = *named_;
    } else if (several && many) {
      check_pairs(uses);
      t.expectation = expectation::pairs;
    } else if (several) {
      t.expectation = expectation::products;
      if (t.op == reduction::sum) return;
      refuse(fmt::format("--op {}: of two inputs, try checks the sum of their products, or one "
                         "result for each pair; use --op sum",
                         to_string(t.op)));
    } else if (records && (!many || t.in_place())) {
      const record_question guess = guessed_question(records_kernel());
      t.expectation = guess.expectation;
      t.op = guess.expectation == expectation::fold ? t.op : guess.op;
    } else if (many && uses[t.given.output()].elements_written >= t.shape.data.volume()) {
      refuse(fmt::format("'{}' gets one value for each element, and what that is cannot be "
                         "guessed; say it with --expect transpose, or --expect FILE.npy",
                         t.kernel.declared[t.given.output()]));
    } else {
      check_partial_answers(uses);
      found_.guessed = !plan_.op.has_value();
    }
  }

  /// Of a file of another length no kernel is to blame.
  void check_file_length(const pointer_use& output) const {
    const trial_setup& t = found_.trial;
    const try_shape& data = t.shape.data;
    const std::size_t width = layout_of(t.output()).width();
    const std::size_t held = t.file_answer.size() / width, all = data.volume();
    const bool lines = held == data.x || held == data.y || held == 1;
    const bool writes_all = output.last_written == all;
    if (held == all || !(writes_all || (output.last_written > held && !lines))) return;
    refuse(fmt::format(
        "the file's length does not fit: --expect {} has {} elements, and with {} the kernel "
        "writes {}; use --{} of the file, or make the file again",
        plan_.expected->file, held,
        data.is_flat() ? fmt::format("--n {}", data.x) : "--shape " + to_string(data),
        output.last_written, data.is_flat() ? "n" : "shape"));
  }

  /// One value for each pair, but for those that a wrong bound leaves out.
  void check_as_many(std::size_t written) const {
    const trial_setup& t = found_.trial;
    if (2 * written >= t.shape.data.volume()) return;
    refuse(
        fmt::format("'{}' gets {} values from {} elements of two arrays, and what they are cannot "
                    "be guessed; say it with --expect FILE.npy",
                    t.kernel.declared[t.given.output()], written, t.shape.data.volume()));
  }

  /// Of a pair each element is read once; a matrix product reads it for each row or column.
  void check_pairs(const std::vector<pointer_use>& uses) const {
    const trial_setup& t = found_.trial;
    for (const std::size_t in : t.given.inputs()) {
      if (uses[in].elements_read_again <= t.shape.data.volume() / 2) continue;
      refuse(fmt::format("'{}' gets one value for each element, and those of '{}' are read more "
                         "than once: what it is cannot be guessed; say it with --expect FILE.npy",
                         t.kernel.declared[t.given.output()], t.kernel.declared[in]));
    }
  }

  /// A guess is one value of a block, a warp or a lane.
  void check_partial_answers(const std::vector<pointer_use>& uses) const {
    const trial_setup& t = found_.trial;
    const std::size_t written = uses[t.given.output()].elements_written;
    const std::size_t blocks = t.shape.grid.volume(), lanes = t.shape.block.volume();
    const std::size_t warps = (lanes + simt::max_warp_lanes - 1) / simt::max_warp_lanes;
    if (t.in_place() || !is_one_value(t.expectation) || written <= blocks) return;
    if (written == blocks * lanes || written == blocks * warps) return;
    refuse(fmt::format("'{}' gets {} values from {} blocks of {} threads, and what they are cannot "
                       "be guessed; say it with --expect sum, rows, columns, ..., or FILE.npy",
                       t.kernel.declared[t.given.output()], written, blocks, lanes));
  }

  /// A parameter like 'init' holds the value that changes nothing.
  void give_identities() {
    trial_setup& t = found_.trial;
    if (!plan_.arguments.empty() || !is_one_value(t.expectation)) return;
    for (std::size_t i = 0; i < t.given.roles.size(); ++i) {
      if (t.given.roles[i] != role::constant || !sounds_like_identity(t.kernel.names[i])) continue;
      const scalar own = t.at(i).type;
      t.given.values[i] =
          static_cast<double>(identity(t.op, own == scalar::other ? t.output().type : own));
    }
  }

  void check_expectation() const {
    const trial_setup& t = found_.trial;
    const std::size_t inputs = t.given.inputs().size();
    const bool several =
        t.expectation == expectation::pairs || t.expectation == expectation::products;
    if (several && inputs < 2) {
      refuse(fmt::format("--expect {}: the kernel reads one array, '{}'",
                         t.expectation == expectation::pairs ? "add" : "dot",
                         t.kernel.declared[t.given.inputs().front()]));
    }
    if (!several && inputs > 1 && t.expectation != expectation::file) {
      refuse(fmt::format("{} is of one array, and the kernel reads '{}' and '{}'; use --expect dot "
                         "or --expect add",
                         sentence(t.expectation, t.op), t.kernel.declared[t.given.inputs()[0]],
                         t.kernel.declared[t.given.inputs()[1]]));
    }
    if (t.expectation == expectation::transpose &&
        (t.in_place() || t.output().lanes != t.input().lanes) && t.shape.data.x != t.shape.data.y) {
      refuse("a matrix that is transposed in its place is square; use --shape 64,64");
    }
  }

  record_kernel records_kernel() const {
    const trial_setup& t = found_.trial;
    return {t.input(), t.output(), plan_.kernel.name, t.kernel.declared[t.given.output()]};
  }

  void find_records() {
    trial_setup& t = found_.trial;
    const record_question question{t.expectation, t.op};
    t.rule = rule_of(records_kernel(), question);
    t.input_parts = parts_of_input(t.input());
    found_.expected = sentence_of(records_kernel(), question, t.rule);
    found_.assumed = assumption(t.input(), t.expectation);
  }

  /// One for each lane or warp where all of them, and no others, have written one.
  void find_partial_answers(const std::vector<pointer_use>& uses) {
    trial_setup& t = found_.trial;
    const pointer_use& use = uses[t.given.output()];
    const std::size_t blocks = t.shape.grid.volume(), lanes = t.shape.block.volume();
    if (!is_one_value(t.expectation) || t.in_place() || use.elements_written != use.last_written)
      return;
    const std::size_t warps = blocks * ((lanes + simt::max_warp_lanes - 1) / simt::max_warp_lanes);
    if (use.elements_written == blocks) return;
    if (use.elements_written == blocks * lanes) t.partial = partial_answers::of_lanes;
    if (use.elements_written == warps && warps != blocks * lanes) {
      t.partial = partial_answers::of_warps;
    }
  }

  /// Of several shapes that the parameters may mean, the first at which the kernel is right.
  void choose_shape() {
    trial_setup& t = found_.trial;
    const partial_answers partial = t.partial;
    for (const geometry& shape : shapes_) {
      t.shape = shape;
      t.partial = shape.grid == shapes_.front().grid ? partial : partial_answers::of_blocks;
      trials once(t);
      const auto full = trial_launch::at_full(shape, simt::schedule::forward, input_kind::random);
      if (!once.run(full).clean()) continue;
      name_launch();
      return;
    }
    t.shape = shapes_.front();
    t.partial = partial;
    choose_operator();
  }

  /// Of a guess that no name supports, the first operator with which the kernel is right.
  void choose_operator() {
    trial_setup& t = found_.trial;
    if (plan_.op || plan_.expected || plan_.named_op || t.expectation != expectation::fold) return;
    for (const reduction op : {reduction::maximum, reduction::minimum, reduction::product}) {
      t.op = op;
      trials once(t);
      const auto full = trial_launch::at_full(t.shape, simt::schedule::forward, input_kind::random);
      if (once.run(full).clean()) {
        found_.expected = sentence(t.expectation, op);
        return;
      }
    }
    t.op = reduction::sum;
  }

  /// A launch that was not asked for, and is not the likeliest.
  void name_launch() {
    const geometry &first = shapes_.front(), &now = found_.trial.shape;
    const bool same_rule = first.rule == now.rule && first.data == now.data;
    if (!same_rule || (first.block == now.block && first.grid == now.grid)) return;
    found_.launched = fmt::format(
        "--block {} --grid {}, found by trying: with --block {} --grid {} it is wrong",
        to_string(now.block), to_string(now.grid), to_string(first.block), to_string(first.grid));
  }

  void check_type() const {
    const std::string type = type_name(found_.trial.input());
    if (!plan_.type.empty() && plan_.type != type) {
      refuse(fmt::format("--type {}: the kernel's elements are {}", plan_.type, type));
    }
  }

  const session_plan& plan_;
  decided_setup found_;
  std::optional<expectation> named_;
  std::vector<geometry> shapes_;
};

}  // namespace

std::string type_name(const parameter& p) {
  if (is_struct(p)) return p.struct_name;
  if (p.lanes == 1) return to_string(p.type);
  std::string name = to_string(p.type);
  if (name.starts_with("unsigned")) name = "u" + (name == "unsigned" ? "int" : name.substr(9));
  std::erase(name, ' ');
  return fmt::format("{}{}", name, p.lanes);
}

signature signature_of(const entry& kernel, const kernel_source& source,
                       const std::vector<struct_source>& structs) {
  signature found{kernel, {}, {}};
  for (unsigned i = 0; i < kernel.count; ++i) {
    const parameter& p = kernel.parameters[i];
    if (p.position >= source.parameter_names.size()) return {kernel, {}, {}};
    std::string name = source.parameter_names[p.position];
    std::string declared = source.parameters[p.position];
    const std::string& type = source.parameter_types[p.position];
    for (const struct_source& s : structs) {
      if (!p.is_field || !s.name.ends_with(type) || p.field >= s.fields.size()) continue;
      name += "." + s.fields[p.field].name;
      declared = name;
      break;
    }
    found.names.push_back(name);
    found.declared.push_back(declared);
  }
  return found;
}

decided_setup decide_setup(const session_plan& plan, const entry& kernel,
                           const std::vector<parameter>& structs,
                           const std::function<void(const decided_setup&)>& first_guess) {
  return finder(plan, kernel, structs).find(first_guess);
}

}  // namespace onefold::ladder::learner
