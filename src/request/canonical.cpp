// SPDX-License-Identifier: Apache-2.0
// Canonicalisation of the axes of a request: validation, dropping, sorting and merging.
#include "request/canonical.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "request/reach.hpp"

namespace onefold {
namespace {

status mismatch(const std::string& problem) {
  return {status_code::mismatch, problem};
}

result<std::int64_t> count_items(const array_view& x) {
  std::int64_t items = 1;
  bool nothing = false;
  for (int i = 0; i < x.rank(); ++i) {
    const std::int64_t extent = x.axes()[i].extent;
    if (extent < 0)
      return mismatch("axis " + std::to_string(i) + " of the view has extent " +
                      std::to_string(extent) + "; extents are >= 0");
    nothing = nothing || extent == 0;
  }
  if (nothing) return std::int64_t{0};
  for (const auto& axis : x.axes())
    if (__builtin_mul_overflow(items, axis.extent, &items))
      return mismatch(
          "the view has 2^63 elements or more; reduce it in parts and merge the states");
  return items;
}

// Checks that every offset of the loops fits in 64 bits.
status check_strides(const array_view& x) {
  if (reach_of(x.axes())) return {};
  return mismatch("the view's strides reach over 2^63 bytes or more, which no memory has");
}

std::string shape_text(const array_view& x) {
  std::string text;
  for (const auto& axis : x.axes())
    text += (text.empty() ? "" : ", ") + std::to_string(axis.extent);
  return "(" + text + ")";
}

status check_same_shape(const array_view& x, const array_view& y) {
  const bool same = std::equal(x.axes().begin(), x.axes().end(), y.axes().begin(), y.axes().end(),
                               [](const auto& a, const auto& b) { return a.extent == b.extent; });
  if (!same)
    return mismatch("the views have the shapes " + shape_text(x) + " and " + shape_text(y) +
                    "; a product needs equal ones");
  return {};
}

status check_mask(const array_view& x, const array_view& mask) {
  bool fits = mask.rank() <= x.rank();
  for (int i = 1; fits && i <= mask.rank(); ++i) {
    const std::int64_t extent = mask.axes()[mask.rank() - i].extent;
    fits = extent == 1 || extent == x.axes()[x.rank() - i].extent;
  }
  if (!fits)
    return mismatch("the mask's shape " + shape_text(mask) + " does not broadcast against " +
                    shape_text(x));
  if (mask.type() != dtype::boolean && mask.type() != dtype::u8)
    return mismatch("the mask's elements are " + std::string(name(mask.type())) +
                    "; a mask is bool or u8");
  return {};
}

status check_shapes(const operands& operands) {
  if (operands.y)
    if (auto fine = check_same_shape(*operands.x, *operands.y); !fine) return fine;
  return operands.mask ? check_mask(*operands.x, *operands.mask) : status();
}

status check_ranges(const operands& operands) {
  for (const array_view* view : {operands.x, operands.y, operands.mask})
    if (view)
      if (auto fine = check_strides(*view); !fine) return fine;
  return {};
}

// The set of reduced axes, one bit each.
class reduced_axes {
 public:
  bool is(int axis) const { return bits_ >> axis & 1; }
  void add(int axis) { bits_ |= std::uint64_t(1) << axis; }
  void add_all() { bits_ = ~std::uint64_t(0); }

