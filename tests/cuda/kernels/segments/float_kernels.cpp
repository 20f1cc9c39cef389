// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/kernels/segments/kernels.cuh"

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

template <class Terms>
segments_kernel sums() {
  return kernel_of_fold<cuda::segment_sums<Terms>>();
}

template <onefold::accumulator Family>
segments_kernel wide_kernel(dtype input) {
  return input == dtype::f64 ? sums<cuda::batched_terms<Family, double>>()
                             : sums<cuda::batched_terms<Family, float>>();
}

}  // namespace

segments_kernel segment_float_kernel(onefold::accumulator kind, dtype input,
                                     segments_variant variant) {
  constexpr auto total = onefold::accumulator::total;
  if (variant == segments_variant::nearest)
    return sums<cuda::batched_terms<total, float, to_nearest>>();
  if (variant == segments_variant::marks && input == dtype::bf16)
    return sums<marked<cuda::batched_terms<total, bf16>>>();
  if (variant == segments_variant::marks)
    return input == dtype::f64 ? sums<marked<cuda::batched_terms<total, double>>>()
                               : sums<marked<cuda::batched_terms<total, float>>>();
  if (kind == onefold::accumulator::squares)
    return wide_kernel<onefold::accumulator::squares>(input);
  if (kind == onefold::accumulator::magnitudes)
    return wide_kernel<onefold::accumulator::magnitudes>(input);
  if (input == dtype::f16) return sums<cuda::batched_terms<total, f16>>();
  if (input == dtype::bf16) return sums<cuda::batched_terms<total, bf16>>();
  return wide_kernel<total>(input);
}

}  // namespace onefold::test
