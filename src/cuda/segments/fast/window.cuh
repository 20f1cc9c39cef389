// SPDX-License-Identifier: Apache-2.0
#pragma once
// Neighbouring elements that a warp has copied to shared memory, and how a lane takes them: by
// cells, of which one is two elements of 16 bits, or one element.

#include "cuda/parts/lanes.cuh"
#include "cuda/segments/window.cuh"

namespace onefold::cuda {

template <class T>
struct fast_cell {
  static constexpr int items = sizeof(T) == 2 ? 2 : 1;
  using word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

  /// Of elements -0.
  static constexpr word nothing =
      sizeof(T) == 2 ? word(0x80008000) : word(1) << (8 * sizeof(word) - 1);

  /// Element I of a cell.
  template <int I>
  ONEFOLD_DEVICE static fast_number<T> number(word cell) {
    return number_of<T>(folds::bits_of<T>(cell >> 16 * I));
  }
};

/// Of a warp: 32 of them leave a multiprocessor a first cache of 32 KiB.
inline constexpr int fast_window_bytes = 5120;
struct alignas(16) fast_window_memory {
  std::int64_t words[fast_window_bytes / 8];
};

/// Places are counted from an element, the origin.
template <class T>
class fast_window {
 public:
  using cell = fast_cell<T>;
  using word = typename cell::word;
  /// Elements that a window holds wherever they begin: the vectors of 16 bytes at its ends are not
  /// whole, and the cell after the last one is there too.
  static constexpr int items = (fast_window_bytes - 32) / int(sizeof(T));

  /// words: of a fast_window_memory.
  ONEFOLD_DEVICE fast_window(const segments_block& of, std::int64_t origin, std::int64_t* words)
      : of_(of), words_(words), origin_(origin) {}

  /// Elements from … to - 1 are there. Precondition: to - from <= items. Every lane of the warp
  /// calls it, once no lane needs what was there.
  ONEFOLD_DEVICE void open(int from, int to) {
    constexpr int vector = 16 / int(sizeof(T)), width = int(sizeof(T));
    base_ = from - int(reinterpret_cast<std::uintptr_t>(x() + from) % 16) / width;
    const int all = to + cell::items - base_;
    const std::int64_t first = origin_ + base_;
    __syncwarp();
    if (first >= 0 && first + all + vector <= of_.items)
      copy(x() + base_, all * width);
    else
      copy_edge(words_, static_cast<const unsigned char*>(of_.x), first, of_.items, width,
                all * width);
    end_copies();
    wait_for_copies<0>();
    __syncwarp();
  }
  /// The byte of a place.
  ONEFOLD_DEVICE int byte_of(int place) const { return (place - base_) * int(sizeof(T)); }

  /// The cell at a byte, or elements -0 where it is not `wanted`.
  ONEFOLD_DEVICE word cell_at(bool wanted, int byte) const {
    if constexpr (cell::items == 1) return load_copied_if(wanted, words_, byte, cell::nothing);
    const int past = byte & 2;
    const word low = load_copied_if(wanted, words_, byte - past, cell::nothing);
    const word high = load_copied_if(wanted, words_, byte - past + 4, cell::nothing);
    return __byte_perm(low, high, past == 0 ? 0x3210 : 0x5432);
  }

 private:
  ONEFOLD_DEVICE const T* x() const { return static_cast<const T*>(of_.x) + origin_; }
  // The vectors before byte `end`, which all lie in x.
  ONEFOLD_DEVICE void copy(const T* from, int end) const {
    const auto* at = reinterpret_cast<const unsigned char*>(from) + lane_index() * 16;
    std::int64_t* to = words_ + lane_index() * 2;
    ONEFOLD_ROLLED
    for (int left = end - int(lane_index()) * 16; left > 0; left -= step) {
      begin_copy(to, at);
      at += step, to += step / 8;
    }
  }

  static constexpr int step = 16 * int(warp_lanes);

  const segments_block& of_;
  std::int64_t* words_;
  std::int64_t origin_;
  int base_ = 0;
};

}  // namespace onefold::cuda
