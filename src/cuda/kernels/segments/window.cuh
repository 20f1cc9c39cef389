// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a warp has of x: some KiB in a ring in shared memory, in stages, of which those ahead are on
// their way. Places are counted in elements or bytes from the 16 bytes in which the work range
// begins. And what it leaves in shared memory for its block.

#include "cuda/accumulators/interval.cuh"
#include "cuda/kernels/segments/cut.cuh"
#include "cuda/primitives/copy.cuh"
#include "cuda/primitives/load.cuh"

namespace onefold::cuda {

inline constexpr int window_vectors = 2;  ///< of a lane
inline constexpr int window_stage_bytes = window_vectors * 16 * int(warp_lanes);
inline constexpr int window_stages = 4;
inline constexpr int warp_window_bytes = window_stages * window_stage_bytes;

inline constexpr int slot_vectors = 4;  ///< that a lane has of a segment in a round

/// A stage of which not all is x's, or wanted: the vectors before byte `end` of it, from element
/// `item` on; zeros for what is outside of x. Two in a work range at most, and called so that the
/// loops are short.
ONEFOLD_DEVICE void copy_edge(std::int64_t* to, const unsigned char* x, std::int64_t item,
                              std::int64_t items, int width, int end) {
  ONEFOLD_ROLLED
  for (int at = int(lane_index()) * 16; at < end; at += int(warp_lanes) * 16) {
    const std::int64_t first = item + at / width;
    if (first >= 0 && first + 16 / width <= items) {
      begin_copy(to + at / 8, x + first * width);
      continue;
    }
    auto* const bytes = reinterpret_cast<unsigned char*>(to) + at;
    ONEFOLD_ROLLED
    for (int i = 0; i < 16; ++i) {
      const std::int64_t place = first + i / width;
      const bool there = 0 <= place && place < items;
      bytes[i] = there ? x[place * width + i % width] : (unsigned char)0;
    }
  }
}

template <class Fold>
class segment_window {
 public:
  using element = typename Fold::element;

  /// words[warp_window_bytes / 8], at a multiple of 16 bytes.
  ONEFOLD_DEVICE segment_window(const segment_arguments& a, const Fold& fold, std::int64_t* words)
      : a_(a), fold_(fold), words_(words) {}

  /// Elements from … to - 1 are wanted. Every lane of the warp calls it, as all that follows.
  ONEFOLD_DEVICE void open(std::int64_t from, std::int64_t to) {
    const auto width = std::int64_t(fold_.bytes());
    const auto past = std::int64_t(reinterpret_cast<std::uintptr_t>(a_.block.x) % 16) / width;
    base_ = ((from + past) & -(16 / width)) - past;
    from_ = x() + base_ * width + own_byte();
    end_ = int((to - base_) * width);
    first_whole_ = base_ < 0 ? window_stage_bytes : 0;
    end_whole_ = int(min((a_.block.items - base_) * width, std::int64_t(end_ + 15))) & -16;
    issued_ = landed_ = 0;
    release(0);
  }
  /// The element at place 0; it may be before x[0].
  ONEFOLD_DEVICE std::int64_t base() const { return base_; }
  /// The byte that the ring has no room for yet.
  ONEFOLD_DEVICE int reach() const { return issued_; }

  /// The bytes before `end` are there. Precondition: end <= reach().
  ONEFOLD_DEVICE void wait(int end) {
    if (end <= landed_) return;
    landed_ = (end + window_stage_bytes - 1) & -window_stage_bytes;
    const int later = issued_ - landed_;
    if (later >= 3 * window_stage_bytes)
      wait_for_copies<3>();
    else if (later == 2 * window_stage_bytes)
      wait_for_copies<2>();
    else if (later == window_stage_bytes)
      wait_for_copies<1>();
    else
      wait_for_copies<0>();
    __syncwarp();
  }
  /// The bytes before `begin` are no longer needed, so that others get their space.
  ONEFOLD_DEVICE void release(int begin) {
    const int most = (begin & -window_stage_bytes) + warp_window_bytes;
    if (issued_ >= most) return;
    __syncwarp();
    ONEFOLD_ROLLED
    while (issued_ < most) request();
  }
  /// Calls take(a vector of this lane, its byte) for whole stages, from the one at byte `at` on,
  /// which is the first that has not been released, to the last that ends before `stop` or there.
  /// Returns the byte after them. A lane reads what it has copied itself: no barrier.
  template <class Take>
  ONEFOLD_DEVICE int take_stages(int at, int stop, const Take& take) {
    ONEFOLD_ROLLED
    for (; at + window_stage_bytes <= stop; at += window_stage_bytes) {
      wait_for_copies<window_stages - 1>();
      const std::int64_t* const own = own_words(at);
      ONEFOLD_UNROLL
      for (int i = 0; i < window_vectors; ++i)
        take(vector_in(own + i * row / 8), at + i * row + own_byte());
      request();
    }
    landed_ = max(landed_, at);
    return at;
  }
  ONEFOLD_DEVICE void close() const { wait_for_copies<0>(); }

