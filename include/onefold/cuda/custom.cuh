// SPDX-License-Identifier: Apache-2.0
#pragma once
// User-defined operators on a GPU: one launch, and the result stays on the device. Needs nvcc, and
// no library.
//
//   struct longest_run {
//     __host__ __device__ void add(int x) { … }                    the next element, in order
//     __host__ __device__ void merge(const longest_run& next) { … }  the part that directly follows
//   };
//   cudaMemsetAsync(workspace, 0, onefold::cuda::reduce_workspace_bytes<longest_run, int>(n),
//   stream); onefold::cuda::reduce_with(longest_run(), x, n, answer, workspace, stream);
//
// The operator is that of onefold/custom.hpp, which runs it on the CPU, with __device__ before its
// members: it must be associative, need not be commutative, and merging the identity changes
// nothing.
//
// Each lane reduces a run of consecutive elements. The lanes of a warp load 32 elements at a time,
// coalesced along the runs, to shared memory; each lane then reads its own elements there. States
// are merged with those of the following run: lanes, then warps, then blocks.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "onefold/reducer.hpp"

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#elif !defined(__shared__)
#error "onefold/cuda/custom.cuh is CUDA: compile this file with nvcc (.cu)"
#endif

namespace onefold::cuda {

/// The split of n elements of T into runs: a function of n alone, so that a device with another
/// number of multiprocessors gives the same bits.
template <class T>
struct reduce_cut {
  static constexpr unsigned threads = 128;
  static constexpr unsigned most_blocks = 1056;
  /// Elements of a run that are loaded at once: about 128 bytes, a power of two.
  static constexpr unsigned step = [] {
    unsigned n = 1;
    while (2 * n * sizeof(T) <= 128) n *= 2;
    return n;
  }();

  unsigned blocks;
  std::int64_t run;  ///< elements of a lane, a multiple of `step`

  __host__ __device__ explicit reduce_cut(std::int64_t n)
      : blocks(1), run(steps_of(n, std::int64_t(most_blocks) * threads) * step) {
    if (run == 0) run = step;
    if (n > 0) blocks = unsigned((n - 1) / (run * threads) + 1);
  }

 private:
  // Steps of a lane if `lanes` lanes share n elements.
  __host__ __device__ static std::int64_t steps_of(std::int64_t n, std::int64_t lanes) {
    const std::int64_t all = (n + step - 1) / step;
    return (all + lanes - 1) / lanes;
  }
};

/// Bytes of workspace that reduce_with needs. The first word must be zero before the first launch
/// that uses it; every launch leaves it zero.
template <class R, class T>
std::size_t reduce_workspace_bytes(std::int64_t n) {
  return 16 + std::size_t(reduce_cut<T>(n).blocks) * sizeof(R);
}

namespace custom_parts {

inline constexpr unsigned whole_warp = 0xFFFFFFFF;

/// Storage for n objects of a type whose constructor does not run.
template <class Object, unsigned N>
struct alignas(16) storage {
  unsigned char bytes[N * sizeof(Object)];
};

/// An object as its bytes, in words with its alignment, for loads and stores.
template <class Object>
struct parts_of {
  using word = std::conditional_t<
      alignof(Object) == 1, std::uint8_t,
      std::conditional_t<alignof(Object) == 2, std::uint16_t,
                         std::conditional_t<alignof(Object) == 4, std::uint32_t, std::uint64_t>>>;
  static constexpr unsigned count = unsigned(sizeof(Object) / sizeof(word));
  word part[count];

  __device__ __forceinline__ void load(const void* at) {
    for (unsigned i = 0; i < count; ++i) part[i] = static_cast<const word*>(at)[i];
  }
  __device__ __forceinline__ void store(void* at) const {
    for (unsigned i = 0; i < count; ++i) static_cast<word*>(at)[i] = part[i];
  }
};

template <class Object>
__device__ __forceinline__ Object load_object(const void* at) {
  parts_of<Object> parts;
  parts.load(at);
  return __builtin_bit_cast(Object, parts);
}
template <class Object>
__device__ __forceinline__ void store_object(void* at, const Object& object) {
  __builtin_bit_cast(parts_of<Object>, object).store(at);
}

/// The state of the lane `step` lanes higher.
template <class R>
__device__ __forceinline__ R state_above(const R& state, unsigned step) {
  constexpr unsigned words = unsigned((sizeof(R) + 3) / 4);
  unsigned word[words] = {};
  __builtin_memcpy(word, &state, sizeof(R));
  for (unsigned i = 0; i < words; ++i) word[i] = __shfl_down_sync(whole_warp, word[i], step);
  R other = state;
  __builtin_memcpy(&other, word, sizeof(R));
  return other;
}

/// The states of a block, merged in the order of the lanes; lane 0 has the result. `warps` is
/// scratch memory. All lanes call this together.
template <class R>
__device__ R merge_block(R state, unsigned char* warps) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned step = 1; step < 32; step *= 2) {
    const R next = state_above(state, step);
    if (lane % (2 * step) == 0) state.merge(next);
  }
  if (lane == 0) store_object(warps + warp * sizeof(R), state);
  __syncthreads();
  if (threadIdx.x == 0)
    for (unsigned w = 1; w < blockDim.x / 32; ++w)
      state.merge(load_object<R>(warps + w * sizeof(R)));
  return state;
}

/// Whether this block is the last to arrive. One lane of each block calls it, after it stored its
/// partial. The fence before the ticket makes the partial visible to every block that sees the
/// ticket taken; the fence after it makes all partials visible to the last block. The ticket wraps
/// to zero.
inline __device__ bool draw_last_ticket(unsigned* ticket) {
  __threadfence();
  const bool last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  __threadfence();
  return last;
}

