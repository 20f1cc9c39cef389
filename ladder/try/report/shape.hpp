// SPDX-License-Identifier: Apache-2.0
#pragma once
// Three extents: of a grid, of a block, or of the data, whose rows are x long.

#include <cstdint>
#include <string>

namespace onefold::ladder {

struct try_shape {
  unsigned x = 1, y = 1, z = 1;

  constexpr try_shape() = default;
  constexpr try_shape(unsigned x0, unsigned y0 = 1, unsigned z0 = 1) : x(x0), y(y0), z(z0) {}

  constexpr std::uint64_t volume() const { return std::uint64_t{x} * y * z; }
  constexpr bool is_flat() const { return y == 1 && z == 1; }
  friend constexpr bool operator==(const try_shape&, const try_shape&) = default;
};

/// "16", "16,8" or "16,8,2".
inline std::string to_string(const try_shape& s) {
  std::string text = std::to_string(s.x);
  if (!s.is_flat()) text += ',' + std::to_string(s.y);
  return s.z == 1 ? text : text + ',' + std::to_string(s.z);
}

}  // namespace onefold::ladder
