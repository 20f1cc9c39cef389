// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sum of a row's exponentials to 32 bits (docs/numerics/softmax.md), by the lanes of a row:
// plain sums about band 0 decide it for almost all rows; double words about the band of the largest
// element, or exact sums, for the rest.

#include "cuda/accumulators/exponential_bands.cuh"
#include "cuda/accumulators/exponential_terms.cuh"
#include "cuda/primitives/cluster.cuh"
#include "state/softmax.hpp"

namespace onefold::cuda {

/// What the warps of a row share, of one block or of a cluster: sums of each warp, of each block.
/// Two slots take turns, a third one is for what is rare.
struct row_slots {
  static constexpr unsigned warps = 8, blocks = 8, parts = 3, rare = 2;
  std::int64_t of_warps[3][parts][warps], of_blocks[3][parts][blocks];
  cluster_mbarrier meetings[2];
};

/// Those of the block, at an address that is known when the kernel is compiled.
ONEFOLD_DEVICE row_slots& slots() {
  __shared__ row_slots own;
  return own;
}

/// The lanes of a row: a part of a warp, a power of two, or whole warps: of all blocks of a
/// cluster.
struct row_lanes_of {
  unsigned lanes, lane;
  unsigned blocks;  ///< a power of two

  ONEFOLD_DEVICE bool is_warps() const { return lanes > warp_lanes; }

  /// Before the first sum. Every lane of the block calls it.
  ONEFOLD_DEVICE void begin() const {
    if (blocks == 1) return;
    if (threadIdx.x == 0) slots().meetings[0].begin(), slots().meetings[1].begin();
    sync_cluster();
  }
  /// The sum of all, in each of them; `round` counts the calls. Every lane of the block calls it.
  template <class Sum>
  ONEFOLD_DEVICE Sum joined(Sum own, unsigned round) const {
    join_group(own, min(lanes, warp_lanes));
    if (!is_warps()) return own;
    const unsigned turn = round % 2;
    Sum sum = of_block(own, turn);
    if (blocks == 1) return sum;
    const cluster_mbarrier& meeting = slots().meetings[turn];
    if (threadIdx.x == 0) slots().meetings[turn].expect(int(blocks * Sum::parts * 8));
    if (threadIdx.x < blocks)
      for_each_word(sum, [&](int part, std::int64_t word) {
        send(&slots().of_blocks[turn][part][cluster_rank()], threadIdx.x, word, meeting);
      });
    meeting.wait(int(round / 2));
    return of_slots<Sum>(&slots().of_blocks[turn][0][0], blocks, row_slots::blocks);
  }
  /// The same at any time.
  template <class Sum>
  ONEFOLD_DEVICE Sum joined_rarely(Sum own) const {
    join_group(own, min(lanes, warp_lanes));
    if (!is_warps()) return own;
    __syncthreads();
    Sum sum = of_block(own, row_slots::rare);
    if (blocks == 1) return sum;
    meet_cluster();  // all have read what is overwritten
    auto* const words = &slots().of_blocks[row_slots::rare];
    if (threadIdx.x < blocks)
      for_each_word(sum, [&](int part, std::int64_t word) {
        write_at(&(*words)[part][cluster_rank()], threadIdx.x, word);
      });
    meet_cluster();
    return of_slots<Sum>(&(*words)[0][0], blocks, row_slots::blocks);
  }

 private:
  template <class Sum, class Take>
  ONEFOLD_DEVICE static void for_each_word(Sum sum, const Take& take) {
    int part = 0;
    sum.for_each_part([&](auto& each) { take(part++, __builtin_bit_cast(std::int64_t, each)); });
  }
  template <class Sum>
  ONEFOLD_DEVICE Sum of_block(const Sum& own, unsigned slot) const {
    auto* const words = &slots().of_warps[slot][0][0];
    if (lane_index() == 0) write_sum(own, words + threadIdx.x / warp_lanes, row_slots::warps);
    __syncthreads();
    return of_slots<Sum>(words, blockDim.x / warp_lanes, row_slots::warps);
  }
  // All lanes add in one order, so that all have the same bits.
  template <class Sum>
  ONEFOLD_DEVICE static Sum of_slots(const std::int64_t* words, unsigned count, unsigned apart) {
    Sum sum;
    if (lane_index() % 8 < count) sum = read_sum<Sum>(words + lane_index() % 8, apart);
    join_group(sum, 8);
    return sum;
  }
};

/// What is added of a row first. largest: NaN where an element is; -Inf of none.
struct row_sums {
  static constexpr int parts = 2;
  double sum = 0;
  float largest = -INFINITY;

