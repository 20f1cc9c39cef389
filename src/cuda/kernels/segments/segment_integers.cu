// SPDX-License-Identifier: Apache-2.0
// Sums and means of segments of integers.

#include "cuda/kernels/segments/segments_entry.hpp"
#include "cuda/kernels/segments/segments_launch.cuh"

namespace onefold::cuda {
namespace {

template <class T>
constexpr segments_launcher total =
    launch_fold<segment_sums<batched_integers<accumulator::total, T>>>;

}  // namespace

segments_launcher segment_integer_totals(dtype input) {
  return with_integer<segments_launcher>(
      input, []<class T>(detail::tag<T>) -> segments_launcher { return total<T>; });
}

}  // namespace onefold::cuda
