// SPDX-License-Identifier: Apache-2.0
// Sums with a rounding after every addition.
#include "commands/rounded_sums.hpp"

#include <algorithm>
#include <array>
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

// Arithmetic of an element type: values are held in f64 or f32, and sums rounded to the type.
template <class T>
struct arithmetic {
  using value = T;
  static value load(T x) { return x; }
  static value round(value x) { return x; }
  static T stored(value x) { return x; }
};

// Of types that are rounded in f32. round_plain() rounds the bits of sums below `special`, which
// are finite and do not overflow; Bits: an integer, or a vector of them.
template <>
struct arithmetic<bf16> {
  using value = float;
  static constexpr std::int32_t special = 0x7f800001;  // NaNs
  static float load(bf16 x) { return std::bit_cast<float>(std::uint32_t(x.bits) << 16); }
  template <class Bits>
  static Bits round_plain(Bits bits) {
    return (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
  }
  static float round(float x) {
    if (std::isnan(x)) return x;
    return std::bit_cast<float>(round_plain(std::bit_cast<std::uint32_t>(x)));
  }
  static bf16 stored(float x) {
    if (std::isnan(x)) return {0x7fc0};
    return {std::uint16_t(std::bit_cast<std::uint32_t>(x) >> 16)};
  }
};

template <>
struct arithmetic<f16> {
  using value = float;
  static constexpr auto special = std::bit_cast<std::int32_t>(65520.0f);  // rounded to 2^16
  static float load(f16 x) {
    const std::int32_t magnitude = x.bits & 0x7fff;
    // The multiplication also makes subnormals normal.
    const auto finite =
        std::bit_cast<std::int32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f);
    const std::int32_t infinite = -std::int32_t(magnitude >= 0x7c00);  // all bits, or none
    const std::int32_t size = (finite & ~infinite) | ((magnitude << 13 | 0x7f800000) & infinite);
    return std::bit_cast<float>(size | std::int32_t(x.bits >> 15) << 31);
  }
  // A sum of two numbers is a multiple of the least subnormal, 2^-24. Below 2^-14 its lowest 13
  // bits are therefore zeros, and it is itself.
  template <class Bits>
  static Bits round_plain(Bits bits) {
    return (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000u;
  }
  static float round(float x) {
    if (std::isnan(x)) return x;
    if (std::bit_cast<std::int32_t>(std::fabs(x)) >= special)
      return std::copysign(std::numeric_limits<float>::infinity(), x);
    return std::bit_cast<float>(round_plain(std::bit_cast<std::uint32_t>(x)));
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

// Whether sums in this type are rounded after the addition.
template <class T>
constexpr bool rounds_apart = sizeof(T) < sizeof(typename arithmetic<T>::value);

// Sums of a loop, rounded without branches, and whether any of them was special: then the loop's
// results are wrong, and round() has to do it again.
template <class T>
class plain_rounding {
 public:
  float operator()(float sum) {
    const auto bits = std::bit_cast<std::int32_t>(sum);
    special_ |= std::int32_t((bits & 0x7fffffff) >= arithmetic<T>::special);
    return std::bit_cast<float>(arithmetic<T>::round_plain(std::bit_cast<std::uint32_t>(sum)));
  }
  bool holds() const { return special_ == 0; }

 private:
  std::int32_t special_ = 0;
};

template <class T>
class pairwise_sum {
  using value = typename arithmetic<T>::value;
  static constexpr std::int64_t block_items = 128, lanes = 8;

 public:
  explicit pairwise_sum(std::int64_t items) { descend(items); }

  void add(std::span<const value> x) {
    while (!x.empty()) {
      const std::size_t n = std::min(x.size(), std::size_t(wanted_ - filled_));
      std::copy_n(x.begin(), n, block_ + filled_);
      filled_ += std::int64_t(n);
      x = x.subspan(n);
      if (filled_ == wanted_) ascend();
    }
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

  // The sums of every eighth element, rounded by `round`.
  template <class Round>
  void add_lanes(value (&lane)[lanes], Round&& round) const {
    std::copy_n(block_, lanes, lane);
    for (std::int64_t i = lanes; i < wanted_ - wanted_ % lanes; i += lanes)
      for (int k = 0; k < lanes; ++k) lane[k] = round(lane[k] + block_[i + k]);
  }
  void add_lanes(value (&lane)[lanes]) const {
    if constexpr (rounds_apart<T>) {
      plain_rounding<T> round;
      add_lanes(lane, round);
      if (round.holds()) return;
    }
    add_lanes(lane, arithmetic<T>::round);
  }

  value block_sum() const {
    std::int64_t i = 0;
    value sum = value(-0.0);
    if (wanted_ >= lanes) {
      value lane[lanes];
      add_lanes(lane);
      i = wanted_ - wanted_ % lanes;
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
  explicit summation_of(std::int64_t items) : pairwise_(items) { waiting_.fill(value(-0.0)); }

  void add(const array_view& window) override {
    const std::int64_t items = window.rank() == 0 ? 1 : window.axes()[0].extent;
    std::span elements(static_cast<const T*>(window.data()), std::size_t(items));
    while (!elements.empty()) {
      value loaded[piece_items];
      const std::size_t n = std::min(elements.size(), piece_items);
      std::transform(elements.begin(), elements.begin() + std::ptrdiff_t(n), loaded,
                     arithmetic<T>::load);
      add(std::span<const value>(loaded, n));
      elements = elements.subspan(n);
    }
  }

  rounded_sums sums() const override {
    const auto stored = [&](value x) {
      return number::from(arithmetic<T>::stored(empty_ ? value(0) : x));
    };
    return {stored(naive_), stored(pairwise_.sum()), stored(plus(neumaier_, errors_until_now()))};
  }

 private:
  static value plus(value a, value b) { return arithmetic<T>::round(a + b); }

  void add(std::span<const value> piece) {
    empty_ = false;
    pairwise_.add(piece);
    for (const value x : piece) {
      nans += std::isnan(x);
      infinities += std::isinf(x);
    }
    if constexpr (rounds_apart<T>)
      if (add_plain(piece)) return;
    if (waiting_items_ > 0) {
      errors_ = errors_until_now(), waiting_items_ = 0;
      waiting_.fill(value(-0.0));
    }
    for (const value x : piece) {
      naive_ = plus(naive_, x);
      const value sum = plus(neumaier_, x);
      errors_ = plus(errors_, error_of(neumaier_, x, sum, arithmetic<T>::round));
      neumaier_ = sum;
    }
  }

  template <class Round>
  static value error_of(value a, value b, value sum, Round&& round) {
    const bool larger = std::fabs(a) >= std::fabs(b);
    const value large = larger ? a : b, small = larger ? b : a;
    return round(round(large - sum) + small);
  }

  // The same piece with one rounding for three chains: the naive sum, Neumaier's, and that of the
  // errors of the piece before; and one for four errors. Returns false if a sum is special: then
  // nothing has changed.
  bool add_plain(std::span<const value> piece) {
    using floats [[gnu::vector_size(16)]] = float;
    using integers [[gnu::vector_size(16)]] = std::int32_t;
    using words [[gnu::vector_size(16)]] = std::uint32_t;
    const std::size_t n = piece.size();
    float sums[piece_items + 1];
    sums[0] = neumaier_;
    floats chains = {naive_, neumaier_, errors_, 0};
    integers special = {};
    const auto step = [&](float x, float error) {
      const auto bits = words(chains + floats{x, x, error, 0});
      special |= integers(bits & 0x7fffffff) >= arithmetic<T>::special;
      chains = floats(arithmetic<T>::round_plain(bits));
    };
    for (std::size_t i = 0; i < n; ++i) {
      step(piece[i], waiting_[i]);
      sums[i + 1] = chains[1];
    }
    for (std::size_t i = n; i < waiting_items_; ++i) step(-0.0f, waiting_[i]);
    std::array<float, piece_items> errors;
    errors.fill(-0.0f);
    plain_rounding<T> round;
    for (std::size_t i = 0; i < n; ++i) errors[i] = error_of(sums[i], piece[i], sums[i + 1], round);
    if (!round.holds() || (special[0] | special[1] | special[2]) != 0) return false;
    naive_ = chains[0], neumaier_ = chains[1], errors_ = chains[2];
    waiting_ = errors, waiting_items_ = n;
    return true;
  }

  value errors_until_now() const {
    value errors = errors_;
    for (std::size_t i = 0; i < waiting_items_; ++i) errors = plus(errors, waiting_[i]);
    return errors;
  }

  static constexpr std::size_t piece_items = 1024;

  // -0 changes no number that is added to it.
  value naive_ = value(-0.0), neumaier_ = value(-0.0), errors_ = value(-0.0);
  std::array<value, piece_items> waiting_;  // the errors of the piece before, and then -0
  std::size_t waiting_items_ = 0;
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
