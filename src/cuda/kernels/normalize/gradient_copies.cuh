// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of x and g on their way to shared memory, the next one while one is used. A lane reads only
// what it copied itself, so that it waits for no other.

#include "cuda/kernels/normalize/gradient_launch.hpp"
#include "cuda/primitives/copy.cuh"
#include "cuda/primitives/load.cuh"

namespace onefold::cuda {

/// The vectors of a lane. T: of whole vectors at multiples of 16 bytes.
template <class T, int Vectors>
class gradient_copies {
 public:
  /// ring: [2 stages][x, g][vectors][threads] of 16 bytes. x, g: this lane's vector 0 of its first
  /// row; `inside` of its vectors are in a row.
  ONEFOLD_DEVICE gradient_copies(std::int64_t* ring, const T* x, const T* g, int inside)
      : x_(x), g_(g), own_(ring + 2 * threadIdx.x), inside_(inside) {}

  /// What a row does not have: vectors of zero words, and of `pad`.
  ONEFOLD_DEVICE void pad(std::int64_t pad) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < Vectors; ++i) {
      if (i < inside_) continue;
      ONEFOLD_UNROLL
      for (int stage = 0; stage < 2; ++stage) {
        std::int64_t *const x = place(stage, 0, i), *const g = place(stage, 1, i);
        x[0] = x[1] = 0, g[0] = g[1] = pad;
      }
    }
  }
  /// Begins to copy the next row, if there is one, apart from the one that is used.
  ONEFOLD_DEVICE void begin(const gradient_launch& a, bool there, std::int64_t step) {
    const int stage = next_;
    next_ ^= 1;
    if (there) {
      const std::int64_t apart = std::int64_t(a.lanes) * vector_items<T>;
      ONEFOLD_UNROLL
      for (int i = 0; i < Vectors; ++i) {
        if (i >= inside_) continue;
        begin_copy(place(stage, 0, i), x_ + i * apart);
        begin_copy(place(stage, 1, i), g_ + i * apart);
      }
    }
    end_copies();
    x_ += step * a.rows.stride, g_ += step * a.rows.g_stride;
  }
  /// Until the row before that is there.
  ONEFOLD_DEVICE static void wait() { wait_for_copies<1>(); }
  /// Vector i of x (array 0) or g of that row.
  ONEFOLD_DEVICE vector_of<T> load(int array, int i) const {
    return load_copied<T>(place(next_, array, i));
  }

 private:
  ONEFOLD_DEVICE std::int64_t* place(int stage, int array, int i) const {
    return own_ + unsigned((stage * 2 + array) * Vectors + i) * (2 * blockDim.x);
  }

  const T *x_, *g_;  // of the next row
  std::int64_t* own_;
  int inside_, next_ = 0;
};

}  // namespace onefold::cuda
