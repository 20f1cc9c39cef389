// SPDX-License-Identifier: Apache-2.0
// Decides whether a request can run asynchronously on the device, and lists its kernel launches.
#include "cuda/resident.hpp"

#include <algorithm>
#include <utility>

#include "cuda/device.hpp"
#include "cuda/nested/describe.hpp"
#include "cuda/operands.hpp"
#include "cuda/workspace.hpp"
#include "request/layout.hpp"
#include "request/request.hpp"

namespace onefold::cuda {
namespace {

// Whether the operator has answers of this type; the host reports an error where it has none.
bool has_form(op what, dtype input, dtype output) {
  if (what == op::any || what == op::all || is_floating(output)) return true;
  const accumulator of = accumulator_of(what);
  const bool keeps_type =
      of == accumulator::bits || (of == accumulator::extrema && what != op::norminf);
  const bool position = what == op::argmin || what == op::argmax;
  if (output == dtype::boolean) return keeps_type && !position && input == dtype::boolean;
  if (position || of == accumulator::counts) return true;
  if (what == op::mean || what == op::norm2 || of == accumulator::moments) return false;
  return !is_floating(input);
}

std::string of_type(op what, dtype type) {
  return std::string(name(what)) + " of " + std::string(name(type));
}

// The property of the request that requires the host; empty where there is none.
std::string reason_of_request(const request& of) {
  const auto& plan = of.plan;
  if (plan.mapped) return "functions of the elements";
  if (plan.masked) return "a mask";
  if (of.options.initial) return "an initial value";
  if (plan.outputs == 0) return "no answer";
  return {};
}

std::string reason_of_output(const request& of, op what, const output_view& to) {
  const auto& plan = of.plan;
  if (!lies_on_device(to.data())) return "an output in host memory";
  if (!is_dense(to)) return "answers with gaps between them, or not aligned to their type";
  const bool empty = plan.items == 0 && accumulator_of(what) == accumulator::extrema;
  if ((empty && what != op::norminf) || !has_form(what, plan.input, to.type()))
    return of_type(what, plan.input) + ", which has no such answer";
  if (of.options.status_out == nullptr && depends_on_data(what, plan, of.options, to.type()))
    return "a status that depends on the data (" + of_type(what, plan.input) + " to " +
           std::string(name(to.type())) + ") without options::status_out";
  return {};
}

// Moments also serve the sums that are requested together with them.
accumulator serving(op what, std::span<const accumulator> accumulators) {
  const accumulator own = accumulator_of(what);
  const bool there = std::find(accumulators.begin(), accumulators.end(), own) != accumulators.end();
  return there ? own : accumulator::moments;
}

// Lists the answers of one accumulator; returns the reason where that is impossible.
std::string list_answers(const request& of, accumulator each,
                         std::span<const accumulator> accumulators,
                         std::span<const output_view> outputs, finish_list& list) {
  const auto& plan = of.plan;
  list.nan = plan.nan_policy, list.correction = of.options.correction;
  list.first_index = of.options.first_index;
  list.status = of.options.status_out, list.count = of.options.count;
  for (int i = 0; i < plan.ops.size(); ++i) {
    const op what = plan.ops[i];
    if (serving(what, accumulators) != each) continue;
    if (list.size == finish_list::most) return "an operator twice";
    list.answers[list.size++] = {outputs[std::size_t(i)].data(), what,
                                 outputs[std::size_t(i)].type()};
  }
  return {};
}

std::string add_accumulator(const request& of, accumulator each,
                            std::span<const accumulator> accumulators,
                            std::span<const output_view> outputs, resident_work& to) {
  const auto& plan = of.plan;
  full_request asked = {each, plan.input, of.x, of.y, plan.items};
  if (auto why = list_answers(of, each, accumulators, outputs, asked.finish); !why.empty())
    return why;
  asked.finish.is_first = to.full.empty();
  if (!full_serves(each, plan.input)) return of_type(asked.finish.answers[0].what, plan.input);
  to.full.push_back(asked);
  const std::size_t words = std::size_t(state_words(each, plan.input)) * sizeof(std::int64_t);
  to.workspace_bytes = std::max(to.workspace_bytes, cleared_bytes + words);
  return {};
}

std::string add_whole_array(const request& of, std::span<const accumulator> accumulators,
                            std::span<const output_view> outputs, resident_work& to) {
  const auto& plan = of.plan;
  if (plan.reading == path::packed) return "scattered elements";
  if (plan.accuracy == accuracy::fast) return "fast reductions";
  for (const accumulator each : accumulators)
    if (auto why = add_accumulator(of, each, accumulators, outputs, to); !why.empty()) return why;
  return {};
}

void need_scratch(std::size_t bytes, resident_work& to) {
  if (bytes > 0) to.workspace_bytes = std::max(to.workspace_bytes, cleared_bytes + bytes);
}

bool add_many(const request& of, op what, const output_view& out, resident_work& to) {
  auto work = many_work_of(of.plan, what, of.x, out.type());
  if (!work) return false;
  work->block.out = out.data();
  work->block.multiprocessors = multiprocessors_of(to.device);
  need_scratch(many_workspace_bytes(work->request, work->block), to);
  to.many.push_back(*work);
  return true;
}

// These kernels report no status, so the status must not depend on the data.
bool add_selection(const request& of, op what, const output_view& out, resident_work& to) {
  if (depends_on_data(what, of.plan, of.options, out.type())) return false;
  const unsigned multiprocessors = multiprocessors_of(to.device);
  if (auto columns = columns_work_of(of.plan, what, of.x, out.type(), multiprocessors)) {
    columns->block.out = out.data(), columns->block.first_index = of.options.first_index;
    need_scratch(selected_columns_bytes(columns->block), to);
    to.columns.push_back(*columns);
    return true;
  }
  auto rows = rows_work_of(of.plan, what, of.x, out.type());
  if (!rows) return false;
  rows->block.out = out.data(), rows->block.first_index = of.options.first_index;
  need_scratch(segments_workspace_bytes(rows->request, rows->block), to);
  to.rows.push_back(*rows);
  return true;
}

bool add_fast_answers(const request& of, op what, const output_view& out, resident_work& to) {
  auto work = fast_answers_of(of, what, out.type());
  if (!work) return false;
  work->answers.out = out.data();
  work->answers.multiprocessors = multiprocessors_of(to.device);
  need_scratch(workspace_bytes_of(*work), to);
  to.fast.push_back(*work);
  return true;
}

bool add_moment_columns(const request& of, op what, const output_view& out, resident_work& to) {
  const auto work =
      moment_columns_of(of, what, out.data(), out.type(), multiprocessors_of(to.device));
  if (!work) return false;
  need_scratch(workspace_bytes_of(*work), to);
  to.moments.push_back(*work);
  return true;
}

// Chooses the kernel of one operator of several answers.
bool add_operator(const request& of, op what, const output_view& out, resident_work& to) {
  return add_many(of, what, out, to) || add_selection(of, what, out, to) ||
         add_fast_answers(of, what, out, to) || add_moment_columns(of, what, out, to);
}

std::string add_rows_or_columns(const request& of, std::span<const output_view> outputs,
                                resident_work& to) {
  const auto& plan = of.plan;
  if (of.options.count != nullptr) return "options::count with several answers";
  for (int i = 0; i < plan.ops.size(); ++i) {
    const op what = plan.ops[i];
    const output_view& out = outputs[std::size_t(i)];
    if (!add_operator(of, what, out, to))
      return of_type(what, plan.input) + " of several answers of this shape";
  }
  return {};
}

// The strided kernels: several answers, where one warp is enough for each.
bool add_nests(const request& of, std::span<const accumulator> accumulators,
               std::span<const output_view> outputs, resident_work& to) {
  std::vector<nested_request> made;
  for (const accumulator each : accumulators) {
    auto nest = finished_nest(of, each);
    if (!nest) return false;
    if (!list_answers(of, each, accumulators, outputs, nest->finish).empty()) return false;
    made.push_back(*nest);
  }
  to.nested = std::move(made);
  to.many.clear(), to.rows.clear(), to.columns.clear(), to.moments.clear(), to.fast.clear();
  to.workspace_bytes = 0;
  return true;
}

std::string add_several_answers(const request& of, std::span<const accumulator> accumulators,
                                std::span<const output_view> outputs, resident_work& to) {
  auto why = add_rows_or_columns(of, outputs, to);
  if (why.empty() || of.options.count != nullptr) return why;
  return add_nests(of, accumulators, outputs, to) ? std::string() : why;
}

// Checks that all outputs, and the elements if there are any, are in the memory of one device.
std::string find_device(const executor::cuda& on, const request& of,
                        std::span<const output_view> outputs, resident_work& to) {
  to.device = memory_of(outputs[0].data()).device;
  for (const output_view& each : outputs)
    if (memory_of(each.data()).device != to.device) return "outputs on two devices";
  if (of.plan.items > 0) {
    const where data = place_of(on, of);
    if (data.kind != memory::device) return "data in host memory";
    if (data.device != to.device) return "an output on another device than the data";
  }
  if (on.device >= 0 && on.device != to.device) return "outputs on another device";
  return {};
}

}  // namespace

resident_work resident_work_of(const executor::cuda& on, const request& of,
                               std::span<const accumulator> accumulators,
                               std::span<const output_view> outputs) {
  resident_work made;
  made.why_not = reason_of_request(of);
  for (int i = 0; i < of.plan.ops.size() && made.why_not.empty(); ++i)
    made.why_not = reason_of_output(of, of.plan.ops[i], outputs[std::size_t(i)]);
  if (made.why_not.empty()) made.why_not = find_device(on, of, outputs, made);
  if (made.why_not.empty())
    made.why_not = of.plan.form == shape::full
                       ? add_whole_array(of, accumulators, outputs, made)
                       : add_several_answers(of, accumulators, outputs, made);
  return made;
}

}  // namespace onefold::cuda
