// SPDX-License-Identifier: Apache-2.0
// Compiles the loops of the exact accumulators other than the sum for every SIMD target.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "onefold's loops need IEEE arithmetic as written: compile without -ffast-math and its parts"
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/sum/term_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "cpu/kernels/sum/cascade-inl.hpp"
#include "cpu/kernels/sum/integer_terms-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {

template <class T>
exact_accumulators<T> make_accumulators() {
  return {make_exact_kernels<accumulator::magnitudes, T, all_checks>(),
          make_exact_kernels<accumulator::squares, T, all_checks>(),
          make_exact_kernels<accumulator::products, T, all_checks>(),
          make_exact_kernels<accumulator::moments, T, all_checks>()};
}

integer_accumulators make_integers() {
  using detail::tag;
  return make_integer_accumulators(tag<bool>(), tag<std::int8_t>(), tag<std::int16_t>(),
                                   tag<std::int32_t>(), tag<std::int64_t>(), tag<std::uint8_t>(),
                                   tag<std::uint16_t>(), tag<std::uint32_t>(),
                                   tag<std::uint64_t>());
}

const term_table& terms() {
  static const term_table table = {{make_accumulators<double>(), make_accumulators<float>(),
                                    make_accumulators<f16>(), make_accumulators<bf16>()},
                                   make_integers()};
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/kernels/dispatch.hpp"
#include "cpu/kernels/targets.hpp"

namespace onefold::cpu {

HWY_EXPORT(terms);

const term_table& terms_of_target(std::int64_t target) {
  return entry_of_target(HWY_DISPATCH_TABLE(terms), target)();
}

}  // namespace onefold::cpu
#endif
