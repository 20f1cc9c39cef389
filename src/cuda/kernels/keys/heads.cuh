// SPDX-License-Identifier: Apache-2.0
#pragma once
// Head flags of runs of equal keys (as CUB's BlockDiscontinuity makes), a bit a key, and whether
// the keys are sorted. Key indices count from the 16-byte boundary at or before the first key, so
// that each aligned vector of keys begins at a multiple of the keys that it holds.

#include "cuda/kernels/keys/keys.hpp"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/raw.cuh"
#include "cuda/primitives/warp.cuh"

namespace onefold::cuda {

/// Keys of a warp: 32 a lane, whatever their width.
inline constexpr int tile_keys = 32 * int(warp_lanes);

ONEFOLD_DEVICE std::int64_t first_of_thread() {
  return std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
}
ONEFOLD_DEVICE std::int64_t all_threads() {
  return std::int64_t(gridDim.x) * blockDim.x;
}

/// Keys between that boundary and the first key.
ONEFOLD_DEVICE std::int64_t misaligned_keys(const key_list& keys) {
  return std::int64_t(reinterpret_cast<std::uintptr_t>(keys.keys) % 16 / keys.kind.bytes);
}

/// Keys of one width as unsigned numbers in the same order: the sign bit is flipped, and booleans
/// are 0 or 1.
template <class Raw>
class typed_keys {
 public:
  ONEFOLD_DEVICE explicit typed_keys(const key_list& keys)
      : keys_(static_cast<const Raw*>(keys.keys)), last_(keys.n - 1), top_(top_of(keys)),
        bool_bytes_(keys.kind.type == dtype::boolean) {}

  /// The key whose number is that; of booleans 0 or 1.
  ONEFOLD_DEVICE static Raw key_of(const key_list& keys, std::uint64_t number) {
    return Raw(number) ^ top_of(keys);
  }
  /// Key i; beyond the ends the first or the last one.
  ONEFOLD_DEVICE Raw at(std::int64_t i) const {
    return ordered(keys_[min(max(i, std::int64_t(0)), last_)]);
  }
  /// The head flags of the 32 keys from i on, by one thread. Key 0 is a head; indices beyond the
  /// ends repeat the first or the last key. Sets `falls` where the keys are not sorted.
  ONEFOLD_DEVICE std::uint32_t heads_at(std::int64_t i, bool& falls) const {
    std::uint32_t heads = 0;
    Raw before = at(i - 1);
    ONEFOLD_ROLLED
    for (int bit = 0; bit < 32; ++bit) {
      const Raw own = at(i + bit);
      note(own, before, bit, heads, falls);
    }
    return heads | (-32 < i && i <= 0 ? 1u << -i : 0);
  }
  /// The same of the tile_keys keys from i on, by a whole warp: lane l gets the flags of keys
  /// i + 32 l to i + 32 l + 31. Precondition: key i - 1 and all of the tile are there, and key i is
  /// at a multiple of 16 bytes.
  ONEFOLD_DEVICE std::uint32_t warp_heads(std::int64_t i, bool& falls) const {
    constexpr int batch = rows < 8 ? rows : 8;
    const int lane = int(lane_index());
    const Raw* const own = keys_ + i + lane * count;
    Raw before = keys_[i - 1];
    std::uint32_t heads = 0;
    ONEFOLD_UNROLL
    for (int row = 0; row < rows; row += batch) {
      vector_of<Raw> vectors[batch];
      ONEFOLD_UNROLL
      for (int r = 0; r < batch; ++r) vectors[r] = vector_at(own + (row + r) * row_keys);
      ONEFOLD_UNROLL
      for (int r = 0; r < batch; ++r) {
        const Raw below = of_lane(Raw(bits_in<Raw, count - 1>(vectors[r])), lane - 1);
        note_all(vectors[r], lane == 0 ? before : below, (row + r) * count, heads, falls, items());
        before = below;
      }
    }
    return __shfl_sync(whole_warp, transposed(heads), lane % count * rows + lane / count);
  }

 private:
  static constexpr int count = vector_items<Raw>, rows = 32 / count,
                       row_keys = count * int(warp_lanes);
  using items = std::make_integer_sequence<int, count>;

  ONEFOLD_DEVICE static Raw top_of(const key_list& keys) {
    return keys.kind.is_signed ? Raw(Raw(1) << (8 * sizeof(Raw) - 1)) : Raw(0);
  }
  ONEFOLD_DEVICE Raw ordered(Raw raw) const {
    if constexpr (sizeof(Raw) == 1)
      if (bool_bytes_) return raw != 0;
    return raw ^ top_;
  }
  // A default load, which stays in L1: the keys of runs are read again soon.
  ONEFOLD_DEVICE static vector_of<Raw> vector_at(const Raw* at) {
    return *reinterpret_cast<const vector_of<Raw>*>(at);
  }
  // Whether all keys of a vector equal the key before, which is usual for narrow keys. Vectors of
  // two keys are compared one by one, which is as fast.
  ONEFOLD_DEVICE static bool all_equal([[maybe_unused]] const vector_of<Raw>& v,
                                       [[maybe_unused]] Raw before) {
    if constexpr (sizeof(Raw) <= 4) {
      const std::uint32_t all = before * (0xFFFFFFFFu / std::uint32_t(Raw(~Raw(0))));
      return ((v.x ^ all) | (v.y ^ all) | (v.z ^ all) | (v.w ^ all)) == 0;
    }
    return false;
  }
  ONEFOLD_DEVICE static Raw of_lane(Raw key, int lane) {
    if constexpr (sizeof(Raw) == 8)
      return Raw(__shfl_sync(whole_warp, static_cast<unsigned long long>(key), lane & 31));
    else
      return Raw(__shfl_sync(whole_warp, unsigned(key), lane & 31));
  }
  ONEFOLD_DEVICE static void note(Raw own, Raw& before, int bit, std::uint32_t& heads,
                                  bool& falls) {
    heads |= std::uint32_t(own != before) << bit;
    falls |= own < before;
    before = own;
  }
  template <int... I>
  ONEFOLD_DEVICE void note_all(const vector_of<Raw>& v, Raw raw_before, int bit,
                               std::uint32_t& heads, bool& falls,
                               std::integer_sequence<int, I...>) const {
    if (all_equal(v, raw_before)) return;
    Raw before = ordered(raw_before);
    (note(ordered(Raw(bits_in<Raw, I>(v))), before, bit + I, heads, falls), ...);
  }
  // Transposes flags from striped to blocked order among `rows` lanes: field r of lane l, `count`
  // bits wide, becomes field l of lane r. As a matrix is transposed by swapping halves, then
  // quarters, and so on.
  ONEFOLD_DEVICE static std::uint32_t transposed(std::uint32_t bits) {
    ONEFOLD_UNROLL
    for (int apart = 16; apart >= count; apart /= 2) {
      const std::uint32_t low = 0xFFFFFFFFu / ((1u << apart) + 1);
      const bool upper = (int(lane_index()) & apart / count) != 0;
      const std::uint32_t other = __shfl_xor_sync(whole_warp, bits, apart / count);
      bits = upper ? (bits & ~low) | (other >> apart & low) : (bits & low) | (other & low) << apart;
    }
    return bits;
  }

  const Raw* keys_;
  std::int64_t last_;
  Raw top_;
  bool bool_bytes_;
};

}  // namespace onefold::cuda
