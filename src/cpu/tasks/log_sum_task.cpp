// SPDX-License-Identifier: Apache-2.0
// Tasks of logsumexp: find the largest element of a piece, which brings the piece into the cache,
// then sum the exponentials.
#include <algorithm>

#include "cpu/kernels/targets.hpp"
#include "cpu/tasks/tasks.hpp"
#include "onefold/detail/extrema.hpp"
#include "onefold/detail/log_sum.hpp"
#include "state/exponential.hpp"
#include "state/exponential_terms.hpp"

namespace onefold::cpu {
namespace {

using detail::log_sum;

template <class T>
double as_double(T x) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
    return double(x);
  } else {
    using format = detail::float_format<T>;
    const std::int64_t digit = x.bits & (format::hidden_bit - 1);
    const int field = (x.bits & format::infinity) >> format::fraction_bits;
    const std::int64_t magnitude[] = {field == 0 ? digit : digit | format::hidden_bit};
    const double value = detail::from_bits<double>(detail::round_magnitude<double>(
        {magnitude, 1}, format::lsb + (field == 0 ? 0 : field - 1)));
    return (x.bits & format::sign_bit) ? -value : value;
  }
}

template <class T>
class log_sum_task final : public ordered_task {
 public:
  ordered_state take(const piece& next) override {
    if (next.n == 0) return log_sum{};
    if constexpr (std::is_integral_v<T>)
      return of_integers(next.x, next.n);
    else
      return of_floats<T>(next.x, next.n);
  }

 private:
  static log_sum of_integers(const void* data, std::int64_t n) {
    const auto& table = active_table();
    if constexpr (std::is_same_v<T, bool>) {
      return of_booleans(n, table.operators->counts[int(dtype::boolean)](data, n).zeros);
    } else {
      const T largest = largest_of(table.operators->extrema.plain[int(dtype_of<T>)](data, n));
      const auto total = total_of(static_cast<const T*>(data), n, largest, table.ordered->fixed);
      return log_sum::of_piece(n, 0, false, double(largest), total.value());
    }
  }

  static log_sum of_booleans(std::int64_t n, std::int64_t zeros) {
    const bool largest = zeros < n;
    const std::int64_t below = largest ? zeros : 0;
    fixed_total total;
    total.add(exponential::fixed[0], n - below);
    total.add(exponential::fixed[1], below);
    return log_sum::of_piece(n, 0, false, largest, total.value());
  }

  static fixed_total total_of(const T* x, std::int64_t n, T largest, fixed_kernel sum) {
    if constexpr (sizeof(T) == 1)
      return sum(reinterpret_cast<const std::uint8_t*>(x), n, std::uint8_t(largest));
    std::uint8_t bytes[2048];
    fixed_total total;
    for (std::int64_t i = 0; i < n; i += std::int64_t(sizeof bytes)) {
      const auto count = std::min(n - i, std::int64_t(sizeof bytes));
      for (std::int64_t k = 0; k < count; ++k)
        bytes[k] = std::uint8_t(-distance(largest, x[i + k]));
      total.add(sum(bytes, count, 0));
    }
    return total;
  }

  static T largest_of(const order_range& range) {
    if constexpr (std::is_same_v<T, std::uint64_t>)
      return std::uint64_t(range.largest) ^ (std::uint64_t(1) << 63);
    else
      return T(range.largest);
  }

  // 64 bits: the difference of doubles, since an integer may not hold it. 255 contributes nothing.
  static std::uint8_t distance(T largest, T x) {
    if constexpr (sizeof(T) == 8) {
      return std::uint8_t(std::min(double(largest) - double(x), 255.0));
    } else {
      using modular = std::make_unsigned_t<T>;
      return std::uint8_t(std::min<modular>(modular(modular(largest) - modular(x)), 255));
    }
  }

  template <class F>
  log_sum of_floats(const void* x, std::int64_t n) const {
    constexpr int type = int(dtype_of<F>), nth = type - int(dtype::f16);
    constexpr auto infinity = std::int64_t(detail::float_format<F>::infinity);
    const auto& table = active_table();
    order_range range = table.operators->extrema.plain[type](x, n);
    if (range.least < ~infinity || range.largest > infinity)
      range = table.operators->extrema.sifted[nth](x, n);
    // With +Inf the finite elements do not matter; where the largest element is -Inf, all are -Inf.
    const bool infinite = range.nans < n && range.largest == infinity;
    if (range.nans == n || infinite || range.largest == ~infinity)
      return log_sum::of_piece(n, range.nans, infinite, 0, 0);
    const double largest = as_double(of_place<F>(range.largest));
    if constexpr (sizeof(F) < 8) {
      using namespace exponential;
      const term_scale scale = scale_of(float(largest));
      const auto [shift, sum] = exponentials_of_terms(table.ordered->terms[nth](x, n, scale),
                                                      float(largest), scale, term_powers);
      return log_sum::of_piece(n, range.nans, false, shift, sum);
    } else {
      const bool near =
          range.nans == 0 && range.least > ~infinity &&
          as_double(of_place<F>(range.least)) - largest >= exponential::least_argument;
      return log_sum::of_piece(n, range.nans, false, largest,
                               table.ordered->exponentials(x, n, largest, near));
    }
  }

  template <class F>
  static F of_place(std::int64_t place) {
    return detail::extreme{place < 0 ? place + 1 : place, 0, place == 0}.template value<F>();
  }
};

}  // namespace

std::unique_ptr<ordered_task> make_log_sum_task(dtype input) {
  return with_type(input, []<class T>(detail::tag<T>) -> std::unique_ptr<ordered_task> {
    return std::make_unique<log_sum_task<T>>();
  });
}

}  // namespace onefold::cpu
