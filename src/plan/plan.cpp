// SPDX-License-Identifier: Apache-2.0
// From a view to a decision: shape, reading, chunks, threads.
#include "onefold/plan.hpp"

#include <algorithm>

#include "plan/canonical.hpp"
#include "plan/make.hpp"
#include "plan/tuning.hpp"

namespace onefold {
namespace {

bool aligned(const void* data, std::int64_t origin_bytes, std::size_t item_bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(data) + std::uintptr_t(origin_bytes);
  return address % item_bytes == 0;
}

path choose_path(const array_view& x, const canonical_view& canonical) {
  const auto item_bytes = std::int64_t(size_bytes(x.type()));
  if (canonical.items == 0) return path::nothing;
  const bool one_run = canonical.axes.empty() ||
                       (canonical.axes.size() == 1 && canonical.axes[0].stride_bytes == item_bytes);
  const bool in_place = one_run && aligned(x.data(), canonical.origin_bytes, size_bytes(x.type()));
  return in_place ? path::in_place : path::packed;
}

int choose_threads(const plan& decided, int available) {
  if (decided.items < tuning::alone_bytes / std::int64_t(size_bytes(decided.input))) return 1;
  return int(std::min<std::int64_t>(available, decided.chunks));
}

std::string axes_text(const axis_list& axes) {
  std::string text;
  for (const auto& axis : axes)
    text += (text.empty() ? "" : ", ") + std::to_string(axis.extent) + " x " +
            std::to_string(axis.stride_bytes) + " B";
  return "[" + text + "]";
}

}  // namespace

result<plan> make_plan(const machine& on, op what, const array_view& x, const options& how) {
  const auto canonical = canonicalise(x);
  if (!canonical) return canonical.why();
  plan decided;
  decided.what = what;
  decided.input = x.type();
  decided.how = how.how;
  decided.reading = choose_path(x, *canonical);
  decided.axes = canonical->axes;
  decided.origin_bytes = canonical->origin_bytes;
  decided.items = canonical->items;
  decided.chunk_items = tuning::chunk_items;
  decided.chunks = decided.items / tuning::chunk_items + (decided.items % tuning::chunk_items != 0);
  decided.threads = choose_threads(decided, on.threads);
  decided.target = on.target;
  return decided;
}

std::string to_string(const plan& decided) {
  std::string text;
  const auto line = [&](std::string_view key, std::string_view value) {
    text.append(key).append(12 - key.size(), ' ').append(value).push_back('\n');
  };
  line("operation", name(decided.what));
  line("input", name(decided.input));
  line("accuracy", name(decided.how));
  line("shape", name(decided.form));
  line("items", std::to_string(decided.items));
  line("axes", axes_text(decided.axes));
  line("origin", std::to_string(decided.origin_bytes) + " B");
  line("reading", name(decided.reading));
  line("chunks", std::to_string(decided.chunks) + " of " + std::to_string(decided.chunk_items));
  line("threads", std::to_string(decided.threads));
  line("target", decided.target);
  return text;
}

}  // namespace onefold
