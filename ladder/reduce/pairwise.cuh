// SPDX-License-Identifier: Apache-2.0
#pragma once
// reduce/pairwise: floats, and the tree goes all the way down.
//
// Every addition of floats rounds, and another order rounds otherwise: the sums of
// reduce/one-launch change when the elements are shuffled. A chain of n additions errs by up to n
// roundings of the partial sums, a tree by as many as it has levels, log2 n. The lanes of the rungs
// before add their elements one after another; here each keeps a tree of them. It needs no memory
// of all elements: a sum waits on its level for the next one of the same size, as a carry waits in
// a binary counter.
//
// Error: at most about log2(n) u sum|x|, u = 2^-24 or 2^-53. Source: N. Higham, The accuracy of
// floating point summation, SIAM J. Sci. Comput. 14 (1993), 4.

#include "ladder/operators.cuh"
#include "ladder/reduce/one_launch.cuh"
#include "ladder/reduce/vector_parts.cuh"

#include <cstddef>

namespace onefold::ladder {

/// The sum of what a lane has taken, in a tree.
template <class T>
class tree_of_lane {
 public:
  __device__ __forceinline__ void take(T x) {
    unsigned level = 0;
    for (; (taken_ >> level & 1) != 0; ++level) x = added(waiting_[level], x);
    waiting_[level] = x;
    ++taken_;
  }

  __device__ T value() const {
    T sum = ladder::sum<T>::identity;
    for (unsigned level = 0; taken_ >> level != 0; ++level) {
      if ((taken_ >> level & 1) != 0) sum = added(waiting_[level], sum);
    }
    return sum;
  }

 private:
  T waiting_[31];  // waiting_[k] is a sum of 2^k numbers where bit k of taken_ is set
  unsigned taken_ = 0;
};

template <class T>
__device__ __forceinline__ T sum_of_vector(const vector_of<T>& v) {
  T sum = added(v.x, v.y);
  if constexpr (sizeof(T) == 4) sum = added(sum, added(v.z, v.w));
  return sum;
}

/// Shape:  in[n], n >= 0, aligned to T; partials[grid], of which the first becomes the answer;
///         *ticket is zero before and after; block a power of two; any grid.
/// Order:  a tree of the elements; the same in every run, another one for another grid.
template <class T>
__global__ void reduce_pairwise(const T* in, std::size_t n, T* partials, unsigned* ticket) {
  ONEFOLD_DYNAMIC_SHARED(T, warps);
  __shared__ bool is_last;
  const std::size_t lanes = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const vector_parts<T> parts(in, n);

  tree_of_lane<T> tree;
  for (std::size_t i = first; i < parts.head; i += lanes) tree.take(in[i]);
  for (std::size_t at = first; at < parts.count; at += lanes) {
    const vector_of<T> loaded = parts.body[at];
    tree.take(sum_of_vector<T>(loaded));
  }
  for (std::size_t i = parts.tail + first; i < n; i += lanes) tree.take(in[i]);

  T value = fold_block<sum<T>>(tree.value(), warps);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = value;
    is_last = draw_last_ticket(ticket);
  }
  __syncthreads();
  if (!is_last) return;

  tree_of_lane<T> last;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) last.take(partials[b]);
  value = fold_block<sum<T>>(last.value(), warps);
  if (threadIdx.x == 0) partials[0] = value;
}

}  // namespace onefold::ladder
