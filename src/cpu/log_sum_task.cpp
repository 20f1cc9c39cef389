// SPDX-License-Identifier: Apache-2.0
// A piece twice: its largest element, which brings it into the cache; then the sum of exponentials.
#include <vector>

#include "cpu/ordered_tasks.hpp"
#include "cpu/targets.hpp"
#include "onefold/detail/extrema.hpp"
#include "onefold/detail/log_sum.hpp"

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
    if constexpr (std::is_integral_v<T>) {
      values_.resize(std::size_t(next.n));
      const auto* const x = static_cast<const stored*>(next.x);
      for (std::int64_t i = 0; i < next.n; ++i) values_[std::size_t(i)] = value_of(x[i]);
      return of_floats<double>(values_.data(), next.n);
    } else {
      return of_floats<T>(next.x, next.n);
    }
  }

 private:
  // Any byte but zero is 1.
  using stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
  static double value_of(stored x) { return std::is_same_v<T, bool> ? double(x != 0) : double(x); }

  template <class F>
  log_sum of_floats(const void* x, std::int64_t n) const {
    constexpr int type = int(dtype_of<F>), nth = type - int(dtype::f16);
    constexpr auto infinity = std::int64_t(detail::float_format<F>::infinity);
    const auto& table = active_table();
    order_range range = table.operators->extrema.plain[type](x, n);
    if (range.least < ~infinity || range.largest > infinity)
      range = table.operators->extrema.sifted[nth](x, n);
    // Beside an infinity the finite elements say nothing; nor is there one below the lowest.
    const bool infinite = range.nans < n && range.largest == infinity;
    if (range.nans == n || infinite || range.largest == ~infinity)
      return log_sum::of_piece(n, range.nans, infinite, 0, 0);
    const double largest = as_double(of_place<F>(range.largest));
    return log_sum::of_piece(n, range.nans, false, largest,
                             table.ordered->exponentials[nth](x, n, largest));
  }

  template <class F>
  static F of_place(std::int64_t place) {
    return detail::extreme{place < 0 ? place + 1 : place, 0, place == 0}.template value<F>();
  }

  std::vector<double> values_;
};

}  // namespace

std::unique_ptr<ordered_task> make_log_sum_task(dtype input) {
  return with_type(input, []<class T>(detail::tag<T>) -> std::unique_ptr<ordered_task> {
    return std::make_unique<log_sum_task<T>>();
  });
}

}  // namespace onefold::cpu