  ONEFOLD_DEVICE void join(const row_sums& other) {
    sum += other.sum;
    largest = greater_or_nan(largest, other.largest);
  }
  template <class F>
  ONEFOLD_DEVICE void for_each_part(F&& f) {
    double wide = largest;
    f(sum), f(wide);
    largest = float(wide);
  }
};

/// Above it a plain sum about a band is that of the band and what lower bands add, and their
/// elements are 0 in the result.
inline constexpr double least_plain_sum = 0x1p-200;
inline constexpr double most_sum = 0x1p369;  ///< of a sum about the highest band

/// What is known of a row: its total, of which `sum` is NaN where the row is no numbers' and 0
/// where it is not known.
struct row_total {
  detail::softmax_total value;
  double plain = 0;      ///< a plain sum that decided it; 0: another one did
  bool one_band = true;  ///< elements of other bands are 0 in the result
};

/// Additions that a term goes through in a plain sum: of a vector, of the lane, of the row; and
/// what the elements of lower bands add, n 2^-69, in units of 2^-53.
template <class T>
ONEFOLD_DEVICE std::int64_t plain_depth(std::int64_t n, unsigned lanes) {
  constexpr int items = vector_items<T>;
  return items + n / (items * std::int64_t(lanes)) + 2 + 10 + (n >> 16) + 1;
}

/// The total where a plain sum about band 0 decides it; where the row is no numbers', too. more:
/// additions after those of the lanes.
template <class T>
ONEFOLD_DEVICE row_total plain_total(const row_sums& sums, std::int64_t n, unsigned lanes,
                                     int more) {
  if (!(sums.largest - sums.largest == 0)) return {{0, NAN}};
  row_total made{{double(detail::banded_of(sums.largest).band), 0}};
  if (made.value.band != 0 || !(sums.sum > least_plain_sum)) return made;
  const double decided = detail::decided_sum(sums.sum, plain_depth<T>(n, lanes) + more);
  if (decided > 0) made.value.sum = decided, made.plain = sums.sum;
  return made;
}

/// detail::quotient_of with the powers of the block.
ONEFOLD_DEVICE double block_quotient_of(float x, double band,
                                        const detail::softmax_factors& factors) {
  const auto [own, rest] = detail::banded_of(x);
  // From 2^53 on a band less 1 is itself, as a double.
  if (double(own) == band) return exponential_of(rest) * factors.top;
  if (double(own) == band - 1) return exponential_of(rest) * factors.below;
  return 0 * factors.top;
}

/// A sum by double words to 32 bits; 0 where it is ambiguous.
ONEFOLD_DEVICE double decided_double_words(const double_exponentials& sums, std::int64_t n,
                                           unsigned lanes) {
  const double least = sums.below != 0 ? 0x1p-150 : 0x1p-370;
  if (!(sums.sum > least && sums.sum < most_sum)) return 0;
  const double m = double(n) / lanes + 16;
  const double error = sums.sum * ((m + 5) * (m + 5) * 0x1p-106 + double(n) * 0x1p-219 + 0x1p-96);
  const detail::scaled_pair sum = detail::two_sum(sums.sum, sums.rest);
  return max(detail::decided_between(sum.high + (sum.low - error), sum.high + (sum.low + error)),
             0.0);
}
/// The same exactly, by a warp; and the highest band. given: the words of a state of the whole row,
/// or null. NaN where the row is no numbers'. words: shared memory of the warp, of
/// exponential_space_words.
template <class T>
ONEFOLD_COLD detail::softmax_total exact_total(const T* x, std::int64_t n,
                                               const std::int64_t* given, double without,
                                               std::int64_t* words) {
  __syncwarp();
  if (given != nullptr) {
    for (unsigned i = lane_index(); i < unsigned(exponential_words::all); i += warp_lanes)
      words[i] = given[i];
    __syncwarp();
  } else {
    const auto read = [x](std::int64_t r, float& to) {
      to = number_of<T>(detail::to_bits(x[r]));
      return true;
    };
    write_exponential_sum(exponential_elements<float, decltype(read)>{0, n, read}, words);
  }
  detail::softmax_total made = {0, NAN};
  if (lane_index() == 0) {
    auto* const in =
        new (words + exponential_words::all) finish_space<detail::exponential_sum<float>>;
    const std::int64_t* from = words;
    in->state.read_words([&from] { return *from++; });
    const auto& state = in->state;
    if (state.nan_count() == 0 && state.infinity_count() == 0 && !state.empty()) {
      if (without != 0) in->state.top().remove(without);
      const double sum = detail::sum_of_bands(state.top(), state.below(), in->storage).high;
      made = {state.band(), detail::softmax_rounded(sum)};
    }
  }
  made.band = of_lane(made.band, 0), made.sum = of_lane(made.sum, 0);
  __syncwarp();
  return made;
}

/// exact_total of each row that is `open`, in all of its lanes. Every lane of the block calls it.
template <class T>
ONEFOLD_COLD detail::softmax_total exact_totals(const T* x, std::int64_t n, row_lanes_of by,
                                                const std::int64_t* given, double without,
                                                bool open, std::int64_t* words) {
  detail::softmax_total made = {0, 0};
  if (by.is_warps()) {
    // All lanes of the block have one row.
    auto* const meeting = &slots().of_warps[row_slots::rare][0][0];
    __syncthreads();
    if (threadIdx.x < warp_lanes) {
      made = exact_total(x, n, given, without, words);
      if (threadIdx.x == 0)
        meeting[0] = std::int64_t(detail::to_bits(made.band)),
        meeting[1] = std::int64_t(detail::to_bits(made.sum));
    }
    __syncthreads();
    return {detail::from_bits<double>(std::uint64_t(meeting[0])),
            detail::from_bits<double>(std::uint64_t(meeting[1]))};
  }
  ONEFOLD_ROLLED
  for (unsigned left = __ballot_sync(whole_warp, open && by.lane == 0); left != 0;
       left &= left - 1) {
    const int first = __ffs(int(left)) - 1;
    const auto address = [first]<class To>(const To* own) {
      return reinterpret_cast<const To*>(
          of_lane(std::uint64_t(reinterpret_cast<std::uintptr_t>(own)), first));
    };
    const auto one =
        exact_total(address(x), of_lane(n, first), address(given), of_lane(without, first), words);
    if (lane_index() / by.lanes == unsigned(first) / by.lanes) made = one;
  }
  return made;
}

}  // namespace onefold::cuda
