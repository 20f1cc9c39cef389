// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "exact_kernels.cuh"

namespace onefold::test {
namespace {

constexpr detail::checks off(bool detail::checks::*flag) {
  detail::checks left;
  left.*flag = false;
  return left;
}

template <int Row>
struct mutant_checks;

#define ONEFOLD_MUTANT(row, name)                                                                  \
  template <>                                                                                      \
  struct mutant_checks<row> {                                                                      \
    static constexpr detail::checks on = off(&detail::checks::name);                               \
  };
ONEFOLD_MUTANT(0, binade)
ONEFOLD_MUTANT(1, residual)
ONEFOLD_MUTANT(2, tile)
ONEFOLD_MUTANT(3, clamp)
ONEFOLD_MUTANT(4, rollback)

template <onefold::accumulator Family, class T, class Checks = cuda::all_checks>
whole_kernel narrow() {
  return kernel_of<Family, T, Checks, cuda::float_lanes>();
}

template <class T>
whole_kernel mutant_of(const char* without) {
  constexpr auto total = onefold::accumulator::total;
  const struct {
    const char* check;
    whole_kernel kernel;
  } rows[] = {
      {"nothing", narrow<total, T>()},
      {"binade", narrow<total, T, mutant_checks<0>>()},
      {"residual", narrow<total, T, mutant_checks<1>>()},
      {"tile", narrow<total, T, mutant_checks<2>>()},
      {"clamp", narrow<total, T, mutant_checks<3>>()},
      {"rollback", narrow<total, T, mutant_checks<4>>()},
  };
  for (const auto& row : rows)
    if (std::strcmp(row.check, without) == 0) return row.kernel;
  return {};
}

}  // namespace

whole_kernel float_lanes_kernel(onefold::accumulator kind, dtype input, const char* without) {
  const bool half = input == dtype::f16;
  if (kind == onefold::accumulator::magnitudes)
    return half ? narrow<onefold::accumulator::magnitudes, f16>()
                : narrow<onefold::accumulator::magnitudes, float>();
  return half ? mutant_of<f16>(without) : mutant_of<float>(without);
}

}  // namespace onefold::test
