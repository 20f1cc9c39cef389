// SPDX-License-Identifier: Apache-2.0
// What one thread knows of an exact sum: a wide sum, an open window, buckets for the rest.
//
// Each tile takes the cheapest way that its evidence allows: the open window; a window moved to
// the tile's own exponent; a deeper cascade; the exponent buckets. Which way it takes is a matter
// of time only: every way is exact.
//
// Invariant at every tile boundary: the sum of all elements taken in is
//   total + sum over levels and lanes of counters[l][lane] * 2^(p_l - 52) + buckets.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/cascade_window.hpp"
#include "cpu/exponent_buckets.hpp"
#include "cpu/kernels.hpp"
#include "onefold/exact.hpp"
#include "onefold/state.hpp"

namespace onefold::cpu {

/// Below this many elements one deposit each is cheaper than a window for a padded tile.
inline constexpr std::int64_t small_items = 128;

/// Takes in x[0 … n) one by one, by integers alone.
template <class T, checks Checks>
void add_each(const T* x, std::int64_t n, detail::wide_sum<T, Checks>& sum, path_counts& paths) {
  for (std::int64_t i = 0; i < n; ++i) sum.add(x[i]);
  paths.small += n;
}

template <class T, checks Checks = all_checks>
class exact_task {
 public:
  using sum_type = detail::wide_sum<T, Checks>;

  explicit exact_task(const exact_kernels<T>& kernels) : kernels_(kernels) {}

  /// Takes in x[0 … n). Precondition: the thread is inside a float_environment.
  void take(const T* x, std::int64_t n);

  /// Everything so far, as one wide sum.
  const sum_type& finish() {
    drain();
    buckets_.drain(total_);
    return total_;
  }
  const path_counts& paths() const { return paths_; }

 private:
  using levels = cascade_levels<T>;
  using format = detail::float_format<T>;

  static constexpr int most_tile_items = chains * chain_items * max_lanes;
  static constexpr int longest_skip = 64;
  static constexpr int first_patience = 4, longest_patience = 4096;

  void take_padded(const T* x, std::int64_t n);
  void take_tiles(const T* x, std::int64_t tiles);
  std::int64_t take_in_window(const T* x, std::int64_t tiles);
  void settle(const T* x);
  bool try_depth(int depth, int exponent, const T* x);
  void open(int depth, int exponent);
  void note_depth(int before, int after);
  void take_slowly(const T* x);
  void note_elements(const T* x, std::int64_t n);
  void drain();

