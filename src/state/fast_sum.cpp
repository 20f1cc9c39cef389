// SPDX-License-Identifier: Apache-2.0
#include "state/fast_sum.hpp"

namespace onefold {

template <class Accumulator>
void fast_sum<Accumulator>::push(Accumulator chunk) noexcept {
  int weight = 0;
  for (; (chunks_ >> weight) & 1; ++weight) chunk = pending_[weight] + chunk;
  pending_[weight] = chunk;
  ++chunks_;
}

template <class Accumulator>
Accumulator fast_sum<Accumulator>::value() const noexcept {
  if (chunks_ == 0) return Accumulator(0);
  int weight = __builtin_ctzll(chunks_);
  Accumulator sum = pending_[weight];
  while (++weight < 64)
    if ((chunks_ >> weight) & 1) sum = pending_[weight] + sum;
  return sum;
}

template class fast_sum<float>;
template class fast_sum<double>;
template class fast_sum<std::uint64_t>;

}  // namespace onefold
