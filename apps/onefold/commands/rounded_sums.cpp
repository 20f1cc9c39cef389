// SPDX-License-Identifier: Apache-2.0
// Sums with a rounding after every addition.
#include "commands/rounded_sums.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "onefold/detail/float_format.hpp"

namespace onefold::program {
namespace {

constexpr float f16_least_normal = 0x1p-14f;

// Arithmetic of an element type: values are held in f64 or f32, rounded to the type.
template <class T>
struct arithmetic {
  using value = T;
  static value load(T x) { return x; }
  static value round(value x) { return x; }
  static T stored(value x) { return x; }
};

template <>
struct arithmetic<bf16> {
  using value = float;
  static float load(bf16 x) { return std::bit_cast<float>(std::uint32_t(x.bits) << 16); }
  static float round(float x) {
    if (std::isnan(x)) return x;
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
  }
  static bf16 stored(float x) { return {std::uint16_t(std::bit_cast<std::uint32_t>(x) >> 16)}; }
};

template <>
struct arithmetic<f16> {
  using value = float;
  static float load(f16 x) {
    const std::uint32_t magnitude = x.bits & 0x7fff;
    const bool special = magnitude >= 0x7c00;
    // The multiplication also makes subnormals normal.
    const float size = special ? std::bit_cast<float>(0x7f800000 | (magnitude & 0x3ff) << 13)
                               : std::bit_cast<float>(magnitude << 13) * 0x1p112f;
    return x.bits >> 15 != 0 ? -size : size;
  }
  static float round(float x) {
    constexpr float overflow = 65520;  // halfway from the largest number to 2^16
    const float size = std::fabs(x);
    if (std::isnan(x)) return x;
    if (size >= overflow) return std::copysign(std::numeric_limits<float>::infinity(), x);
    // The units in the last place of [0.5, 1) in f32 are those of subnormals in f16.
    if (size < f16_least_normal) return std::copysign((size + 0.5f) - 0.5f, x);
    const auto bits = std::bit_cast<std::uint32_t>(x);
    return std::bit_cast<float>((bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000);
  }
  static f16 stored(float x) {
    const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
    const float size = std::fabs(x);
    if (std::isnan(x)) return {0x7e00};
    if (std::isinf(x)) return {std::uint16_t(sign | 0x7c00)};
    const std::uint32_t magnitude = size < f16_least_normal
                                        ? std::uint32_t(size * 0x1p24f)
                                        : (std::bit_cast<std::uint32_t>(size) >> 13) - (112 << 10);
    return {std::uint16_t(sign | magnitude)};
  }
};

template <class T>
class pairwise_sum {
  using value = typename arithmetic<T>::value;
  static constexpr std::int64_t block_items = 128, lanes = 8;

 public:
  explicit pairwise_sum(std::int64_t items) { descend(items); }

  void add(value x) {
    block_[filled_++] = x;
    if (filled_ == wanted_) ascend();
  }
  value sum() const { return sum_; }

 private:
  static value plus(value a, value b) { return arithmetic<T>::round(a + b); }

  // Goes to the leftmost block of a range; the right halves wait.
  void descend(std::int64_t items) {
    while (items > block_items) {
      std::int64_t left = items / 2;
      left -= left % lanes;
      waiting_.push_back({items - left, 0, false});
      items = left;
    }
    wanted_ = items;
    filled_ = 0;
  }

  void ascend() {
    value sum = block_sum();
    while (!waiting_.empty()) {
      half& parent = waiting_.back();
      if (!parent.has_left) {
        parent.left = sum;
        parent.has_left = true;
        return descend(parent.right_items);
      }
      sum = plus(parent.left, sum);
      waiting_.pop_back();
    }
    sum_ = sum;
    wanted_ = 0;
  }

  value block_sum() const {
    std::int64_t i = lanes;
    value sum = value(-0.0);
    if (wanted_ < lanes) {
      i = 0;
    } else {
      value lane[lanes];
      std::copy_n(block_, lanes, lane);
      for (; i < wanted_ - wanted_ % lanes; i += lanes)
        for (int k = 0; k < lanes; ++k) lane[k] = plus(lane[k], block_[i + k]);
      sum = plus(plus(plus(lane[0], lane[1]), plus(lane[2], lane[3])),
                 plus(plus(lane[4], lane[5]), plus(lane[6], lane[7])));
    }
    for (; i < wanted_; ++i) sum = plus(sum, block_[i]);
    return sum;
  }

  struct half {
    std::int64_t right_items;
    value left;
    bool has_left;
  };