 private:
  static_assert(max_rank <= 64);
  std::uint64_t bits_ = 0;
};

result<reduced_axes> resolve(const axis_set& over, int rank) {
  reduced_axes found;
  if (over.all()) found.add_all();
  for (const int given : over.list()) {
    const int axis = given < 0 ? given + rank : given;
    if (axis < 0 || axis >= rank)
      return status(status_code::mismatch, "axis " + std::to_string(given) +
                                               " is not there: the view " + "has " +
                                               std::to_string(rank) + " axes");
    if (found.is(axis))
      return status(status_code::mismatch, "axis " + std::to_string(given) + " is named twice");
    found.add(axis);
  }
  return found;
}

std::int64_t mask_stride(const array_view* mask, int axis, int rank) {
  const int own = mask ? axis - (rank - mask->rank()) : -1;
  return own < 0 || mask->axes()[own].extent == 1 ? 0 : mask->axes()[own].stride_bytes;
}

// The axes of more than one element, in the order of the view.
void split(const operands& operands, const reduced_axes& over, plan& into) {
  const int rank = operands.x->rank();
  std::int64_t index_items = 1;
  std::int64_t strides[max_rank];  // mostly unused
  for (int i = rank - 1; i >= 0; --i) {
    strides[i] = over.is(i) ? 0 : index_items;
    if (!over.is(i)) index_items *= operands.x->axes()[i].extent;
  }
  for (int i = 0; i < rank; ++i) {
    const auto& [extent, x_bytes] = operands.x->axes()[i];
    if (extent == 1) continue;
    const loop_axis axis = {extent, x_bytes, operands.y ? operands.y->axes()[i].stride_bytes : 0,
                            mask_stride(operands.mask, i, rank), strides[i]};
    (over.is(i) ? into.reduced : into.kept).push_back(axis);
  }
}

// A broadcast axis goes outermost: its repetitions then stream memory instead of repeating one
// element.
std::int64_t sort_key(const loop_axis& axis) {
  return axis.x_bytes == 0 ? std::numeric_limits<std::int64_t>::max() : axis.x_bytes;
}

void turn_round(loop_axis& axis, loop_origin& origin) {
  if (axis.x_bytes >= 0) return;
  origin.x_bytes += axis.x_bytes * (axis.extent - 1);
  origin.y_bytes += axis.y_bytes * (axis.extent - 1);
  origin.mask_bytes += axis.mask_bytes * (axis.extent - 1);
  origin.index += axis.index_items * (axis.extent - 1);
  axis.x_bytes = -axis.x_bytes;
  axis.y_bytes = -axis.y_bytes;
  axis.mask_bytes = -axis.mask_bytes;
  axis.index_items = -axis.index_items;
}

// Whether the inner axis, extended by one element, would end where the outer axis steps to.
bool continues(std::int64_t outer, std::int64_t inner, std::int64_t extent) {
  std::int64_t past = 0;
  return !__builtin_mul_overflow(inner, extent, &past) && outer == past;
}

void merge_neighbours(loop_nest& axes) {
  int last = 0;
  for (int i = 1; i < axes.size(); ++i) {
    auto& outer = axes[last];
    const auto inner = axes[i];
    const auto n = inner.extent;
    if (continues(outer.x_bytes, inner.x_bytes, n) && continues(outer.y_bytes, inner.y_bytes, n) &&
        continues(outer.mask_bytes, inner.mask_bytes, n) &&
        continues(outer.index_items, inner.index_items, n)) {
      const std::int64_t together = outer.extent * n;
      outer = inner;
      outer.extent = together;
    } else {
      axes[++last] = inner;
    }
  }
  if (!axes.empty()) axes.resize(last + 1);
}

void sort_by_stride(loop_nest& axes, loop_origin& origin) {
  for (loop_axis& axis : axes) turn_round(axis, origin);
  if (axes.size() < 2) return;  // stable_sort allocates
  std::stable_sort(axes.begin(), axes.end(),
                   [](const auto& a, const auto& b) { return sort_key(a) > sort_key(b); });
}

// Where one axis has no elements, the other extents may be anything.
result<std::int64_t> count_outputs(const array_view& x, const reduced_axes& over) {
  std::int64_t outputs = 1;
  for (int i = 0; i < x.rank(); ++i)
    if (!over.is(i) && x.axes()[i].extent == 0) return std::int64_t{0};
  for (int i = 0; i < x.rank(); ++i)
    if (!over.is(i) && __builtin_mul_overflow(outputs, x.axes()[i].extent, &outputs))
      return mismatch("2^63 answers or more");
  return outputs;
}

}  // namespace

status canonicalise(const operands& operands, const axis_set& over, bool in_order, plan& into) {
  const auto items = count_items(*operands.x);
  if (!items) return items.why();
  const auto reduced = resolve(over, operands.x->rank());
  if (!reduced) return reduced.why();
  if (auto fine = check_shapes(operands); !fine) return fine;
  const auto outputs = count_outputs(*operands.x, *reduced);
  if (!outputs) return outputs.why();
  into.outputs = *outputs;
  into.items = *outputs > 0 ? *items / *outputs : 0;
  if (*items == 0) {
    // Answers without elements still have places in the output.
    if (*outputs > 1) into.kept.push_back({*outputs, 0, 0, 0, 1});
    return {};
  }
  if (auto fine = check_ranges(operands); !fine) return fine;
  split(operands, *reduced, into);
  sort_by_stride(into.kept, into.origin);
  if (!in_order) sort_by_stride(into.reduced, into.origin);
  merge_neighbours(into.kept);
  merge_neighbours(into.reduced);
  return {};
}

}  // namespace onefold