  /// The vector at a byte.
  ONEFOLD_DEVICE vector_of<element> vector(int byte) const {
    return *reinterpret_cast<const vector_of<element>*>(place_of(byte));
  }
  /// Elements from i on: to the end of the ring.
  template <class Item>
  ONEFOLD_DEVICE const Item* items(int i) const {
    return reinterpret_cast<const Item*>(place_of(i * int(sizeof(Item))));
  }
  /// Whether the ring ends between two bytes.
  ONEFOLD_DEVICE static bool wraps(int from, int until) {
    return ((from ^ (until - 1)) & -warp_window_bytes) != 0;
  }

 private:
  static constexpr int row = 16 * int(warp_lanes);  ///< bytes from one vector of a lane to the next

  ONEFOLD_DEVICE static vector_of<element> vector_in(const std::int64_t* words) {
    return *reinterpret_cast<const vector_of<element>*>(words);
  }
  ONEFOLD_DEVICE const unsigned char* place_of(int byte) const {
    return reinterpret_cast<const unsigned char*>(words_) + (byte & (warp_window_bytes - 1));
  }
  ONEFOLD_DEVICE static int own_byte() { return int(lane_index()) * 16; }
  ONEFOLD_DEVICE const unsigned char* x() const {
    return static_cast<const unsigned char*>(a_.block.x);
  }
  // Where this lane has vectors of the stage at a byte.
  ONEFOLD_DEVICE std::int64_t* own_words(int stage) const {
    auto* const own = reinterpret_cast<unsigned char*>(words_) + own_byte();
    return reinterpret_cast<std::int64_t*>(own + (stage & (warp_window_bytes - 1)));
  }

  // Every request is a group, so that the number of later ones shows whether it is there.
  ONEFOLD_DEVICE void request() {
    const int stage = issued_;
    issued_ += window_stage_bytes;
    if (first_whole_ <= stage && issued_ <= end_whole_) {
      std::int64_t* const to = own_words(stage);
      const unsigned char* const from = from_ + unsigned(stage);
      if (Fold::is_sum && a_.leave_first) {
        ONEFOLD_UNROLL
        for (int i = 0; i < window_vectors; ++i)
          begin_copy_read_once(to + i * row / 8, from + i * row);
      } else {
        ONEFOLD_UNROLL
        for (int i = 0; i < window_vectors; ++i) begin_copy(to + i * row / 8, from + i * row);
      }
    } else if (stage < end_) {
      copy_edge(words_ + (stage & (warp_window_bytes - 1)) / 8, x(), base_ + fold_.items_of(stage),
                a_.block.items, int(fold_.bytes()), min(end_ - stage, window_stage_bytes));
    }
    end_copies();
  }

  const segment_arguments& a_;
  const Fold& fold_;
  std::int64_t* words_;
  const unsigned char* from_ = nullptr;  ///< this lane's first byte
  std::int64_t base_ = 0;
  // Bytes from the base: what is wanted, which stages lie in x, what was asked for, what is there.
  int end_ = 0, first_whole_ = 0, end_whole_ = 0, issued_ = 0, landed_ = 0;
};

/// What a warp leaves for its block.
template <class Sum>
struct range_record {
  static constexpr int words = 3 + 2 * Sum::parts;
  std::int64_t* at;

  ONEFOLD_DEVICE std::int64_t first() const { return at[0]; }
  ONEFOLD_DEVICE std::int64_t last() const { return at[1]; }
  /// Whether the first segment begins, and the last one ends, in another work range.
  ONEFOLD_DEVICE bool continued() const { return (at[2] & 1) != 0; }
  ONEFOLD_DEVICE bool open() const { return (at[2] & 2) != 0; }
  ONEFOLD_DEVICE bool passes() const { return continued() && first() == last(); }
  /// Of the first segment, if it is continued and ends here; of the last one.
  ONEFOLD_DEVICE Sum head() const { return read_sum<Sum>(at + 3, 1); }
  ONEFOLD_DEVICE Sum tail() const { return read_sum<Sum>(at + 3 + Sum::parts, 1); }

  ONEFOLD_DEVICE void set(std::int64_t first, std::int64_t last, bool continued, bool open) const {
    at[0] = first, at[1] = last;
    at[2] = std::int64_t(continued) | std::int64_t(open) << 1;
  }
  ONEFOLD_DEVICE void set_head(const Sum& sum) const { write_sum(sum, at + 3, 1); }
  ONEFOLD_DEVICE void set_tail(const Sum& sum) const { write_sum(sum, at + 3 + Sum::parts, 1); }
};

/// Shared memory of a warp, in words of 64 bits: the window, digits, ends of segments, the record.
template <class Fold>
struct segment_space {
  static constexpr int window = warp_window_bytes / 8, ends = int(warp_lanes);
  static constexpr int words =
      (window + Fold::digits + ends + range_record<typename Fold::sum>::words + 1) / 2 * 2;
};

}  // namespace onefold::cuda
