// SPDX-License-Identifier: Apache-2.0
#pragma once
// Contiguous rows as a warp reads them for quick_moments: one, or, where they are short, up to
// eight side by side. While it makes the answers of some, the next are on their way.
//
// A lane adds row_loads parts of a row, at most 64 elements, one after another, and so the sums of
// those, of which each but the last has 256 elements of the row or more; then at most two elements
// behind the last part. Five levels of a tree join the lanes.

#include "cuda/nested/moments/quick_moments.cuh"

namespace onefold::cuda {

/// Loads of a lane at once.
inline constexpr int row_loads = 8;

/// How many additions of a row of n elements may be one after another.
ONEFOLD_DEVICE double row_additions(std::int64_t n) {
  return double(n) / 256 + 72;
}

/// A row in vectors of 16 bytes, or, where not all rows begin at one, in elements.
template <class T, bool Vectors>
class quick_row {
 public:
  using bits = typename detail::float_format<T>::bits;
  using part = std::conditional_t<Vectors, vector_of<T>, bits>;
  static constexpr int items = Vectors ? vector_items<T> : 1;

  /// A power of two, from 4 to 32: a lane has at most 4 parts of a row, or 32 lanes share them.
  ONEFOLD_DEVICE static int lanes_of(std::int64_t n) {
    int lanes = 4;
    while (lanes < int(warp_lanes) && n > std::int64_t(4 * items) * lanes) lanes *= 2;
    return lanes;
  }

  ONEFOLD_DEVICE quick_row(const nested_request& of, int lanes)
      : of_(of), lanes_(lanes), lane_(int(lane_index()) % lanes), parts_(of.items / items) {}

  /// Starts the first loads of a row.
  ONEFOLD_DEVICE void begin(std::int64_t row) {
    nest_place at;
    step_into(of_.axes, 0, of_.axes.kept, of_.first_output + row, at);
    x_ = reinterpret_cast<const T*>(of_.x + at.x);
    first_ = bits_at(x_);
    load(0);
  }
  template <bool Means>
  ONEFOLD_DEVICE shifted_sums<Means> sums() {
    shifted_sums<Means> made = {double_of<T>(first_)};
    add(0, made);
    ONEFOLD_ROLLED
    for (std::int64_t base = row_loads * lanes_; base < parts_; base += row_loads * lanes_) {
      shifted_sums<Means> some = {made.first};
      load(base);
      add(base, some);
      made.join(some);
    }
    for (std::int64_t at = parts_ * items + lane_; at < of_.items; at += lanes_)
      made.add(double_of<T>(bits_at(x_ + at)));
    made.fold(lanes_);
    return made;
  }

 private:
  ONEFOLD_DEVICE void load(std::int64_t base) {
    ONEFOLD_UNROLL
    for (int i = 0; i < row_loads; ++i) {
      const std::int64_t at = base + i * lanes_ + lane_;
      if (at >= parts_) continue;
      if constexpr (Vectors)
        held_[i] = load_items(x_ + at * items);
      else
        held_[i] = bits_at(x_ + at);
    }
  }
  template <bool Means>
  ONEFOLD_DEVICE void add(std::int64_t base, shifted_sums<Means>& to) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < row_loads; ++i) {
      if (base + i * lanes_ + lane_ >= parts_) continue;
      if constexpr (Vectors)
        for_each_item<T>(held_[i], held_[i], [&](auto x, auto) { to.add(double_of<T>(x)); });
      else
        to.add(double_of<T>(held_[i]));
    }
  }

  const nested_request& of_;
  int lanes_, lane_;
  std::int64_t parts_;
  const T* x_ = nullptr;
  bits first_ = 0;
  part held_[row_loads] = {};
};

/// All answers of a request; redo(k) makes those that are not decided. A warp of `warps`.
template <class T, bool Vectors, bool Means, class Redo>
ONEFOLD_DEVICE void take_quick_rows(const nested_request& of, std::int64_t warp, std::int64_t warps,
                                    const Redo& redo) {
  using row = quick_row<T, Vectors>;
  const int lanes = row::lanes_of(of.items), side_by_side = int(warp_lanes) / lanes;
  const int mine = int(lane_index()) / lanes;
  const bool writes = int(lane_index()) % lanes == 0;
  const std::int64_t step = warps * side_by_side, last = of.outputs - 1;
  const quick_moments quick(of, row_additions(of.items));
  row at(of, lanes);
  std::int64_t first = warp * side_by_side;
  if (first <= last) at.begin(min(first + mine, last));
  ONEFOLD_ROLLED
  for (; first <= last; first += step) {
    const auto sums = at.template sums<Means>();
    if (first + step <= last) at.begin(min(first + step + mine, last));
    const bool there = first + mine <= last;
    const bool certified = quick.write(sums, of.first_output + first + mine, writes && there);
    unsigned left = __ballot_sync(whole_warp, writes && there && !certified);
    ONEFOLD_ROLLED
    for (; left != 0; left &= left - 1) redo(first + (__ffs(int(left)) - 1) / lanes);
  }
}

template <class T, class Redo>
ONEFOLD_DEVICE void take_quick_rows(const nested_request& of, std::int64_t warp, std::int64_t warps,
                                    const Redo& redo) {
  auto place = std::int64_t(reinterpret_cast<std::uintptr_t>(of.x));
  for (int a = 0; a < of.axes.kept; ++a) place |= of.axes.axis[a].x_bytes;
  const bool vectors = place % 16 == 0, means = quick_moments::asks_means(of.finish);
  if (vectors && means)
    take_quick_rows<T, true, true>(of, warp, warps, redo);
  else if (vectors)
    take_quick_rows<T, true, false>(of, warp, warps, redo);
  else
    take_quick_rows<T, false, true>(of, warp, warps, redo);
}

}  // namespace onefold::cuda
