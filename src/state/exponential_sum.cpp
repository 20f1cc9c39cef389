// SPDX-License-Identifier: Apache-2.0
// The accumulator of exponentials: one element, and the logarithm of the sum.
#include "onefold/detail/exponential_sum.hpp"

#include "state/exponential.hpp"
#include "state/exponential_value.hpp"

namespace onefold::detail {

template <class T>
void exponential_sum<T>::add(T x) noexcept {
  ++count_;
  if (x != x) {
    ++nans_;
  } else if (x - x != 0) {
    ++(x > 0 ? infinities_ : negative_infinities_);
  } else {
    patterns_ += to_bits(x);
    const auto [band, rest] = banded_of(x);
    if (top_.empty() || band > band_) raise(double(band));
    if (band == band_)
      top_.add(exponential(rest));
    else if (is_below(double(band)))
      below_.add(exponential(rest));
  }
}

template <class T>
scaled_pair exponential_sum<T>::sum(double without) const noexcept {
  band_sum top = top_;
  if (without != 0) top.remove(without);
  band_sum::storage in;
  return sum_of_bands(top, below_, in);
}

template <class T>
scaled_pair exponential_sum<T>::logarithm() const noexcept {
  band_sum::storage in;
  return logarithm_of_sum(*this, in);
}

template <class T>
template <class Out>
Out exponential_sum<T>::value(bool omit_nans) const noexcept {
  band_sum::storage in;
  return value_of_sum<Out>(*this, omit_nans, in);
}

template class exponential_sum<float>;
template class exponential_sum<double>;
template f16 exponential_sum<float>::value(bool) const noexcept;
template bf16 exponential_sum<float>::value(bool) const noexcept;
template float exponential_sum<float>::value(bool) const noexcept;
template double exponential_sum<float>::value(bool) const noexcept;
template f16 exponential_sum<double>::value(bool) const noexcept;
template bf16 exponential_sum<double>::value(bool) const noexcept;
template float exponential_sum<double>::value(bool) const noexcept;
template double exponential_sum<double>::value(bool) const noexcept;

}  // namespace onefold::detail
