// SPDX-License-Identifier: Apache-2.0
// The generated data of `onefold fingerprint`, made by integer arithmetic on bits, so that no
// rounding mode, libm or compiler can change them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "onefold/dtype.hpp"

namespace onefold::program {

enum class distribution : unsigned char {
  uniform,     ///< integers: all bits; floats: 0 to 1
  normal,      ///< approximately: the sum of twelve uniforms
  wide,        ///< every exponent equally likely
  cancelling,  ///< every number and its negative, and one more if the count is odd
  ties,        ///< 1 and halves of its last place
  subnormal,
  zeros,  ///< of both signs
  minus_zeros,
  infinities,  ///< of one sign, among many finite numbers
  specials,    ///< infinities of both signs, and NaN
};

inline constexpr distribution all_distributions[] = {
    distribution::uniform,    distribution::normal,      distribution::wide,
    distribution::cancelling, distribution::ties,        distribution::subnormal,
    distribution::zeros,      distribution::minus_zeros, distribution::infinities,
    distribution::specials};

std::string_view name(distribution which) noexcept;

/// Integers and bools have the uniform distribution only.
bool applies(distribution which, dtype type) noexcept;

/// Sebastiano Vigna's splitmix64: 64 bits of state, every seed good.
class splitmix64 {
 public:
  explicit splitmix64(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint64_t operator()() noexcept;

 private:
  std::uint64_t state_;
};

/// The elements of a case, as bytes of this machine. Precondition: applies(which, type).
std::vector<std::byte> generate(dtype type, distribution which, std::size_t items,
                                std::uint64_t seed);

}  // namespace onefold::program
