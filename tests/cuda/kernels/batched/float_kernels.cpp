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
batched_kernels wide_kernels(dtype input) {
  return input == dtype::f64 ? kernels_of_terms<cuda::batched_terms<Family, double>>()
                             : kernels_of_terms<cuda::batched_terms<Family, float>>();
}

batched_kernels total_kernels(dtype input) {
  constexpr auto total = onefold::accumulator::total;
  if (input == dtype::f16) return kernels_of_terms<cuda::batched_terms<total, f16>>();
  if (input == dtype::bf16) return kernels_of_terms<cuda::batched_terms<total, bf16>>();
  return wide_kernels<total>(input);
}

}  // namespace

batched_kernels batched_float_kernels(onefold::accumulator kind, dtype input,
                                      batched_variant variant) {
  constexpr auto total = onefold::accumulator::total;
  if (variant == batched_variant::nearest)
    return kernels_of_terms<cuda::batched_terms<total, float, to_nearest>>();
  if (variant == batched_variant::marks)
    return input == dtype::f64 ? kernels_of_terms<marked<cuda::batched_terms<total, double>>>()
                               : kernels_of_terms<marked<cuda::batched_terms<total, float>>>();
  if (kind == onefold::accumulator::squares)
    return wide_kernels<onefold::accumulator::squares>(input);
  if (kind == onefold::accumulator::magnitudes)
    return wide_kernels<onefold::accumulator::magnitudes>(input);
  return total_kernels(input);
}

}  // namespace onefold::test
