// SPDX-License-Identifier: Apache-2.0
// Adds pieces to an exact state through windows of the self-checking cascade, with deeper cascades
// and an exact fallback.
//
// Each tile takes the cheapest path that its evidence allows: the open window; a window at the
// tile's own exponent; a deeper cascade; the accumulator's exact fallback. All paths are exact, so
// the choice changes only the time.
//
// Invariant at every tile boundary: the sum of all terms so far is
//   total + sum over levels and lanes of counters[l][lane] * 2^unit_l + what fallbacks have added.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/kernels/sum/cascade_window.hpp"
#include "cpu/kernels/sum/sum_kernels.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/state.hpp"

namespace onefold::cpu {

/// Below this many elements, one exact addition each is cheaper than a window for a padded tile.
inline constexpr std::int64_t small_items = 128;

/// Way: the parts of an accumulator other than the loop. See exact_task.hpp for one.
template <class Way>
class tile_task {
 public:
  using element = typename Way::element;

  explicit tile_task(const exact_kernels<element>& kernels) : kernels_(kernels) {}

  /// Adds x[0 … n), and y[0 … n) where the accumulator has two factors. Precondition: the thread is
  /// inside a float_environment.
  void take(const element* x, const element* y, std::int64_t n);

  /// Moves everything so far into the way's own state.
  Way& result() {
    drain();
    way_.drain();
    return way_;
  }
  const detail::path_counts& paths() const { return paths_; }

 private:
  static constexpr int most_tile_items = chains * chain_items * max_lanes;
  static constexpr int longest_skip = 64;
  static constexpr int first_patience = 4, longest_patience = 4096;
  static constexpr int closed = -1;

  static const element* advanced(const element* y, std::int64_t n) { return y ? y + n : y; }

  void take_padded(const element* x, const element* y, std::int64_t n);
  void take_tiles(const element* x, const element* y, std::int64_t tiles);
  std::int64_t take_in_window(const element* x, const element* y, std::int64_t tiles);
  void settle(const element* x, const element* y);
  bool try_depth(int depth, int exponent, const element* x, const element* y);
  void open(int depth, int exponent);
  void note_depth(int before, int after);
  void take_slowly(const element* x, const element* y);
  void drain();

