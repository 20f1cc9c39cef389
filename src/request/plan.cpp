// SPDX-License-Identifier: Apache-2.0
// The planner: from views and options to shape, path of reading, chunks and threads.
#include "onefold/plan.hpp"

#include <algorithm>

#include "request/canonical.hpp"
#include "request/make.hpp"
#include "request/request.hpp"
#include "request/tuning.hpp"

namespace onefold {
namespace {

bool multiple(std::int64_t bytes, std::size_t item_bytes) {
  return bytes % std::int64_t(item_bytes) == 0;
}

// Whether every run of one operand can be read in place.
bool runs_in_place(const plan& decided, const array_view& of, std::int64_t origin_bytes,
                   std::int64_t loop_axis::*stride_bytes) {
  const std::size_t item_bytes = size_bytes(decided.input);
  const auto address = reinterpret_cast<std::uintptr_t>(of.data()) + std::uintptr_t(origin_bytes);
  const auto& run = decided.reduced;
  bool fine = of.type() == decided.input && address % item_bytes == 0 && run.size() <= 1;
  fine = fine && (run.empty() || run[0].*stride_bytes == std::int64_t(item_bytes));
  for (const loop_axis& axis : decided.kept)
    fine = fine && multiple(axis.*stride_bytes, item_bytes);
  return fine;
}

path choose_path(const plan& decided, std::span<const array_view> views) {
  if (decided.items == 0 || decided.outputs == 0) return path::nothing;
  if (decided.masked || decided.mapped || drops_nans(decided)) return path::packed;
  bool in_place = runs_in_place(decided, views[0], decided.origin.x_bytes, &loop_axis::x_bytes);
  if (views.size() == 2)
    in_place =
        in_place && runs_in_place(decided, views[1], decided.origin.y_bytes, &loop_axis::y_bytes);
  return in_place ? path::in_place : path::packed;
}

shape choose_shape(const plan& decided) {
  if (decided.outputs == 1 && decided.kept.empty()) return shape::full;
  if (decided.kept.empty() || decided.reduced.empty()) return shape::rows;
  const auto& kept = decided.kept[decided.kept.size() - 1];
  const auto& reduced = decided.reduced[decided.reduced.size() - 1];
  return kept.x_bytes != 0 && kept.x_bytes < std::abs(reduced.x_bytes) ? shape::columns
                                                                       : shape::rows;
}

// The chunks of a long answer are shared among threads; short answers go to one thread each.
int choose_threads(const plan& decided, int available) {
  const std::int64_t item_bytes = std::int64_t(size_bytes(decided.input));
  const std::int64_t alone = tuning::alone_bytes / item_bytes;
  if (decided.items < (alone + decided.outputs - 1) / std::max<std::int64_t>(decided.outputs, 1))
    return 1;
  const std::int64_t pieces = decided.outputs > available ? decided.outputs : decided.chunks;
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
  for (const op what : ops) text.append(text.empty() ? "" : ",").append(name(what));
  return text;
}

// The decisions that do not depend on the operators.
status decide(const machine& on, std::span<const array_view> views, const options& how,
              bool in_order, plan& decided) {
  const operands of = {&views[0], views.size() == 2 ? &views[1] : nullptr,
                       how.where ? &*how.where : nullptr};
  if (auto fine = canonicalise(of, how.axes, in_order, decided); !fine) return fine;
  decided.accuracy = how.accuracy;
  decided.nan_policy = how.nan_policy;
  decided.masked = how.where.has_value();
  decided.form = choose_shape(decided);
  decided.reading = choose_path(decided, views);
  decided.chunk_items = tuning::chunk_items;
  decided.chunks = decided.items / tuning::chunk_items + (decided.items % tuning::chunk_items != 0);
  decided.threads = choose_threads(decided, on.threads);
  decided.target = on.target;
  return {};
}

}  // namespace

status decide_plan(const machine& on, const op_list& what, std::span<const array_view> views,
                   const options& how, std::optional<dtype> mapped, plan& into) {
  if (auto fine = check_request(what, views, how, mapped); !fine) return fine;
  into.ops = what;
  into.input = mapped.value_or(loop_type(views));
  into.mapped = mapped.has_value();
  return decide(on, views, how, tells_positions(what), into);
}

result<plan> make_plan(const machine& on, const op_list& what, std::span<const array_view> views,
                       const options& how) {
  plan made;
  if (auto fine = decide_plan(on, what, views, how, {}, made); !fine) return fine;
  return made;
}

result<plan> make_segments_plan(const machine& on, op what, const array_view& x,
                                const options& how) {
  if (auto fine = check_request(what, std::span(&x, 1), how); !fine) return fine;
  plan made;
  made.ops = what;
  made.input = x.type();
  if (auto fine = decide(on, std::span(&x, 1), how, true, made); !fine) return fine;
  return made;
}

result<plan> make_walk_plan(const machine& on, const array_view& x, const options& how) {
  plan made;
  made.input = x.type();
  if (auto fine = decide(on, std::span(&x, 1), how, true, made); !fine) return fine;
  return made;
}

std::string to_string(const plan& decided) {
  std::string text;
  const auto line = [&](std::string_view key, std::string_view value) {
    text.append(key).append(12 - key.size(), ' ').append(value).push_back('\n');
  };
  line("operation", ops_text(decided.ops));
  line("input", name(decided.input));
  line("accuracy", name(decided.accuracy));
  if (decided.nan_policy != nan_policy::propagate) line("nan", name(decided.nan_policy));
  line("shape", name(decided.form));
  if (decided.form != shape::full) {
    line("answers", std::to_string(decided.outputs));
    line("kept", axes_text(decided.kept));
  }
  line("items", std::to_string(decided.items));
  line("axes", axes_text(decided.reduced));
  line("origin", std::to_string(decided.origin.x_bytes) + " B");
  line("reading", name(decided.reading));
  line("chunks", std::to_string(decided.chunks) + " of " + std::to_string(decided.chunk_items));
  line("threads", std::to_string(decided.threads));
  line("target", decided.target);
  return text;
}

}  // namespace onefold
