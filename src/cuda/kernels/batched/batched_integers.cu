// SPDX-License-Identifier: Apache-2.0
// Sums and means of rows and columns of integers.

#include "cuda/accumulators/bool_bytes.cuh"
#include "cuda/kernels/batched/batched_entry.hpp"
#include "cuda/kernels/batched/batched_launch.cuh"

namespace onefold::cuda {
namespace {

template <class T>
constexpr batched_launcher total = launch_terms<batched_integers<accumulator::total, T>>;

}  // namespace

batched_launcher batched_integer_totals(dtype input) {
  return with_integer<batched_launcher>(
      input, []<class T>(detail::tag<T>) -> batched_launcher { return total<T>; });
}

}  // namespace onefold::cuda
