// SPDX-License-Identifier: Apache-2.0
// options: --kernel block_reduce<float,Max<float>> --op max
// verdict: right except with NaN
// says: 'init' was -inf in every launch

#define FULL_MASK 0xffffffffu
#define BLOCK 256
#define IDX (blockIdx.x * blockDim.x + threadIdx.x)
template <typename T>
struct Max {
  __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};
template <typename T, typename Op, int BS = BLOCK>
__global__ __launch_bounds__(BS) void block_reduce(const T* __restrict__ x, T* y, int n, T init,
                                                   Op op) {
  __shared__ T warp_vals[BS / 32];
  T v = IDX < n ? x[IDX] : init;
  for (int o = 16; o; o >>= 1) v = op(v, __shfl_xor_sync(FULL_MASK, v, o));
  if ((threadIdx.x & 31) == 0) warp_vals[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < BS / 32 ? warp_vals[threadIdx.x] : init;
    for (int o = 4; o; o >>= 1) v = op(v, __shfl_xor_sync(FULL_MASK, v, o));
    if (threadIdx.x == 0) y[blockIdx.x] = v;
  }
}
