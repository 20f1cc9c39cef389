// SPDX-License-Identifier: Apache-2.0
#include "data_sets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>

#include "onefold/detail/float_format.hpp"

namespace onefold::bench {
namespace {

constexpr std::int64_t fresh_items = std::int64_t(1) << 20;

// Truncated, and zero below the normal range: values to be read, not to be judged.
f16 half_of(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const int field = int(bits >> 23 & 0xFF) - 112;
  const std::uint32_t sign = bits >> 16 & 0x8000;
  if (field <= 0) return {std::uint16_t(sign)};
  if (field >= 31) return {std::uint16_t(sign | 0x7BFF)};
  return {std::uint16_t(sign | std::uint32_t(field) << 10 | (bits >> 13 & 0x3FF))};
}

template <class T>
T narrowed(double x) {
  if constexpr (std::is_same_v<T, f16>)
    return half_of(float(x));
  else if constexpr (std::is_same_v<T, bf16>)
    return {std::uint16_t(std::bit_cast<std::uint32_t>(float(x)) >> 16)};
  else
    return T(x);
}

template <class T>
class source {
 public:
  explicit source(const std::string& kind) : kind_(kind) {
    if (kind != "random" && kind != "lognormal10" && kind != "bits" && kind != "zeros")
      throw std::runtime_error("no data called " + kind);
  }
  T next() {
    if (kind_ == "zeros") return T{};
    if constexpr (std::is_same_v<T, bool>)
      return (random_() & 1) != 0;
    else if constexpr (std::is_integral_v<T>)
      return T(random_()) >> (sizeof(T) == 8 ? 28 : 0);  // sums fit in 64 bits
    else
      return next_float();
  }

 private:
  T next_float() {
    using format = detail::float_format<T>;
    if (kind_ == "random") return narrowed<T>(normal_(random_));
    if (kind_ == "lognormal10")
      return narrowed<T>(normal_(random_) * std::exp(10 * normal_(random_)));
    for (;;) {
      const auto bits = typename format::bits(random_());
      if ((bits & format::infinity) != format::infinity) return detail::from_bits<T>(bits);
    }
  }

  std::string kind_;
  std::mt19937_64 random_{20240229};
  std::normal_distribution<double> normal_;
};

}  // namespace

data_set make_data(dtype type, const std::string& kind, std::int64_t items) {
  data_set made;
  made.size_bytes = std::size_t(items) * size_bytes(type);
  made.bytes = std::make_unique_for_overwrite<std::byte[]>(made.size_bytes);
  const std::int64_t fresh = std::min(items, fresh_items);
  with_type(type, [&]<class T>(detail::tag<T>) {
    source<T> values(kind);
    for (std::int64_t i = 0; i < fresh; ++i) {
      const T value = values.next();
      std::memcpy(made.bytes.get() + std::size_t(i) * sizeof value, &value, sizeof value);
    }
  });
  const std::size_t period = std::size_t(fresh) * size_bytes(type);
  for (std::size_t at = period; at < made.size_bytes; at += period)
    std::memcpy(made.bytes.get() + at, made.bytes.get(), std::min(period, made.size_bytes - at));
  return made;
}

std::vector<std::int64_t> make_offsets(const std::string& mean, std::int64_t items) {
  std::mt19937_64 random(5);
  const std::uint64_t choices = mean == "zipf" ? 0 : 2 * std::stoull(mean) + 1;
  std::vector<std::int64_t> offsets = {0};
  while (offsets.back() < items) {
    const double u = double((random() >> 11) + 1) * 0x1p-53;
    const auto length =
        choices == 0 ? std::int64_t(std::min(1e5, 1 / u)) : std::int64_t(random() % choices);
    offsets.push_back(std::min(items, offsets.back() + length));
  }
  return offsets;
}

}  // namespace onefold::bench
