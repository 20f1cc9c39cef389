// SPDX-License-Identifier: Apache-2.0
#pragma once
// Groups of lanes by CUDA's names: those of cooperative_groups.h and its reduce.h.
//
// Members are inlined and locate() (symbols.hpp) passes over the lines of this header, so that a
// report names the kernel's line. A group of the grid waits at the barrier of a cluster: the launch
// makes all blocks of the grid one cluster, which are up to 16.

#include "simt/asynchronous.hpp"
#include "simt/warp.hpp"

#if !defined(__CUDACC__)

namespace cooperative_groups {

namespace detail {

/// x runs fastest.
__forceinline__ unsigned rank_in(const uint3& index, const uint3& extent) noexcept {
  return index.x + extent.x * (index.y + extent.y * index.z);
}
__forceinline__ unsigned volume(const uint3& extent) noexcept {
  return extent.x * extent.y * extent.z;
}
__forceinline__ unsigned lane() noexcept {
  return rank_in(threadIdx, blockDim) % static_cast<unsigned>(warpSize);
}
/// The mask of the `size` lanes around this one.
__forceinline__ unsigned mask_of(unsigned size) noexcept {
  return (size == 32 ? 0xFFFFFFFFu : (1u << size) - 1) << (lane() & ~(size - 1));
}

/// Out of line, so that copying bytes is no access of the kernel.
template <class T>
ONEFOLD_WORD T exchange(const void* pc, ::onefold::simt::warp_word word, unsigned mask, T value,
                        int argument, int width) noexcept {
  static_assert(sizeof(T) <= 8, "A shuffle of a group carries up to 8 bytes.");
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  bits = ::onefold::simt::warp_operation(pc, {word, mask, bits, argument, width});
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace detail

class thread_block {
 public:
  __forceinline__ void sync() const noexcept { __syncthreads(); }
  static __forceinline__ unsigned thread_rank() noexcept {
    return detail::rank_in(threadIdx, blockDim);
  }
  static __forceinline__ unsigned size() noexcept { return detail::volume(blockDim); }
  static __forceinline__ unsigned num_threads() noexcept { return size(); }
  static __forceinline__ dim3 group_index() noexcept { return blockIdx; }
  static __forceinline__ dim3 thread_index() noexcept { return threadIdx; }
  static __forceinline__ dim3 group_dim() noexcept { return blockDim; }
  static __forceinline__ dim3 dim_threads() noexcept { return blockDim; }
};

class grid_group {
 public:
  __forceinline__ void sync() const noexcept {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
  static __forceinline__ bool is_valid() noexcept { return true; }
  static __forceinline__ unsigned long long thread_rank() noexcept {
    return block_rank() * detail::volume(blockDim) + detail::rank_in(threadIdx, blockDim);
  }
  static __forceinline__ unsigned long long size() noexcept {
    return static_cast<unsigned long long>(detail::volume(gridDim)) * detail::volume(blockDim);
  }
  static __forceinline__ unsigned long long num_threads() noexcept { return size(); }
  static __forceinline__ unsigned long long block_rank() noexcept {
    return detail::rank_in(blockIdx, gridDim);
  }
  static __forceinline__ unsigned long long num_blocks() noexcept {
    return detail::volume(gridDim);
  }
  static __forceinline__ dim3 group_dim() noexcept { return gridDim; }
};

/// Lanes of one warp. `Self` has size().
template <class Self>
class lanes_of_warp {
 public:
  __forceinline__ unsigned thread_rank() const noexcept { return detail::lane() % width(); }
  __forceinline__ unsigned num_threads() const noexcept { return width(); }
  __forceinline__ unsigned meta_group_rank() const noexcept {
    return thread_block::thread_rank() / width();
  }
  __forceinline__ unsigned meta_group_size() const noexcept {
    return (thread_block::size() + width() - 1) / width();
  }
  __forceinline__ void sync() const noexcept { __syncwarp(mask()); }
#define ONEFOLD_GROUP_SHUFFLE(name, word, argument_type)                                           \
  template <class T>                                                                               \
  ONEFOLD_GROUP_WORD T name(T value, argument_type argument) const noexcept {                      \
    return detail::exchange(ONEFOLD_HERE, ::onefold::simt::warp_word::word, mask(), value,         \
                            static_cast<int>(argument), static_cast<int>(width()));                \
  }
#if defined(__clang__)
#define ONEFOLD_GROUP_WORD __attribute__((noinline, convergent, nomerge, ONEFOLD_UNSEEN))
#else
#define ONEFOLD_GROUP_WORD __attribute__((noipa, ONEFOLD_UNSEEN))
#endif
  ONEFOLD_GROUP_SHUFFLE(shfl, shuffle, int)
  ONEFOLD_GROUP_SHUFFLE(shfl_up, shuffle_up, unsigned)
  ONEFOLD_GROUP_SHUFFLE(shfl_down, shuffle_down, unsigned)
  ONEFOLD_GROUP_SHUFFLE(shfl_xor, shuffle_xor, unsigned)
#undef ONEFOLD_GROUP_SHUFFLE
  /// Bit i is lane i of the group.
  __forceinline__ unsigned ballot(int predicate) const noexcept {
    return __ballot_sync(mask(), predicate) >> (detail::lane() & ~(width() - 1));
  }
  __forceinline__ int any(int predicate) const noexcept {
    return __any_sync(mask(), predicate);
  }
  __forceinline__ int all(int predicate) const noexcept {
    return __all_sync(mask(), predicate);
  }

 private:
  __forceinline__ unsigned width() const noexcept {
    return static_cast<const Self*>(this)->size();
  }
  __forceinline__ unsigned mask() const noexcept {
    return detail::mask_of(width());
  }
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public lanes_of_warp<thread_block_tile<Size, Parent>> {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "A tile has a power of two of lanes, up to 32.");

 public:
  thread_block_tile() = default;
  template <class Other>
  __forceinline__ thread_block_tile(const thread_block_tile<Size, Other>&) noexcept {}
  static constexpr unsigned size() noexcept { return Size; }
};

/// A tile whose size is known when the kernel runs.
class thread_group : public lanes_of_warp<thread_group> {
 public:
  explicit thread_group(unsigned size) noexcept : size_(size) {}
  __forceinline__ unsigned size() const noexcept { return size_; }

 private:
  unsigned size_;
};

/// The lanes that have come here together: here a lane is always alone, which CUDA allows.
class coalesced_group {
 public:
  static constexpr unsigned size() noexcept { return 1; }
  static constexpr unsigned num_threads() noexcept { return 1; }
  static constexpr unsigned thread_rank() noexcept { return 0; }
  static constexpr void sync() noexcept {}
  template <class T>
  static constexpr T shfl(T value, int) noexcept {
    return value;
  }
  template <class T>
  static constexpr T shfl_down(T value, unsigned) noexcept {
    return value;
  }
  template <class T>
  static constexpr T shfl_up(T value, unsigned) noexcept {
    return value;
  }
  template <class T>
  static constexpr T shfl_xor(T value, unsigned) noexcept {
    return value;
  }
};

__forceinline__ thread_block this_thread_block() noexcept {
  return {};
}
__forceinline__ grid_group this_grid() noexcept {
  return {};
}
__forceinline__ coalesced_group coalesced_threads() noexcept {
  return {};
}
template <unsigned Size, class Parent>
__forceinline__ thread_block_tile<Size, Parent> tiled_partition(const Parent&) noexcept {
  return {};
}
template <class Parent>
__forceinline__ thread_group tiled_partition(const Parent&, unsigned size) noexcept {
  return thread_group(size);
}

template <class Group>
__forceinline__ void sync(const Group& group) noexcept {
  group.sync();
}
template <class Group>
__forceinline__ auto thread_rank(const Group& group) noexcept {
  return group.thread_rank();
}
template <class Group>
__forceinline__ auto group_size(const Group& group) noexcept {
  return group.size();
}

template <class T>
struct plus {
  __forceinline__ T operator()(T a, T b) const noexcept { return a + b; }
};
template <class T>
struct less {
  __forceinline__ T operator()(T a, T b) const noexcept { return min(a, b); }
};
template <class T>
struct greater {
  __forceinline__ T operator()(T a, T b) const noexcept { return max(a, b); }
};
template <class T>
struct bit_and {
  __forceinline__ T operator()(T a, T b) const noexcept { return a & b; }
};
template <class T>
struct bit_or {
  __forceinline__ T operator()(T a, T b) const noexcept { return a | b; }
};
template <class T>
struct bit_xor {
  __forceinline__ T operator()(T a, T b) const noexcept { return a ^ b; }
};

/// Every lane of the group gets the result.
template <class Group, class T, class Operator>
__forceinline__ T reduce(const Group& group, T value, Operator&& op) noexcept {
  for (unsigned step = group.size() / 2; step != 0; step /= 2) {
    value = op(value, group.shfl_xor(value, step));
  }
  return value;
}

}  // namespace cooperative_groups

#endif