  const exact_kernels<T>& kernels_;
  sum_type total_;
  cascade_window window_;
  exponent_buckets<T, Checks> buckets_;
  path_counts paths_;
  int skip_ = 0;                   // tiles that go to the buckets without asking the window
  int backoff_ = 0;                // how many the next refusal will skip
  int patience_ = first_patience;  // tiles in a deeper cascade before the first is tried again
  int deep_tiles_left_ = 0;        // … of which so many are left
};

template <class T, checks Checks>
void exact_task<T, Checks>::take(const T* x, std::int64_t n) {
  if (n < small_items) return add_each(x, n, total_, paths_);
  note_elements(x, n);
  const std::int64_t tiles = n / kernels_.tile_items;
  take_tiles(x, tiles);
  const std::int64_t done = tiles * kernels_.tile_items;
  if (done < n) take_padded(x + done, n - done);
}

// The last tile is filled up with -0, which every check passes and which changes no sum.
template <class T, checks Checks>
void exact_task<T, Checks>::take_padded(const T* x, std::int64_t n) {
  T tile[most_tile_items];
  std::copy(x, x + n, tile);
  std::fill(tile + n, tile + kernels_.tile_items, detail::from_bits<T>(format::sign_bit));
  take_tiles(tile, 1);
}

template <class T, checks Checks>
void exact_task<T, Checks>::take_tiles(const T* x, std::int64_t tiles) {
  while (tiles > 0) {
    std::int64_t taken = 0;
    if (skip_ > 0)
      --skip_, take_slowly(x), taken = 1;
    else
      taken = take_in_window(x, tiles);
    x += taken * kernels_.tile_items;
    tiles -= taken;
    if (taken > 0 || tiles == 0) continue;
    settle(x);
    x += kernels_.tile_items;
    --tiles;
  }
}

// As many tiles as the open window takes; its counters are emptied before they could overflow.
template <class T, checks Checks>
std::int64_t exact_task<T, Checks>::take_in_window(const T* x, std::int64_t tiles) {
  if (window_.levels == 0) return 0;
  const int depth = window_.depth, exponent = window_.exponent;
  std::int64_t limit = std::min<std::int64_t>(tiles, window_tiles - window_.tiles);
  if (depth > 0) limit = std::min<std::int64_t>(limit, deep_tiles_left_);
  const std::int64_t taken = kernels_.take[depth](x, limit, window_);
  paths_.fast_tiles += taken;
  if (taken > 0) backoff_ = 0;
  if (depth > 0)
    deep_tiles_left_ -= int(taken);
  else if (taken >= longest_skip)
    patience_ = first_patience;
  if (window_.tiles == window_tiles) {
    drain();
    ++paths_.drains;
    open(depth, exponent);
  }
  if (depth > 0 && deep_tiles_left_ == 0) drain();
  return taken;
}

// One tile that the open window refused, or that found none open: the same cascade at the tile's
// own exponent, then the deeper ones, then the buckets.
template <class T, checks Checks>
void exact_task<T, Checks>::settle(const T* x) {
  const int field = int(kernels_.largest_magnitude(x) >> format::fraction_bits);
  const int exponent = std::max(field, 1) - format::max_exponent + window_slack;
  const bool openable = field < format::max_field && exponent <= cascade_window::max_exponent;
  const int before = window_.depth;
  for (int depth = std::max(before, 0); openable && depth < kernels_.depths; ++depth)
    if (try_depth(depth, exponent, x)) return note_depth(before, depth);
  backoff_ = std::min(std::max(1, 2 * backoff_), longest_skip);
  skip_ = backoff_;
  take_slowly(x);
}

template <class T, checks Checks>
bool exact_task<T, Checks>::try_depth(int depth, int exponent, const T* x) {
  if (window_.depth == depth && window_.exponent == exponent) return false;  // just refused
  drain();
  open(depth, exponent);
  ++paths_.windows;
  return kernels_.take[depth](x, 1, window_) == 1;
}

template <class T, checks Checks>
void exact_task<T, Checks>::note_depth(int before, int after) {
  ++(after > 0 ? paths_.escalated : paths_.reopened);
  if (after <= std::max(before, 0)) return;
  deep_tiles_left_ = patience_;
  patience_ = std::min(2 * patience_, longest_patience);
}

template <class T, checks Checks>
void exact_task<T, Checks>::open(int depth, int exponent) {
  window_.template open<Checks>(depth, levels::counts[depth], exponent);
}

template <class T, checks Checks>
void exact_task<T, Checks>::take_slowly(const T* x) {
  buckets_.take(x, kernels_.tile_items, total_);
  ++paths_.slow_tiles;
}

// Almost every array shows in its first element that it is not all -0.
template <class T, checks Checks>
void exact_task<T, Checks>::note_elements(const T* x, std::int64_t n) {
  bool only = total_.only_negative_zeros();
  for (std::int64_t i = 0; only && i < n; ++i) only = detail::to_bits(x[i]) == format::sign_bit;
  total_.note_elements(n, only);
}

// Moves the window's counters into the wide sum and closes it.
template <class T, checks Checks>
void exact_task<T, Checks>::drain() {
  for (int l = 0; l < window_.levels; ++l) {
    int128 collected = 0;
    for (auto& counter : window_.counters[l]) collected += counter, counter = 0;
    if (collected != 0) deposit(total_, collected, window_.p[l] - 52 - format::lsb);
  }
  window_.levels = 0;
  window_.depth = cascade_window::closed;
}

}  // namespace onefold::cpu
