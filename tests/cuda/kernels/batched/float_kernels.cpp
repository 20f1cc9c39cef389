// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

namespace onefold::test {
namespace {

struct to_nearest {
  ONEFOLD_DEVICE static double add(double a, double b) { return a + b; }
};

template <class Terms>
struct marked : Terms {
  ONEFOLD_DEVICE static void fallback(const typename Terms::element*, const cuda::strided_range&,
                                      const cuda::answer_form& form, std::int64_t*, void* out,
                                      std::int64_t k) {
    __syncwarp();
    if (cuda::lane_index() != 0) return;
    if (form.output == dtype::f64) static_cast<std::uint64_t*>(out)[k] = ~std::uint64_t(0);
    if (form.output == dtype::f32) static_cast<std::uint32_t*>(out)[k] = ~std::uint32_t(0);
    if (size_bytes(form.output) == 2) static_cast<std::uint16_t*>(out)[k] = 0xFFFF;
  }
};

template <onefold::accumulator Family>
many_kernels wide_kernels(dtype input) {
  return input == dtype::f64 ? kernels_of_terms<cuda::many_terms<Family, double>>()
                             : kernels_of_terms<cuda::many_terms<Family, float>>();
}

many_kernels total_kernels(dtype input) {
  constexpr auto total = onefold::accumulator::total;
  if (input == dtype::f16) return kernels_of_terms<cuda::many_terms<total, f16>>();
  if (input == dtype::bf16) return kernels_of_terms<cuda::many_terms<total, bf16>>();
  return wide_kernels<total>(input);
}

}  // namespace

many_kernels many_float_kernels(onefold::accumulator kind, dtype input, many_variant variant) {
  constexpr auto total = onefold::accumulator::total;
  if (variant == many_variant::nearest)
    return kernels_of_terms<cuda::many_terms<total, float, to_nearest>>();
  if (variant == many_variant::marks)
    return input == dtype::f64 ? kernels_of_terms<marked<cuda::many_terms<total, double>>>()
                               : kernels_of_terms<marked<cuda::many_terms<total, float>>>();
  if (kind == onefold::accumulator::squares)
    return wide_kernels<onefold::accumulator::squares>(input);
  if (kind == onefold::accumulator::magnitudes)
    return wide_kernels<onefold::accumulator::magnitudes>(input);
  return total_kernels(input);
}

}  // namespace onefold::test
