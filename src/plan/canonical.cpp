// SPDX-License-Identifier: Apache-2.0
#include "plan/canonical.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace onefold {
namespace {

result<std::int64_t> count_items(const array_view& x) {
  std::int64_t items = 1;
  bool nothing = false;
  for (int i = 0; i < x.rank(); ++i) {
    const std::int64_t extent = x.axes()[i].extent;
    if (extent < 0)
      return status(status_code::mismatch, "axis " + std::to_string(i) +
                                               " of the view has extent " + std::to_string(extent) +
                                               "; extents are >= 0");
    nothing = nothing || extent == 0;
  }
  if (nothing) return std::int64_t{0};
  for (const auto& axis : x.axes())
    if (__builtin_mul_overflow(items, axis.extent, &items))
      return status(status_code::mismatch,
                    "the view has 2^63 elements or more; reduce it in parts and merge the states");
  return items;
}

// From the lowest to the highest first byte of an element; every offset below stays within it.
bool range_fits(const array_view& x) {
  std::int64_t range = 0;
  for (const auto& axis : x.axes()) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(axis.stride_bytes, axis.extent - 1, &reach)) return false;
    if (reach == std::numeric_limits<std::int64_t>::min()) return false;
    if (__builtin_add_overflow(range, reach < 0 ? -reach : reach, &range)) return false;
  }
  return true;
}

// A broadcast axis goes outermost: its repetitions then stream memory instead of one element.
std::int64_t sort_key(const axis_layout& axis) {
  return axis.stride_bytes == 0 ? std::numeric_limits<std::int64_t>::max() : axis.stride_bytes;
}

void turn_round(axis_layout& axis, std::int64_t& origin_bytes) {
  if (axis.stride_bytes >= 0) return;
  origin_bytes += axis.stride_bytes * (axis.extent - 1);
  axis.stride_bytes = -axis.stride_bytes;
}

void merge_neighbours(axis_list& axes) {
  int last = 0;
  for (int i = 1; i < axes.size(); ++i) {
    auto& outer = axes[last];
    const auto& inner = axes[i];
    std::int64_t past = 0;  // where an inner axis of one more element would end
    const bool fits = !__builtin_mul_overflow(inner.stride_bytes, inner.extent, &past);
    if (fits && outer.stride_bytes == past)
      outer = {outer.extent * inner.extent, inner.stride_bytes};
    else
      axes[++last] = inner;
  }
  if (!axes.empty()) axes.resize(last + 1);
}

}  // namespace

result<canonical_view> canonicalise(const array_view& x) {
  const auto items = count_items(x);
  if (!items) return items.why();
  canonical_view canonical;
  canonical.items = *items;
  if (*items == 0) return canonical;
  if (!range_fits(x))
    return status(status_code::mismatch,
                  "the view's strides reach over 2^63 bytes or more, which no memory has");
  for (axis_layout axis : x.axes()) {
    if (axis.extent == 1) continue;
    turn_round(axis, canonical.origin_bytes);
    canonical.axes.push_back(axis);
  }
  // stable_sort asks for memory; a vector needs neither.
  if (canonical.axes.size() < 2) return canonical;
  std::stable_sort(canonical.axes.begin(), canonical.axes.end(),
                   [](const auto& a, const auto& b) { return sort_key(a) > sort_key(b); });
  merge_neighbours(canonical.axes);
  return canonical;
}

}  // namespace onefold
