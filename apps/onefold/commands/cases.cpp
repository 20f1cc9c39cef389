// SPDX-License-Identifier: Apache-2.0
// The generators of the fingerprint's data: random, cancelling, tied and special numbers.
#include "commands/cases.hpp"

#include <bit>
#include <cstring>
#include <type_traits>

#include "onefold/detail/float_format.hpp"

namespace onefold::program {
namespace {

// Numbers of one floating format, assembled from sign, exponent field and fraction.
template <class T>
class floats {
  using format = onefold::detail::float_format<T>;
  using bits = typename format::bits;
  static constexpr int bias = format::max_exponent;

 public:
  explicit floats(std::uint64_t seed) : random_(seed) {}

  bits next(distribution which, std::size_t i, std::size_t items) {
    switch (which) {
    case distribution::uniform:
      return uniform();
    case distribution::normal:
      return normal();
    case distribution::wide:
      return any_finite();
    case distribution::cancelling:
      return cancelling(i, items);
    case distribution::ties:
      return tie();
    case distribution::subnormal:
      return join({coin(), 0, random_()});
    case distribution::zeros:
      return join({coin(), 0, 0});
    case distribution::minus_zeros:
      return join({true, 0, 0});
    case distribution::infinities:
      return random_() % 64 == 0 ? infinity(false) : normal();
    case distribution::specials:
      return special();
    }
    return 0;
  }

 private:
  // An aggregate: braces evaluate their random numbers from left to right, function arguments in
  // any order.
  struct pieces {
    bool negative;
    int field;
    std::uint64_t fraction;
  };

  static bits join(pieces list) {
    const auto low = bits(list.fraction & (std::uint64_t(format::hidden_bit) - 1));
    const auto high = bits(bits(list.field) << format::fraction_bits);
    return bits((list.negative ? format::sign_bit : 0) | high | low);
  }

  bool coin() { return (random_() >> 63) != 0; }
  static bits infinity(bool negative) { return join({negative, format::max_field, 0}); }

  // Below 2^-k with probability 2^-k, down to the smallest number of the format.
  bits uniform() {
    const int field = bias - 1 - std::countl_zero(random_());
    return join({false, field > 0 ? field : 0, random_()});
  }

  // The integer scaled by 2^-32, truncated to the format's precision.
  static bits scaled(std::int64_t value) {
    if (value == 0) return 0;
    const bool negative = value < 0;
    const auto size = std::uint64_t(negative ? -value : value);
    const int top = 63 - std::countl_zero(size);
    const int field = bias + top - 32;
    if (field < 1) return join({negative, 0, 0});
    const int shift = top - format::fraction_bits;
    return join({negative, field, shift >= 0 ? size >> shift : size << -shift});
  }

  bits normal() {
    std::int64_t sum = -(std::int64_t(6) << 32);
    for (int i = 0; i < 12; ++i) sum += std::int64_t(random_() >> 32);
    return scaled(sum);
  }

  bits any_finite() { return join({coin(), int(random_() % format::max_field), random_()}); }

  // The second half repeats the first with the other sign; the middle one of an odd count is alone.
  bits cancelling(std::size_t i, std::size_t items) {
    if (i == 0) first_ = random_;
    if (i == (items + 1) / 2) random_ = first_;
    const bits x = any_finite();
    return i < (items + 1) / 2 ? x : bits(x ^ format::sign_bit);
  }

  bits tie() {
    const std::uint64_t choice = random_() % 8;
    if (choice == 0) return join({false, bias, 0});
    if (choice == 1) return join({coin(), 0, 1});
    return join({coin(), bias - format::precision, 0});
  }

  bits special() {
    const std::uint64_t choice = random_() % 256;
    if (choice < 2) return infinity(choice == 0);
    if (choice == 2) return join({coin(), format::max_field, random_() | 1});
    return normal();
  }

  splitmix64 random_;
  splitmix64 first_{0};
};

template <class T>
std::vector<std::byte> make(distribution which, std::size_t items, std::uint64_t seed) {
  std::vector<std::byte> bytes(items * sizeof(T));
  const auto put = [&](std::size_t i, auto bits) {
    std::memcpy(bytes.data() + i * sizeof bits, &bits, sizeof bits);
  };
  if constexpr (is_floating(dtype_of<T>)) {
    floats<T> from(seed);
    for (std::size_t i = 0; i < items; ++i) put(i, from.next(which, i, items));
  } else {
    splitmix64 random(seed);
    for (std::size_t i = 0; i < items; ++i) {
      if constexpr (std::is_same_v<T, bool>)
        put(i, bool(random() >> 63));
      else
        put(i, T(random()));
    }
  }
  return bytes;
}

}  // namespace

std::string_view name(distribution which) noexcept {
  constexpr std::string_view names[] = {"uniform",    "normal",    "wide",  "cancelling",
                                        "ties",       "subnormal", "zeros", "minus_zeros",
                                        "infinities", "specials"};
  return names[static_cast<unsigned>(which)];
}

bool applies(distribution which, dtype type) noexcept {
  return which == distribution::uniform || is_floating(type);
}

std::uint64_t splitmix64::operator()() noexcept {
  std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::vector<std::byte> generate(dtype type, distribution which, std::size_t items,
                                std::uint64_t seed) {
  return with_type(type,
                   [&]<class T>(onefold::detail::tag<T>) { return make<T>(which, items, seed); });
}

}  // namespace onefold::program
