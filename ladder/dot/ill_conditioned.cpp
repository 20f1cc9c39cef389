// SPDX-License-Identifier: Apache-2.0
#include "ladder/dot/ill_conditioned.hpp"

#include "ladder/dot/exact_value.hpp"

#include <cmath>
#include <utility>

namespace onefold::ladder {
namespace {

/// SplitMix64 (G. Steele et al., 2014).
class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
  }
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// In [-1, 1).
  double either_sign() { return 2 * unit() - 1; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }

 private:
  std::uint64_t state_;
};

double rounded_to(int bits, double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

template <class T>
class generator {
 public:
  generator(std::size_t n, double condition, int bits, std::uint64_t seed)
      : n_(n), range_(std::log2(condition) / 2), bits_(bits), random_(seed) {}

  dot_case<T> make() {
    spread();
    cancel();
    shuffle();
    made_.answer = total_.value();
    made_.condition =
        2 * static_cast<double>(magnitudes_.value()) / std::fabs(static_cast<double>(made_.answer));
    return std::move(made_);
  }

 private:
  double scaled(double exponent) {
    return std::ldexp(random_.either_sign(), static_cast<int>(std::rint(exponent)));
  }

  void append(double a, double b) {
    const T x = static_cast<T>(rounded_to(bits_, a)), y = static_cast<T>(rounded_to(bits_, b));
    made_.a.push_back(x);
    made_.b.push_back(y);
    total_.add(x, y);
    magnitudes_.add(std::fabs(x), std::fabs(y));
  }

  /// Both ends of the range occur: the largest product first, the smallest last.
  void spread() {
    const std::size_t half = n_ / 2;
    for (std::size_t i = 0; i < half; ++i) {
      const double inner = random_.unit() * range_;
      const double exponent = i == 0 ? range_ + 1 : i + 1 == half ? 0 : inner;
      append(scaled(exponent), scaled(exponent));
    }
  }

  void cancel() {
    const std::size_t first = made_.a.size(), steps = n_ - first;
    for (std::size_t i = 0; i < steps; ++i) {
      const double exponent =
          range_ * static_cast<double>(steps - 1 - i) / static_cast<double>(steps - 1);
      const double a = rounded_to(bits_, scaled(exponent));
      append(a, (scaled(exponent) - static_cast<double>(total_.value())) / a);
    }
  }

  void shuffle() {
    for (std::size_t i = n_; i > 1; --i) {
      const std::size_t other = random_.below(i);
      std::swap(made_.a[i - 1], made_.a[other]);
      std::swap(made_.b[i - 1], made_.b[other]);
    }
  }

  std::size_t n_;
  double range_;  ///< exponents of the elements run from 0 to this
  int bits_;
  random_numbers random_;
  dot_case<T> made_{};
  exact_total<T> total_, magnitudes_;
};

}  // namespace

template <class T>
dot_case<T> ill_conditioned(std::size_t n, double condition, int bits, std::uint64_t seed) {
  return generator<T>(n, condition, bits, seed).make();
}

template dot_case<float> ill_conditioned(std::size_t, double, int, std::uint64_t);
template dot_case<double> ill_conditioned(std::size_t, double, int, std::uint64_t);

}  // namespace onefold::ladder
