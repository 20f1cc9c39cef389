// SPDX-License-Identifier: Apache-2.0
// Tasks of extrema: finds the extrema of each block by SIMD, and searches a position only where an
// extremum has changed.
#include <algorithm>
#include <bit>
#include <variant>

#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/tasks.hpp"

namespace onefold::cpu {
namespace {

using detail::extreme;

// The key of a float in integer order (see order_range).
extreme of_float_place(std::int64_t place) {
  return {place < 0 ? place + 1 : place, -1, place == 0};
}

template <class T>
class extrema_task final : public task {
 public:
  void take(const piece& next) override {
    constexpr std::int64_t block = block_items(dtype_of<T>);
    const auto* const x = static_cast<const std::byte*>(next.x);
    for (std::int64_t i = 0; i < next.n; i += block)
      take_block(x + std::size_t(i) * sizeof(T), std::min(block, next.n - i), next.first_index + i);
  }

  void drain(any_state& into) override {
    std::get<detail::extrema>(into).merge(seen_);
    seen_ = {};
  }

 private:
  static constexpr bool floating = !std::is_integral_v<T>;

  void take_block(const void* x, std::int64_t n, std::int64_t first_index) {
    order_range range = kernels_.plain[int(dtype_of<T>)](x, n);
    if constexpr (floating) {
      constexpr auto infinity = std::int64_t(detail::float_format<T>::infinity);
      if (range.least < ~infinity || range.largest > infinity) {
        range = kernels_.sifted[int(dtype_of<T>) - int(dtype::f16)](x, n);
        note_nans(static_cast<const T*>(x), range.nans, first_index);
      }
      if (range.nans == n) return;
    }
    note_values(x, n, range, first_index);
  }

  void note_nans(const T* x, std::int64_t count, std::int64_t first_index) {
    if (count == 0) return;
    std::int64_t at = 0;
    if (seen_.nan_count() == 0 || first_index < seen_.argmin(false))
      while (!detail::is_nan(x[at])) ++at;
    seen_.note_nans(count, first_index + at);
  }

  void note_values(const void* x, std::int64_t n, const order_range& range,
                   std::int64_t first_index) {
    extreme least{range.least}, largest{range.largest};
    if constexpr (floating)
      least = of_float_place(range.least), largest = of_float_place(range.largest);
    // A position that cannot be the answer need not be exact: the block's first index will do.
    const bool new_state = seen_.empty(true);
    const auto &low = seen_.least(), &high = seen_.largest();
    const bool low_moves =
        new_state || least.key < low.key || (least.key == low.key && first_index < low.index);
    const bool high_moves = new_state || largest.key > high.key ||
                            (largest.key == high.key && first_index < high.index);
    least.index = first_index + (low_moves ? find(x, n, least) : 0);
    largest.index = first_index + (high_moves ? find(x, n, largest) : 0);
    seen_.note_values(n - range.nans, least, largest);
  }

  // The index of the first element with that key; zeros of either sign are equal.
  std::int64_t find(const void* x, std::int64_t n, const extreme& wanted) const {
    if constexpr (std::is_same_v<T, bool>) {
      return wanted.key != 0 ? kernels_.find_nonzero(x, n) : kernels_.find_either[0](x, n, 0, 0);
    } else {
      constexpr int by_size = std::countr_zero(sizeof(T));
      return kernels_.find_either[by_size](x, n, bits_of(wanted, false), bits_of(wanted, true));
    }
  }
  static std::uint64_t bits_of(extreme wanted, bool plus_zero) {
    wanted.plus_zero = plus_zero;
    if constexpr (floating)
      return detail::to_bits(wanted.value<T>());
    else
      return std::uint64_t(wanted.value<T>());
  }

  const extrema_kernels& kernels_ = active_table().operators->extrema;
  detail::extrema seen_;
};

}  // namespace

std::unique_ptr<task> make_extrema_task(dtype input) {
  return with_type(input, []<class T>(detail::tag<T>) -> std::unique_ptr<task> {
    return std::make_unique<extrema_task<T>>();
  });
}

}  // namespace onefold::cpu