  std::vector<half> waiting_;
  value block_[block_items];
  std::int64_t wanted_ = 0, filled_ = 0;
  value sum_ = 0;
};

template <class T>
class summation_of final : public summation {
  using value = typename arithmetic<T>::value;

 public:
  explicit summation_of(std::int64_t items) : pairwise_(items) {}

  void add(const array_view& window) override {
    const std::int64_t items = window.rank() == 0 ? 1 : window.axes()[0].extent;
    const std::span elements(static_cast<const T*>(window.data()), std::size_t(items));
    for (const T element : elements) add(arithmetic<T>::load(element));
  }

  rounded_sums sums() const override {
    const auto stored = [&](value x) {
      return number::of(arithmetic<T>::stored(empty_ ? value(0) : x));
    };
    return {stored(naive_), stored(pairwise_.sum()), stored(plus(neumaier_, errors_))};
  }

 private:
  static value plus(value a, value b) { return arithmetic<T>::round(a + b); }

  void add(value x) {
    empty_ = false;
    nans += std::isnan(x);
    infinities += std::isinf(x);
    naive_ = plus(naive_, x);
    pairwise_.add(x);
    const value sum = plus(neumaier_, x);
    const bool larger = std::fabs(neumaier_) >= std::fabs(x);
    const value large = larger ? neumaier_ : x, small = larger ? x : neumaier_;
    errors_ = plus(errors_, plus(plus(large, -sum), small));
    neumaier_ = sum;
  }

  // -0 changes no number that is added to it.
  value naive_ = value(-0.0), neumaier_ = value(-0.0), errors_ = value(-0.0);
  pairwise_sum<T> pairwise_;
  bool empty_ = true;
};

// The first digits of a decimal as an integer, and the power of ten to multiply by.
struct leading_digits {
  std::uint64_t digits = 0;
  int exponent = 0;
};

leading_digits leading(std::string_view decimal) {
  constexpr std::uint64_t most = 100'000'000'000'000'000;  // 18 digits fit
  leading_digits found;
  bool after_point = false;
  for (const char c : decimal) {
    if (c == '.') after_point = true;
    if (c < '0' || c > '9') continue;
    const bool taken = found.digits < most;
    if (taken) found.digits = found.digits * 10 + std::uint64_t(c - '0');
    found.exponent += int(!taken) - int(after_point);
  }
  return found;
}

}  // namespace

std::unique_ptr<summation> make_summation(dtype type, std::int64_t items) {
  return with_type(type, [&]<class T>(onefold::detail::tag<T>) -> std::unique_ptr<summation> {
    if constexpr (is_floating(dtype_of<T>)) return std::make_unique<summation_of<T>>(items);
    return nullptr;
  });
}

double ulps_between(const number& sum, const number& exact) {
  const double wrong = widened(sum), right = widened(exact);
  if (wrong == right || (std::isnan(wrong) && std::isnan(right))) return 0;
  if (right == 0 || !std::isfinite(right) || !std::isfinite(wrong))
    return std::numeric_limits<double>::infinity();
  const int ulp_exponent = with_type(exact.type(), [&]<class T>(onefold::detail::tag<T>) {
    if constexpr (is_floating(dtype_of<T>)) {
      using format = onefold::detail::float_format<T>;
      return std::max(std::ilogb(right), 1 - format::max_exponent) - format::precision + 1;
    }
    return 0;
  });
  return std::fabs(std::ldexp(wrong, -ulp_exponent) - std::ldexp(right, -ulp_exponent));
}

double condition_number(std::string_view magnitudes, std::string_view sum) {
  constexpr int largest_exponent = std::numeric_limits<double>::max_exponent10;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto finite = [](std::string_view text) {
    return text.find_first_of("nN") == std::string_view::npos;  // nan, inf
  };
  if (!finite(magnitudes) || !finite(sum)) return std::numeric_limits<double>::quiet_NaN();
  const leading_digits all = leading(magnitudes), rest = leading(sum);
  if (rest.digits == 0) return all.digits == 0 ? 1 : infinity;
  const int exponent = all.exponent - rest.exponent;
  if (exponent > largest_exponent) return infinity;
  // from_chars is the same on every machine, and pow is not.
  const std::string power = "1e" + std::to_string(exponent);
  double scale = 0;
  std::from_chars(power.data(), power.data() + power.size(), scale);
  return std::max(1.0, double(all.digits) / double(rest.digits) * scale);
}

}  // namespace onefold::program
