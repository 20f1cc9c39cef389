// SPDX-License-Identifier: Apache-2.0
// The numbers of E(x) (state/exponential.hpp) and of the logarithm: bands, steps, powers, nodes.
#pragma once

#include <cstdint>

#include "onefold/detail/config.hpp"

namespace onefold::detail {

inline constexpr int band_width = 512;
/// exp(-512), what an exponential of one band is in units of the next higher one, in two parts.
inline constexpr double band_ratio = 0x1.44109edb20931p-739,
                        band_ratio_rest = 0x1.68e232c6d0cfbp-793;

/// Steps of k in a binade.
inline constexpr std::uint32_t exponential_steps = 32;
/// The constants of a format: exp(t) = 1 + t + t^2 (second + third t + …), |t| <= log(2) / 64.
namespace exponential_of_float {
inline constexpr float steps_of_1 = 0x1.715476p+5f;                            // 32 / log 2
inline constexpr float step_high = 0x1.62e43p-6f, step_low = -0x1.05c61p-34f;  // log(2) / 32
inline constexpr float integer_ulp = 0x1.8p23f;
/// They exceed 1/2 and 1/6 by what makes the error of degree 4 and 5 least.
inline constexpr float second = 0x1.000088p-1f, third = 0x1.555594p-3f;
}  // namespace exponential_of_float
namespace exponential_of_double {
inline constexpr double steps_of_1 = 0x1.71547652b82fep+5;
inline constexpr double step_high = 0x1.62e42fefa39efp-6, step_low = 0x1.abc9e3b39803fp-61;
inline constexpr double integer_ulp = 0x1.8p52;
inline constexpr double second = 0.5, third = 0x1.5555555555555p-3, fourth = 0x1.5555555555555p-5,
                        fifth = 0x1.1111111111111p-7, sixth = 0x1.6c16c16c16c17p-10;
}  // namespace exponential_of_double

/// 2^(j / 32), rounded. A function: device code has no access to the host's arrays.
ONEFOLD_HOST_DEVICE constexpr double power_of_step(int j) noexcept {
  // clang-format off
  constexpr double powers[32] = {
    0x1p+0,               0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0,
    0x1.172b83c7d517bp+0, 0x1.1d4873168b9aap+0, 0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0,
    0x1.306fe0a31b715p+0, 0x1.371a7373aa9cbp+0, 0x1.3dea64c123422p+0, 0x1.44e086061892dp+0,
    0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0, 0x1.6247eb03a5585p+0,
    0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0, 0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0,
    0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f09p+0,  0x1.a5503b23e255dp+0,
    0x1.ae89f995ad3adp+0, 0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0,
    0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0, 0x1.ea4afa2a490dap+0, 0x1.f50765b6e454p+0};
  // clang-format on
  return powers[j];
}

/// log 2, and in two parts of which the upper one times an exponent is a double.
inline constexpr double log_of_2 = 0x1.62e42fefa39efp-1;
inline constexpr double log_of_2_high = 0x1.62e42fefa38p-1, log_of_2_low = 0x1.ef35793c7673p-45;

/// Of the numbers from 1 + i / 32 to 1 + (i + 1) / 32: the float next to the reciprocal of their
/// middle, and the logarithm of its own reciprocal in two parts.
struct log_node {
  double reciprocal, logarithm, rest;
};
inline constexpr int log_nodes = 32;
/// A function: device code has no access to the host's arrays.
ONEFOLD_HOST_DEVICE constexpr log_node log_node_of(int i) noexcept {
  // clang-format off
  constexpr log_node nodes[log_nodes] = {
    {0x1.f81f82p-1, 0x1.fc0a890fc03e4p-7, 0x1.f3db4e851a025p-64},
    {0x1.e9131ap-1, 0x1.77459be32dd23p-5, 0x1.58d3f33863dffp-59},
    {0x1.dae608p-1, 0x1.341d7461bd1ddp-4, 0x1.29980db65a305p-60},
    {0x1.cd8568p-1, 0x1.a926d8a4ad57p-4, -0x1.af42b3ab91a14p-60},
    {0x1.c0e07p-1, 0x1.0d77e8cd08e5ap-3, 0x1.9a5dc63e58601p-57},
    {0x1.b4e81cp-1, 0x1.44d2b38cb7d29p-3, -0x1.0585316b9acbp-60},
    {0x1.a98ef6p-1, 0x1.7ab890410d909p-3, 0x1.fe36b2d74b0b3p-59},
    {0x1.9ec8eap-1, 0x1.af3c91880bffep-3, 0x1.e672e728be6fdp-58},
    {0x1.948b1p-1, 0x1.e27075e2af2e7p-3, -0x1.61578157356b5p-59},
    {0x1.8acb9p-1, 0x1.0a3250a7390fp-2, -0x1.0460195491c17p-57},
    {0x1.818182p-1, 0x1.22941e6cf7969p-2, 0x1.442847cb75d73p-58},
    {0x1.78a4c8p-1, 0x1.3a64c596945eap-2, -0x1.8d0ca31369da2p-58},
    {0x1.702e06p-1, 0x1.51aad7c2df82ep-2, -0x1.0db0aebabfed6p-60},
    {0x1.681682p-1, 0x1.686c8039b14b4p-2, 0x1.d90af1d813902p-56},
    {0x1.605816p-1, 0x1.7eaf83c82afc3p-2, 0x1.9ace979ee7ea6p-56},
    {0x1.58ed24p-1, 0x1.94793ee21170bp-2, 0x1.093354a29efd8p-56},
    {0x1.51d07ep-1, 0x1.a9cecbb9a0852p-2, 0x1.e90a5c3be4ccap-59},
    {0x1.4afd6ap-1, 0x1.beb4d9ea71b7cp-2, -0x1.9e78b213bba4p-60},
    {0x1.446f86p-1, 0x1.d32fe8f00ebd8p-2, -0x1.7084db36e5b19p-56},
    {0x1.3e22ccp-1, 0x1.e744257d68789p-2, -0x1.5209729662683p-56},
    {0x1.381382p-1, 0x1.faf586678f32cp-2, -0x1.14146dbc084e4p-60},
    {0x1.323e34p-1, 0x1.0723e6d1cdf45p-1, -0x1.6d43417021ee4p-56},
    {0x1.2c9fb4p-1, 0x1.109f3b52d4c9fp-1, 0x1.078fc243d8979p-55},
    {0x1.27350cp-1, 0x1.19ee6a767c971p-1, 0x1.c172f4818b233p-55},
    {0x1.21fb78p-1, 0x1.23130d9bebf43p-1, -0x1.b48725e0ca2c3p-55},
    {0x1.1cf06ap-1, 0x1.2c0ea05c48e95p-1, 0x1.a7aa0fb3cd751p-57},
    {0x1.181182p-1, 0x1.34e28831ce1dep-1, 0x1.fd7199370f979p-58},
    {0x1.135c82p-1, 0x1.3d9024ef15706p-1, 0x1.d4107ddfe0b0bp-55},
    {0x1.0ecf56p-1, 0x1.4618bd89c5ecap-1, 0x1.982dfbb3acf9ap-55},
    {0x1.0a681p-1, 0x1.4e7d825b75bb7p-1, -0x1.1a7b28787e76p-56},
    {0x1.0624dep-1, 0x1.56bf9bc33f3a3p-1, 0x1.a87172c5b90c1p-55},
    {0x1.020408p-1, 0x1.5ee02ab241676p-1, -0x1.fca7da7e0c4d3p-55},
  };
  // clang-format on
  return nodes[i];
}

}  // namespace onefold::detail
