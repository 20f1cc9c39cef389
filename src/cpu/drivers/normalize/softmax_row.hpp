// SPDX-License-Identifier: Apache-2.0
// A row's exponentials and their total, as softmax and cross_entropy need them: a sum of doubles,
// if its interval decides what is needed of it and the row is of one band; else it is exact, an
// exponential_sum. The bits are the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <variant>

#include "cpu/drivers/normalize/row_pieces.hpp"
#include "cpu/kernels/rounded.hpp"
#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/tasks.hpp"
#include "onefold/detail/extrema.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/state.hpp"
#include "state/softmax.hpp"
#include "state/states.hpp"

namespace onefold::cpu {

template <class T>
const softmax_kernels& softmax_kernels_of() {
  return active_table().ordered->softmax[int(dtype_of<T>) - int(dtype::f16)];
}

/// The rows of one thread, one after another.
template <class T>
class softmax_row {
 public:
  explicit softmax_row(std::int64_t n)
      : n_(n), kept_(n <= most_kept), e_(std::make_unique_for_overwrite<double[]>(
                                          std::size_t((kept_ ? n_ : softmax_block) + 16))),
        kernels_(softmax_kernels_of<T>()) {}

  /// The row at x. Returns whether it is numbers': else its total is NaN. whole: the state of all
  /// elements, where these are a part; null: these are all. needs_exponentials: what is
  /// multiplied, not only the total. Cancelled: anything.
  bool begin(const T* x, piece_source& pieces, const state* whole, bool needs_exponentials) {
    x_ = x, pieces_ = &pieces, needs_exponentials_ = needs_exponentials;
    cancelled_ = one_band_ = masks_ = false;
    exact_.reset();
    if (whole != nullptr) exact_ = std::get<exponentials>(detail::state_access::known(*whole));
    if (exact_) {
      const auto value = exact_->template value<float>();
      if (value - value != 0) return no_numbers();
      find_total(exact_->band(), true);
    } else if (const float first = step(x_[0]);
               first - first != 0 || !find_total(detail::banded_of(first).band, false)) {
      const float largest = largest_element();
      if (largest - largest != 0) return no_numbers();
      find_total(detail::banded_of(largest).band, true);
    }
    return true;
  }

  bool cancelled() const { return cancelled_; }
  const detail::softmax_total& total() const { return total_; }
  /// Whether all elements are of one band, and exponentials() may be called.
  bool one_band() const { return one_band_; }

  /// Calls take(at, count) for blocks of the row, while it returns true; returns whether all did.
  template <class Take>
  bool by_blocks(const Take& take) {
    bool on = true;
    const status done = by_parts(n_, *pieces_, [&](std::int64_t at, std::int64_t part) {
      for (const std::int64_t end = at + part; on && at < end; at += softmax_block)
        on = take(at, std::min(softmax_block, end - at));
    });
    cancelled_ = cancelled_ || !done.ok();
    return on && !cancelled_;
  }

  /// Of a block, for the kernels. Precondition: one_band().
  double* exponentials_of(std::int64_t at, std::int64_t count) {
    if (!kept_) add(at, count);
    return exponentials_at(at);
  }

  /// The sum of all exponentials but that of one element, `own`, to 32 bits. After it those of the
  /// row are of no use.
  double sum_without(std::int64_t place, double own) {
    double decided = -1;
    if (one_band_ && !exact_) {
      double sum = 0;
      by_blocks([&](std::int64_t at, std::int64_t count) {
        double* const e = exponentials_of(at, count);
        if (place >= at && place < at + count) e[place - at] = 0;
        sum += sum_of(e, count);
        return true;
      });
      decided = detail::decided_sum(sum, sum_depth + n_ / softmax_block + 1);
    }
    return decided < 0 ? detail::softmax_rounded(exact().sum(own).high) : decided;
  }

 private:
  using exponentials = detail::exponential_sum<float>;
  // Exponentials of longer rows are computed again where they are needed again.
  static constexpr std::int64_t most_kept = std::int64_t(1) << 18;

  static double sum_of(const double* e, std::int64_t n) {
    constexpr int lanes = 8;
    double sums[lanes] = {};
    for (; n >= lanes; n -= lanes, e += lanes)
      for (int lane = 0; lane < lanes; ++lane) sums[lane] += e[lane];
    for (int lane = 0; lane < n; ++lane) sums[lane] += e[lane];
    for (int lane = 1; lane < lanes; ++lane) sums[0] += sums[lane];
    return sums[0];
  }
  static constexpr std::int64_t sum_depth = softmax_block / 8 + 8;

  bool no_numbers() {
    total_ = {0, std::numeric_limits<double>::quiet_NaN()};
    return false;
  }

  // NaN if there is one; else the largest one.
  float largest_element() {
    using format = detail::float_format<T>;
    constexpr auto infinity = std::int64_t(format::infinity);
    order_range range = {infinity, ~infinity};
    by_blocks([&](std::int64_t at, std::int64_t count) {
      const order_range more =
          active_table().operators->extrema.plain[int(dtype_of<T>)](x_ + at, count);
      range = {std::min(range.least, more.least), std::max(range.largest, more.largest)};
      return true;
    });
    // NaNs are beyond the infinities.
    const bool nan = range.least < ~infinity || range.largest > infinity;
    const std::int64_t place = nan ? infinity : range.largest;
    return step(detail::extreme{place < 0 ? place + 1 : place, 0, place == 0}.template value<T>());
  }

  // The row's exponentials, if all are of one band; and the total. Without `sure` that may not be
  // the highest one: returns whether it is. Cancelled: returns anything.
  bool find_total(double band, bool sure) {
    total_.band = band, masks_ = sure;
    double sum = 0;
    std::int64_t depth = 0;
    const bool needed = !exact_ || needs_exponentials_;
    one_band_ = needed && by_blocks([&](std::int64_t at, std::int64_t count) {
                  const softmax_sum part = add(at, count);
                  sum += part.sum, depth = std::max(depth, part.depth) + 1;
                  return part.fine;
                });
    if (!one_band_ && !sure) return false;
    total_.sum = one_band_ && !exact_ ? detail::decided_sum(sum, depth) : -1;
    if (total_.sum < 0 && !cancelled_) total_.sum = detail::softmax_rounded(exact().sum().high);
    return true;
  }

  softmax_sum add(std::int64_t at, std::int64_t count) {
    const auto origin = float(total_.band * detail::band_width);
    return kernels_.add(x_ + at, count, origin, masks_, exponentials_at(at));
  }
  double* exponentials_at(std::int64_t at) { return e_.get() + (kept_ ? at : 0); }

  const exponentials& exact() {
    if (exact_) return *exact_;
    const auto task = make_exponentials_task(dtype_of<T>);
    by_blocks([&](std::int64_t at, std::int64_t count) {
      task->take({x_ + at, nullptr, count, at});
      return true;
    });
    any_state state = empty_state(accumulator::exponentials, dtype_of<T>);
    task->drain(state);
    return exact_.emplace(std::get<exponentials>(state));
  }

  std::int64_t n_;
  bool kept_;                    // all of a row's exponentials are in e_, else those of a block
  std::unique_ptr<double[]> e_;  // with room for a vector past the end
  const softmax_kernels& kernels_;
  const T* x_ = nullptr;
  piece_source* pieces_ = nullptr;
  bool needs_exponentials_ = false, cancelled_ = false, one_band_ = false, masks_ = false;
  std::optional<exponentials> exact_;
  detail::softmax_total total_{};
};

}  // namespace onefold::cpu
