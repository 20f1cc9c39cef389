// SPDX-License-Identifier: Apache-2.0
// The planner: from views and options to shape, path of reading, chunks and threads.
#include "onefold/plan.hpp"

#include <algorithm>

#include "request/canonical.hpp"
#include "request/layout.hpp"
#include "request/make.hpp"
#include "request/request.hpp"
#include "request/tuning.hpp"

namespace onefold {
namespace {

// Whether every run can be read in place.
path choose_path(const plan& plan, std::span<const array_view> views) {
  if (plan.items == 0 || plan.outputs == 0) return path::nothing;
  if (plan.masked || plan.mapped || drops_nans(plan)) return path::packed;
  const array_view &x = views.front(), &y = views.back();
  if (x.type() != plan.input || y.type() != plan.input) return path::packed;
  const auto first = [](const array_view& view, std::int64_t origin_bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(view.data());
    // The low bits alone are read, and a view to be planned may have no data.
    return reinterpret_cast<const void*>(address + std::uintptr_t(origin_bytes));  // NOLINT
  };
  const element_runs found = runs_of(plan, first(x, plan.origin.x_bytes), x.type(),
                                     first(y, plan.origin.y_bytes), y.type());
  return found.contiguous_items && found.aligned ? path::in_place : path::packed;
}

shape choose_shape(const plan& plan) {
  if (plan.outputs == 1 && plan.kept.empty()) return shape::full;
  if (plan.kept.empty() || plan.reduced.empty()) return shape::rows;
  const auto& kept = plan.kept[plan.kept.size() - 1];
  const auto& reduced = plan.reduced[plan.reduced.size() - 1];
  return kept.x_bytes != 0 && kept.x_bytes < std::abs(reduced.x_bytes) ? shape::columns
                                                                       : shape::rows;
}

// The chunks of a long answer are shared among threads; short answers go to one thread each.
int choose_threads(const plan& plan, int available) {
  const std::int64_t item_bytes = std::int64_t(size_bytes(plan.input));
  const std::int64_t alone = tuning::alone_bytes / item_bytes;
  if (plan.items < (alone + plan.outputs - 1) / std::max<std::int64_t>(plan.outputs, 1)) return 1;
  const std::int64_t pieces = plan.outputs > available ? plan.outputs : plan.chunks;
  return int(std::clamp<std::int64_t>(pieces, 1, available));
}

std::string axes_text(const loop_nest& axes) {
  std::string text;
  for (const auto& axis : axes) {
    if (!text.empty()) text.append(", ");
    text.append(std::to_string(axis.extent)).append(" x ");
    text.append(std::to_string(axis.x_bytes)).append(" B");
  }
  return "[" + text + "]";
}

std::string ops_text(const op_list& ops) {
  std::string text;
  for (const op op : ops) text.append(text.empty() ? "" : ",").append(name(op));
  return text;
}

// The decisions that do not depend on the operators.
status decide(const machine& machine, std::span<const array_view> views, const options& options,
              bool in_order, plan& plan) {
  const operands operands = {&views[0], views.size() == 2 ? &views[1] : nullptr,
                             options.where ? &*options.where : nullptr};
  if (auto fine = canonicalise(operands, options.axes, in_order, plan); !fine) return fine;
  plan.accuracy = options.accuracy;
  plan.nan_policy = options.nan_policy;
  plan.masked = options.where.has_value();
  plan.form = choose_shape(plan);
  plan.reading = choose_path(plan, views);
  plan.chunk_items = tuning::chunk_items;
  plan.chunks = plan.items / tuning::chunk_items + (plan.items % tuning::chunk_items != 0);
  plan.threads = choose_threads(plan, machine.threads);
  plan.target = machine.target;
  return {};
}

}  // namespace

status decide_plan(const machine& machine, const op_list& ops, std::span<const array_view> views,
                   const options& options, std::optional<dtype> mapped, plan& into) {
  if (auto fine = check_request(ops, views, options, mapped); !fine) return fine;
  if (auto fine = check_no_counts(options, "of whole arrays and axes"); !fine) return fine;
  into.ops = ops;
  into.input = mapped.value_or(loop_type(views));
  into.mapped = mapped.has_value();
  return decide(machine, views, options, reports_positions(ops), into);
}

result<plan> make_plan(const machine& machine, const op_list& ops,
                       std::span<const array_view> views, const options& options) {
  plan plan;
  if (auto fine = decide_plan(machine, ops, views, options, {}, plan); !fine) return fine;
  return plan;
}

plan plan_on_device(const plan& from, std::span<const array_view> views) {
  plan made = from;
  made.accuracy = accuracy_on_device(from.ops, from.input, from.accuracy);
  made.reading = choose_path(made, views);
  return made;
}

result<plan> make_segments_plan(const machine& machine, op op, const array_view& x,
                                const options& options) {
  if (auto fine = check_request(op, std::span(&x, 1), options); !fine) return fine;
  plan plan;
  plan.ops = op;
  plan.input = x.type();
  if (auto fine = decide(machine, std::span(&x, 1), options, true, plan); !fine) return fine;
  return plan;
}

result<plan> make_walk_plan(const machine& machine, const array_view& x, const options& options) {
  if (auto fine = check_no_counts(options, "of operators of a caller"); !fine) return fine;
  plan plan;
  plan.input = x.type();
  if (auto fine = decide(machine, std::span(&x, 1), options, true, plan); !fine) return fine;
  return plan;
}

std::string to_string(const plan& plan) {
  std::string text;
  const auto line = [&](std::string_view key, std::string_view value) {
    text.append(key).append(12 - key.size(), ' ').append(value).push_back('\n');
  };
  line("operation", ops_text(plan.ops));
  line("input", name(plan.input));
  line("accuracy", name(plan.accuracy));
  if (plan.nan_policy != nan_policy::propagate) line("nan", name(plan.nan_policy));
  line("shape", name(plan.form));
  if (plan.form != shape::full) {
    line("answers", std::to_string(plan.outputs));
    line("kept", axes_text(plan.kept));
  }
  line("items", std::to_string(plan.items));
  line("axes", axes_text(plan.reduced));
  line("origin", std::to_string(plan.origin.x_bytes) + " B");
  line("reading", name(plan.reading));
  line("chunks", std::to_string(plan.chunks) + " of " + std::to_string(plan.chunk_items));
  line("threads", std::to_string(plan.threads));
  line("target", plan.target);
  return text;
}

}  // namespace onefold
