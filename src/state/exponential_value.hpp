// SPDX-License-Identifier: Apache-2.0
// What an exponential sum is rounded to: the same text for host and device.
#pragma once

#include "onefold/detail/exponential_sum.hpp"
#include "onefold/detail/scaled_pair.hpp"
#include "state/exponential.hpp"
#include "state/logarithm.hpp"

namespace onefold::detail {

/// The exact sum of a band and of the next lower one, in units of the former.
ONEFOLD_HOST_DEVICE inline scaled_pair sum_of_bands(const band_sum& top, const band_sum& below,
                                                    band_sum::storage& in) noexcept {
  const scaled_pair sum = top.value(in);
  if (below.empty()) return sum;
  const scaled_pair less = below.value(in);
  const double high = less.high * band_ratio;
  const double low = __builtin_fma(less.high, band_ratio, -high) +
                     (less.high * band_ratio_rest + less.low * band_ratio);
  const scaled_pair both = two_sum(sum.high, high);
  return two_sum(both.high, both.low + (sum.low + low));
}

/// exponential_sum::logarithm.
template <class T, class Nodes = log_node_table>
ONEFOLD_HOST_DEVICE inline scaled_pair logarithm_of_sum(const exponential_sum<T>& sum,
                                                        band_sum::storage& in,
                                                        const Nodes& nodes = {}) noexcept {
  return logarithm_of(sum_of_bands(sum.top(), sum.below(), in), sum.band() * band_width, nodes);
}

/// exponential_sum::value.
template <class Out, class T, class Nodes = log_node_table>
ONEFOLD_HOST_DEVICE inline Out value_of_sum(const exponential_sum<T>& sum, bool omit_nans,
                                            band_sum::storage& in,
                                            const Nodes& nodes = {}) noexcept {
  using format = float_format<Out>;
  if (sum.nan_count() > 0 && !omit_nans) return canonical_nan<Out>();
  if (sum.infinity_count() > 0) return from_bits<Out>(format::infinity);
  if (sum.empty()) return with_sign<Out>(format::infinity, true);
  if (sum.finite_count() > 1) return rounded<Out>(logarithm_of_sum(sum, in, nodes));
  return rounded<Out>({double(sum.only_element()), 0, 0});
}

}  // namespace onefold::detail
