// SPDX-License-Identifier: Apache-2.0
// `onefold audit`: the sums that programs compute next to the exact one, for every array.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "commands/arrays.hpp"
#include "commands/commands.hpp"
#include "commands/diagnostics.hpp"
#include "commands/parts.hpp"
#include "commands/rounded_sums.hpp"
#include "io/element_windows.hpp"
#include "io/memory.hpp"
#include "io/standard_streams.hpp"
#include "messages.hpp"
#include "onefold/reduce.hpp"
#include "onefold/windows.hpp"
#include "report/audit.hpp"
#include "report/fnv1a.hpp"

namespace onefold::program {
namespace {

// All sums of one array, whose elements arrive in order.
class array_audit {
 public:
  array_audit(const request& request, const std::string& name, dtype type, std::int64_t items)
      : name_(name), exact_(request.where, operators(type), type, options_of(request, items)) {
    if (is_floating(type)) rounded_ = make_summation(type, items);
    known_.type = type;
  }

  /// Precondition: contiguous.
  void add(const array_view& window) {
    require_about(name_, exact_.add(window));
    if (rounded_) rounded_->add(window);
  }

  audit row() {
    known_.count = exact_.count();
    const state sum = require_about(name_, exact_.partial(op::sum));
    known_.exact = rounded_ ? rounded_exact(sum) : integer(sum);
    if (rounded_) add_rounded(sum);
    fnv1a hash;
    hash.add(std::span<const std::byte>(sum.bytes()));
    known_.receipt = fmt::format("fnv1a64:{:016x}", hash.digest());
    return known_;
  }

 private:
  static op_list operators(dtype type) {
    op_list ops = op::sum;
    if (is_floating(type)) ops.push_back(op::norm1);
    return ops;
  }
  static options options_of(const request& request, std::int64_t items) {
    options options = request.options;
    options.axes = all_axes;
    options.expected_items = items;
    return options;
  }

  number rounded_exact(const state& sum) const {
    number value(known_.type);
    require_about(name_, sum.write(value.place().data(), value.type()));
    return value;
  }

  // All digits if 64 bits do not hold it.
  number integer(const state& sum) const {
    number value(default_output(op::sum, known_.type));
    if (sum.write(value.place().data(), value.type()).ok()) return value;
    return number::decimal(sum.decimal(), require_about(name_, sum.try_value()));
  }

  void add_rounded(const state& sum) {
    const auto audited = [&](const number& value) {
      return audited_sum{value, ulps_between(value, known_.exact)};
    };
    const rounded_sums sums = rounded_->sums();
    known_.nan = rounded_->nan_count();
    known_.infinities = rounded_->infinity_count();
    known_.naive = audited(sums.naive);
    known_.pairwise = audited(sums.pairwise);
    known_.neumaier = audited(sums.neumaier);
    const state magnitudes = require_about(name_, exact_.partial(op::norm1));
    known_.condition = condition_number(magnitudes.decimal(), sum.decimal());
  }

  const std::string& name_;
  windows exact_;
  std::unique_ptr<summation> rounded_;
  audit known_;
};

// Copies the elements of a view in row-major order.
void gather(const array_view& from, int axis, const std::byte* at, std::byte*& to) {
  if (axis == from.rank()) {
    const std::size_t item_bytes = size_bytes(from.type());
    std::memcpy(to, at, item_bytes);
    to += item_bytes;
    return;
  }
  const auto& [extent, stride] = from.axes()[axis];
  for (std::int64_t i = 0; i < extent; ++i) gather(from, axis + 1, at + i * stride, to);
}

std::vector<std::int64_t> index_of(std::span<const std::int64_t> shape, std::int64_t k) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; k /= shape[i]) index[i] = k % shape[i];
  return index;
}

std::vector<audit> audit_axes(const loaded& all, const request& request, const std::string& name) {
  const array_view x = all.view();
  const plan plan = require_about(name, make_plan(request.where, op::sum, {x}, request.options));
  const auto shape = answer_shape(x, request.options);
  std::vector<std::byte> elements(std::size_t(plan.items) * size_bytes(x.type()));
  const array_view window(elements.data(), x.type(),
                          {{plan.items, std::int64_t(size_bytes(x.type()))}});
  std::vector<audit> rows;
  for (std::int64_t k = 0; k < plan.outputs; ++k) {
    const array_view part = elements_of(x, request.options.axes, k);
    std::byte* to = elements.data();
    if (plan.items > 0) gather(part, 0, static_cast<const std::byte*>(part.data()), to);
    array_audit one(request, name, x.type(), plan.items);
    one.add(window);
    rows.push_back(one.row());
    rows.back().index = index_of(shape, k);
  }
  return rows;
}

std::vector<audit> audit_array(input& from, const request& request) {
  if (from.format == file_format::text && !request.as_f64)
    throw failure(messages::text_operator(from.name, "audit"), from.name);
  const dtype type = from.described.type;
  if (request.whole() && from.described.items) {
    array_audit one(request, from.name, type, *from.described.items);
    for_each_window(from, request, [&](const array_view& window) { one.add(window); });
    return {one.row()};
  }
  // The pairwise sum splits by the number of elements, which a stream does not say.
  const char* why = request.whole() ? "the pairwise sum of a stream" : "--axis";
  memory_budget budget(request);
  const loaded all = load_elements(from, request, budget, why);
  if (!request.whole()) return audit_axes(all, request, from.name);
  const std::int64_t items = *all.described.items;
  array_audit one(request, from.name, type, items);
  one.add({all.data.get(), type, {{items, std::int64_t(size_bytes(type))}}});
  audit row = one.row();
  row.missing = from.missing_count;
  return {row};
}

outcome written(const audit_report& done, const request& request) {
  const bool answered =
      done.exit_code == 0 || std::any_of(done.audits.begin(), done.audits.end(),
                                         [](const audit& row) { return !row.error; });
  if (request.style == report_style::json)
    return {write_audit_json(done), done.exit_code, answered};
  const bool columns =
      request.style == report_style::plain && !request.output_path && is_terminal(STDOUT_FILENO);
  return {write_audit(done, request.hex, columns), done.exit_code, answered};
}

}  // namespace

outcome run_audit(const request& with) {
  run_facts run;
  const request request = noting_place(with, run);
  check_inputs(request);
  audit_report done;
  const auto take = [&](input& from, const std::optional<tensor_label>& tensor) {
    auto rows = audit_array(from, request);
    if (request.verbose) print_plan(from, {});
    for (audit& row : rows) {
      row.input = tensor ? tensor->input : from.name;
      row.tensor = tensor;
      done.audits.push_back(std::move(row));
    }
  };
  const auto refuse = [&](const array_failure& failed) {
    if (!failed.printed) print_failure(failed.why);
    if (done.exit_code == 0) done.exit_code = failed.why.exit_code();
    audit none;
    none.input = failed.input;
    none.tensor = failed.tensor;
    none.error = failed.why;
    done.audits.push_back(std::move(none));
  };
  for (const std::string& name : request.inputs) for_each_array(name, request, take, refuse);
  return written(done, request);
}

}  // namespace onefold::program