/// Reads the elements of a warp's 32 runs, `step` of each at a time. `shared` holds 32 rows.
template <class T>
class run_reader {
 public:
  static constexpr unsigned step = reduce_cut<T>::step;
  /// Rows are an odd number of words or of elements apart: no bank conflicts.
  static constexpr unsigned pitch_bytes =
      unsigned(step * sizeof(T) + (sizeof(T) < 4 ? 4 : sizeof(T)));
  static constexpr unsigned batch = step < 8 ? step : 8;  ///< loads in flight

  __device__ run_reader(const T* x, std::int64_t n, std::int64_t run, unsigned char* shared)
      : x_(x), n_(n), run_(run), shared_(shared), lane_(threadIdx.x % 32),
        first_((std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x - lane_) * run) {}

  /// Adds the lane's elements to its state, in order.
  template <class R>
  __device__ void add_to(R& state) {
    const std::int64_t begin = first_ + lane_ * run_;
    for (std::int64_t done = 0; done < run_ && first_ + done < n_; done += step) {
      if (first_ + 31 * run_ + done + step <= n_)
        bring<true>(done);
      else
        bring<false>(done);
      __syncwarp();
      const unsigned char* const row = shared_ + lane_ * pitch_bytes;
      for (unsigned i = 0; i < step; ++i)
        if (begin + done + i < n_) state.add(load_object<T>(row + i * sizeof(T)));
      __syncwarp();
    }
  }

 private:
  template <bool Whole>
  __device__ __forceinline__ void bring(std::int64_t done) {
    for (unsigned base = 0; base < step; base += batch) {
      parts_of<T> items[batch];
      for (unsigned i = 0; i < batch; ++i) {
        const std::int64_t at = place(base + i, done);
        if (Whole || at < n_) items[i].load(x_ + at);
      }
      for (unsigned i = 0; i < batch; ++i) {
        const unsigned item = (base + i) * 32 + lane_;
        if (Whole || place(base + i, done) < n_)
          items[i].store(shared_ + item / step * pitch_bytes + item % step * sizeof(T));
      }
    }
  }
  // The index of this lane's j-th element of a step.
  __device__ std::int64_t place(unsigned j, std::int64_t done) const {
    const unsigned item = j * 32 + lane_;
    return first_ + item / step * run_ + done + item % step;
  }

  const T* x_;
  std::int64_t n_, run_;
  unsigned char* shared_;
  unsigned lane_;
  std::int64_t first_;  // element of the warp
};

/// The merge of contiguous partials, in order.
template <class R>
__device__ R merge_partials(const R& identity, const R* partials, unsigned count) {
  R state = identity;
  const unsigned share = (count + blockDim.x - 1) / blockDim.x;
  for (unsigned i = 0; i < share; ++i)
    if (threadIdx.x * share + i < count)
      state.merge(load_object<R>(partials + threadIdx.x * share + i));
  return state;
}

/// Shape:  x[n], n >= 0, aligned to T; cut = reduce_cut<T>(n), whose blocks and threads form the
///         grid; workspace of reduce_workspace_bytes<R, T>(n), its first word zero before and
///         after.
/// Error:  that of the operator.
/// Order:  runs of cut.run elements, each in order, merged in order as a tree: a function of n and
///         sizeof(T) alone, in every run and on every device. Lane 0 of the last block writes the
///         answer.
template <class R, class T>
__global__ void __launch_bounds__(reduce_cut<T>::threads)
    reduce_runs(const R identity, const T* x, std::int64_t n, std::int64_t run, unsigned* ticket,
                R* partials, R* answer) {
  constexpr unsigned warps = reduce_cut<T>::threads / 32;
  constexpr unsigned reader_bytes = 32 * run_reader<T>::pitch_bytes;
  __shared__ storage<unsigned char, warps * reader_bytes> elements;
  __shared__ storage<R, warps> states;
  __shared__ bool is_last;

  R state = identity;
  run_reader<T>(x, n, run, elements.bytes + threadIdx.x / 32 * reader_bytes).add_to(state);
  state = merge_block(state, states.bytes);
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) {
      store_object(partials + blockIdx.x, state);
      is_last = draw_last_ticket(ticket);
    }
    __syncthreads();
    if (!is_last) return;
    state = merge_block(merge_partials(identity, partials, gridDim.x), states.bytes);
  }
  if (threadIdx.x == 0) store_object(answer, state);
}

}  // namespace custom_parts

#if defined(__CUDACC__)

/// Enqueues the reduction of x[n], n >= 0, to *answer, in device memory or mapped host memory. It
/// is complete when the stream has passed it; the workspace serves one launch at a time. The same
/// elements give the same bits in every run and on every device.
/// Fails: the error of the launch.
template <class R, class T>
requires reducer<R, T> cudaError_t reduce_with(const R& identity, const T* x, std::int64_t n,
                                               R* answer, void* workspace,
                                               cudaStream_t stream = nullptr) {
  static_assert(std::is_trivially_copyable_v<R> && std::is_trivially_copyable_v<T>,
                "states and elements move between lanes as bytes");
  static_assert(alignof(R) <= 16 && alignof(T) <= 16);
  const reduce_cut<T> cut(n);
  auto* const ticket = static_cast<unsigned*>(workspace);
  auto* const partials = reinterpret_cast<R*>(static_cast<unsigned char*>(workspace) + 16);
  custom_parts::reduce_runs<R, T>
      <<<cut.blocks, cut.threads, 0, stream>>>(identity, x, n, cut.run, ticket, partials, answer);
  return cudaGetLastError();
}

#endif

}  // namespace onefold::cuda
