// SPDX-License-Identifier: Apache-2.0
// Merging the means and squared deviations of two parts.
#include "state/fast_parts.hpp"

namespace onefold {

template <class Accumulator>
void fast_moments<Accumulator>::append(const fast_moments& next) noexcept {
  if (next.count == 0) return;
  if (count == 0) {
    *this = next;
    return;
  }
  const double share = double(next.count) / double(count + next.count);
  const auto weight = Accumulator(double(count) * share);
  const Accumulator step = next.mean - mean;
  mean = mean + step * Accumulator(share);
  squares = (squares + next.squares) + (step * step) * weight;
  count += next.count;
}

template struct fast_moments<float>;
template struct fast_moments<double>;

}  // namespace onefold
