// SPDX-License-Identifier: Apache-2.0
// Random views of any rank and strides, and a walk over them that is too simple to be wrong.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "onefold/array_view.hpp"
#include "support/random.hpp"

namespace onefold::test {

/// Calls f(offset in bytes) for every element, the last axis fastest.
template <class F>
void walk(const axis_list& axes, F&& f) {
  std::vector<std::int64_t> index(std::size_t(axes.size()), 0);
  for (const auto& axis : axes)
    if (axis.extent == 0) return;
  while (true) {
    std::int64_t offset = 0;
    for (int i = 0; i < axes.size(); ++i) offset += index[std::size_t(i)] * axes[i].stride_bytes;
    f(offset);
    int i = axes.size() - 1;
    for (; i >= 0 && ++index[std::size_t(i)] == axes[i].extent; --i) index[std::size_t(i)] = 0;
    if (i < 0) return;
  }
}

/// The elements of a view, one after another.
template <class T>
std::vector<T> gathered(const void* origin, const axis_list& axes) {
  std::vector<T> elements;
  walk(axes, [&](std::int64_t offset) {
    T element;
    std::memcpy(&element, static_cast<const std::byte*>(origin) + offset, sizeof element);
    elements.push_back(element);
  });
  return elements;
}

/// A view, and the memory around it that its strides reach.
struct random_view {
  dtype type = dtype::f64;
  axis_list axes;
  std::int64_t before = 0, size = 0;  // bytes below the first element; bytes in all
  std::vector<std::byte> memory;

  const void* origin() const { return memory.data() + before; }
  array_view view() const { return {origin(), type, axes}; }
};

// C order, Fortran order or neither; then axes are reversed, repeated, sliced or put anywhere.
inline std::int64_t next_stride(random_source& random, std::int64_t contiguous, std::int64_t item) {
  switch (random.below(10)) {
  case 0:
    return 0;
  case 1:
    return -contiguous;
  case 2:
    return contiguous > 65536 ? contiguous : contiguous * random.between(2, 3);
  case 3:
    return item * random.between(-9, 9);
  case 4:
    return random.between(-40, 40);  // not a multiple of the element
  default:
    return contiguous;
  }
}

inline random_view make_view(random_source& random, dtype type, int rank, std::int64_t most_items) {
  random_view made;
  made.type = type;
  const auto item = std::int64_t(size_bytes(type));
  const bool plain = random.one_in(4), fortran = random.one_in(2);
  std::vector<axis_layout> axes;
  std::int64_t items = 1, contiguous = item;
  for (int i = 0; i < rank; ++i) {
    const std::int64_t most = std::max<std::int64_t>(1, most_items / items);
    std::int64_t extent =
        random.one_in(4) ? 1 : random.between(1, int(std::min<std::int64_t>(most, 40)));
    if (random.one_in(200)) extent = 0;
    const auto stride = plain ? contiguous : next_stride(random, contiguous, item);
    axes.insert(fortran ? axes.end() : axes.begin(), {extent, stride});
    if (extent < 2) continue;
    contiguous = extent * (stride == 0 ? contiguous : std::abs(stride));
    items *= extent;
  }
  made.size = item + 16;
  for (const auto& axis : axes) {
    const std::int64_t reach = axis.stride_bytes * std::max<std::int64_t>(0, axis.extent - 1);
    (reach < 0 ? made.before : made.size) += std::abs(reach);
    made.axes.push_back(axis);
  }
  made.before += random.one_in(3) ? std::int64_t(random.below(9)) : 8;
  made.size += made.before;
  made.memory.resize(std::size_t(made.size));
  for (auto& byte : made.memory) byte = std::byte(random() >> 13);
  return made;
}

/// The axes and what they hold, for a failure.
inline std::string text_of(const random_view& x) {
  std::string text = std::string(name(x.type)) + " [";
  for (const auto& axis : x.axes)
    text.append(std::to_string(axis.extent))
        .append(" x ")
        .append(std::to_string(axis.stride_bytes))
        .append(" B, ");
  return text + "] from byte " + std::to_string(x.before);
}

}  // namespace onefold::test