  const exact_kernels<element>& kernels_;
  Way way_;
  cascade_window windows_[Way::windows];
  detail::path_counts paths_;
  int depth_ = closed;             // which of the cascades is open
  int exponent_ = 0;               // terms up to 2^exponent in magnitude surely pass level 1
  int tiles_ = 0;                  // added since the counters were last emptied
  int skip_ = 0;                   // tiles that take the fallback without trying the window
  int backoff_ = 0;                // how many tiles the next refusal skips
  int patience_ = first_patience;  // tiles in a deeper cascade before the first is tried again
  int deep_tiles_left_ = 0;        // … how many of them are left
};

template <class Way>
void tile_task<Way>::take(const element* x, const element* y, std::int64_t n) {
  if (n < small_items) {
    way_.add_each(x, y, n);
    paths_.small += n;
    return;
  }
  way_.note_elements(x, y, n);
  const std::int64_t tiles = n / kernels_.tile_items;
  take_tiles(x, y, tiles);
  const std::int64_t done = tiles * kernels_.tile_items;
  if (done < n) take_padded(x + done, advanced(y, done), n - done);
}

// Pads the last tile with -0, which passes every check and changes no sum.
template <class Way>
void tile_task<Way>::take_padded(const element* x, const element* y, std::int64_t n) {
  constexpr element zero = detail::from_bits<element>(detail::float_format<element>::sign_bit);
  element tile[most_tile_items], other[most_tile_items];
  std::copy(x, x + n, tile);
  std::fill(tile + n, tile + kernels_.tile_items, zero);
  if (y) {
    std::copy(y, y + n, other);
    std::fill(other + n, other + kernels_.tile_items, zero);
  }
  take_tiles(tile, y ? other : nullptr, 1);
}

template <class Way>
void tile_task<Way>::take_tiles(const element* x, const element* y, std::int64_t tiles) {
  while (tiles > 0) {
    std::int64_t taken = 0;
    if (skip_ > 0)
      --skip_, take_slowly(x, y), taken = 1;
    else
      taken = take_in_window(x, y, tiles);
    if (taken < tiles && taken == 0) settle(x, y), taken = 1;
    x += taken * kernels_.tile_items;
    y = advanced(y, taken * kernels_.tile_items);
    tiles -= taken;
  }
}

// Adds tiles while the open window accepts them; empties its counters before they could overflow.
template <class Way>
std::int64_t tile_task<Way>::take_in_window(const element* x, const element* y,
                                            std::int64_t tiles) {
  if (depth_ == closed) return 0;
  const int depth = depth_, exponent = exponent_;
  std::int64_t limit = std::min<std::int64_t>(tiles, window_tiles - tiles_);
  if (depth > 0) limit = std::min<std::int64_t>(limit, deep_tiles_left_);
  const std::int64_t taken = kernels_.take[depth](x, y, limit, windows_);
  tiles_ += int(taken);
  paths_.fast_tiles += taken;
  if (taken > 0) backoff_ = 0;
  if (depth > 0)
    deep_tiles_left_ -= int(taken);
  else if (taken >= longest_skip)
    patience_ = first_patience;
  if (tiles_ == window_tiles) {
    drain();
    ++paths_.drains;
    open(depth, exponent);
  }
  if (depth > 0 && deep_tiles_left_ == 0) drain();
  return taken;
}

// One tile that the open window refused, or that found none open: tries the same cascade at the
// tile's own exponent, then the deeper ones, then the fallback.
template <class Way>
void tile_task<Way>::settle(const element* x, const element* y) {
  constexpr int special = detail::float_format<double>::max_field;
  const int field = int(kernels_.largest(x, y) >> detail::float_format<double>::fraction_bits);
  const int exponent =
      std::max(field - detail::float_format<double>::max_exponent, Way::least_exponent) +
      window_slack;
  const int before = depth_;
  for (int depth = std::max(before, 0); field < special && depth < Way::depths; ++depth)
    if (try_depth(depth, exponent, x, y)) return note_depth(before, depth);
  backoff_ = std::min(std::max(1, 2 * backoff_), longest_skip);
  skip_ = backoff_;
  take_slowly(x, y);
}

template <class Way>
bool tile_task<Way>::try_depth(int depth, int exponent, const element* x, const element* y) {
  exponent = Way::fitted(depth, exponent);
  if (depth_ == depth && exponent_ == exponent) return false;  // just refused
  if (exponent > Way::most_window(depth)) return false;
  drain();
  open(depth, exponent);
  ++paths_.windows;
  tiles_ = int(kernels_.take[depth](x, y, 1, windows_));
  return tiles_ == 1;
}

template <class Way>
void tile_task<Way>::note_depth(int before, int after) {
  ++(after > 0 ? paths_.escalated : paths_.reopened);
  if (after <= std::max(before, 0)) return;
  deep_tiles_left_ = patience_;
  patience_ = std::min(2 * patience_, longest_patience);
}

template <class Way>
void tile_task<Way>::open(int depth, int exponent) {
  Way::open(windows_, depth, exponent);
  depth_ = depth;
  exponent_ = exponent;
  tiles_ = 0;
}

template <class Way>
void tile_task<Way>::take_slowly(const element* x, const element* y) {
  way_.add_tile(x, y, kernels_.tile_items);
  ++paths_.slow_tiles;
}

// Moves the windows' counters into the state and closes the windows.
template <class Way>
void tile_task<Way>::drain() {
  for (int w = 0; w < Way::windows; ++w) {
    cascade_window& window = windows_[w];
    for (int l = 0; l < window.levels; ++l) {
      int128 collected = 0;
      for (auto& counter : window.counters[l]) collected += counter, counter = 0;
      if (collected != 0) way_.deposit(w, collected, window.unit[l]);
    }
    window.levels = 0;
  }
  depth_ = closed;
}

}  // namespace onefold::cpu
