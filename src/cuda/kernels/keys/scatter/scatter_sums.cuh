// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums and means of the rows of lists, as sums of columns: intervals of doubles, of short lists of
// 16-bit elements intervals of floats, of f64 double words; what these leave ambiguous is added
// exactly by the warp. docs/numerics/scatter.md.

#include "cuda/kernels/keys/scatter/scatter_parts.cuh"

namespace onefold::cuda {

// What is seldom, with registers of its own.
template <class T>
ONEFOLD_COLD void take_middle_list(const scatter_launch& a, std::int64_t* memory,
                                   std::int64_t answer, std::int64_t tile);
template <class T, class Sum>
ONEFOLD_COLD void write_ends(const scatter_launch& a, std::int64_t* memory, std::int64_t answer,
                             std::int64_t tile, const lane_columns<T, Sum>& total);

template <class T>
class scatter_lists : public scatter_warp<T> {
 public:
  using base = scatter_warp<T>;
  using base::base;
  using base::items, base::loads, base::unaligned_loads;
  using typename base::bits, typename base::columns, typename base::short_sum,
      typename base::traits;

  /// Adds the lists of the answers of a share of tasks, unless they are long. The places of the
  /// next list are read before the rows of one.
  ONEFOLD_DEVICE void take_share(std::int64_t share) {
    const std::int64_t tasks = a_.request.answers * a_.tiles, task = share * a_.share;
    auto left = unsigned(min(a_.share, tasks - task));
    const std::int64_t begun = quotient(task, a_.tiles);
    std::int64_t answer = begun, tile = task - begun * a_.tiles;
    const std::uint32_t offset = offset_of(min(begun + lane_index(), a_.request.answers));
    unsigned lane = 0;
    list_range list = listed(offset, lane);
    std::uint32_t number = number_of(list);
    ONEFOLD_ROLLED
    for (;;) {
      __syncwarp();
      numbers()[lane_index()] = number;
      __syncwarp();
      const list_range next = listed(offset, ++lane);
      number = number_of(next);
      ONEFOLD_ROLLED
      do {
        take(answer, list, tile);
        if (--left == 0) return;
      } while (++tile < a_.tiles);
      list = next, tile = 0, ++answer;
    }
  }

  ONEFOLD_DEVICE void take_middle(std::int64_t answer, std::int64_t tile) {
    open(tile);
    const list_range list = range(answer);
    columns total = added(list);
    if (has_initial(list) && count_ > 0) total.add(load(initial(answer)));
    write(answer, list, tile, total);
  }
  ONEFOLD_DEVICE void write_wide(std::int64_t answer, std::int64_t tile,
                                 const lane_columns<T, short_sum>& total) {
    open(tile);
    columns wide;
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i)
      wide.sums[i].u = total.sums[i].u, wide.sums[i].minus_d = total.sums[i].minus_d;
    write(answer, range(answer), tile, wide);
  }

 private:
  using base::a_, base::added, base::count_, base::down_, base::memory_, base::place_;
  using base::across, base::has_initial, base::initial, base::load, base::number_at,
      base::offset_of, base::open, base::output, base::put, base::range, base::row, base::write,
      base::write_vector;
  static constexpr bool has_short_sums = !std::is_same_v<short_sum, typename base::sum>;

  ONEFOLD_DEVICE std::uint32_t* numbers() const {
    return reinterpret_cast<std::uint32_t*>(memory_ + traits::words);
  }
  // The list between the offsets of two lanes.
  ONEFOLD_DEVICE list_range listed(std::uint32_t offset, unsigned lane) const {
    const std::uint32_t first = of_lane(offset, int(lane));
    return {first, max(of_lane(offset, int(lane) + 1), first)};
  }
  // That of each lane, of a short list.
  ONEFOLD_DEVICE std::uint32_t number_of(const list_range& list) const {
    const bool has_row = lane_index() < list.count() && list.count() <= short_rows;
    return has_row ? number_at(list.first + lane_index()) : 0;
  }

  ONEFOLD_DEVICE void take(std::int64_t answer, const list_range& list, std::int64_t tile) {
    if (a_.is_long(list.count())) return;
    open(tile);
    if (list.count() == 0) return write_empty(answer);
    if (list.count() > short_rows) return take_middle_list<T>(a_, memory_, answer, tile);
    const auto total = short_total(answer, list);
    if constexpr (has_short_sums) {
      auto ends = total;
      if (!any_lane(!written_at_once(answer, list, ends))) return;
      write_ends<T>(a_, memory_, answer, tile, lane_columns<T, short_sum>(total));
    } else {
      write(answer, list, tile, total);
    }
  }

  // Of a short list, with the initial element, in every lane of a vector.
  ONEFOLD_DEVICE lane_columns<T, short_sum> short_total(std::int64_t answer,
                                                        const list_range& list) const {
    lane_columns<T, short_sum> total;
    if constexpr (has_short_sums) {
      // The ends of the first term: zeros of one sign have the same ends.
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i) total.sums[i].begin(-0.0f), total.sums[i].minus_d = -0.0f;
    }
    const bool with_initial = has_initial(list) && count_ > 0;
    const unsigned count = count_ > 0 ? list.count() : 0;
    const auto add_rows = [&](auto at_once, auto load_row) {
      constexpr unsigned some = decltype(at_once)::value;
      vector_of<T> first = {};
      if (with_initial) first = load_row(initial(answer));
      ONEFOLD_ROLLED
      for (unsigned i = place_; i < count; i += some * down_) {
        vector_of<T> v[some] = {};  // or their registers are kept from round to round
        ONEFOLD_UNROLL
        for (unsigned l = 0; l < some; ++l) {
          const unsigned at = i + l * down_;
          const T* const from = row(numbers()[at % short_rows]);
          if (at < count) v[l] = load_row(from);
        }
        ONEFOLD_UNROLL
        for (unsigned l = 0; l < some; ++l)
          if (i + l * down_ < count) total.add(v[l]);
      }
      total.join(across());
      if (with_initial) total.add(first);
    };
    if (a_.aligned)
      add_rows(std::integral_constant<unsigned, loads>(),
               [](const T* at) { return load_items(at); });
    else
      add_rows(std::integral_constant<unsigned, unaligned_loads>(),
               [this](const T* at) { return load(at); });
    return total;
  }
  ONEFOLD_DEVICE void write_empty(std::int64_t answer) const {
    const bits none = a_.request.is_mean ? detail::float_format<T>::quiet_nan : bits(0);
    if (place_ != 0) return;
    if (a_.aligned) {
      std::uint32_t words[4] = {0, 0, 0, 0};
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i) put(words, i, none);
      if (count_ > 0 && a_.request.initial != nullptr) {
        const uint4 v = load_vector(initial(answer));
        words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
      }
      return write_vector(answer, words);
    }
    bits* const to = output(answer);
    ONEFOLD_ROLLED
    for (int i = 0; i < count_; ++i)
      to[i] = a_.request.initial != nullptr ? bits(bits_at(initial(answer) + i)) : none;
  }
  // Whether the answers of this lane are certified, and then written.
  ONEFOLD_DEVICE bool written_at_once(std::int64_t answer, const list_range& list,
                                      lane_columns<T, short_sum>& total) const {
    if (a_.request.is_mean && !divide<T>(total, float(a_.request.divisor(list.count()))))
      return count_ == 0;
    std::uint32_t words[4];
    if (!round_pairs<T>(total, words)) return count_ == 0;
    if (a_.aligned) {
      write_vector(answer, words);
    } else {
      bits* const to = output(answer);
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i)
        if (place_ == 0 && i < count_) to[i] = bits(words[i / 2] >> 16 * (i % 2));
    }
    return true;
  }
};

template <class T>
ONEFOLD_COLD void take_middle_list(const scatter_launch& a, std::int64_t* memory,
                                   std::int64_t answer, std::int64_t tile) {
  scatter_lists<T>(a, memory).take_middle(answer, tile);
}
template <class T, class Sum>
ONEFOLD_COLD void write_ends(const scatter_launch& a, std::int64_t* memory, std::int64_t answer,
                             std::int64_t tile, const lane_columns<T, Sum>& total) {
  scatter_lists<T>(a, memory).write_wide(answer, tile, total);
}
/// Shape:  lists or segments of x[rows][n]; out[answers][n]; blocks of whole warps; any grid;
///         dynamic shared memory for scatter_warp<T>::memory_words of 64 bits a warp. Parts of long
///         answers are written; with `joins` they are joined.
/// Error:  none: answers are rounded once.
/// Order:  none: the same bits in every run, grid and order of the lists.
template <class T>
__global__ void __launch_bounds__(scatter_threads, 7)
    scatter_sums(ONEFOLD_KERNEL_ARGUMENT scatter_launch a, bool joins) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  if (a.is_tabled()) return;
  const unsigned warps = blockDim.x / warp_lanes, own = threadIdx.x / warp_lanes;
  std::int64_t* const memory = shared + own * scatter_warp<T>::memory_words;
  const std::int64_t parts = a.parts() * a.tiles, shares = joins ? 0 : a.shares;
  ONEFOLD_ROLLED
  for (std::int64_t task = std::int64_t(blockIdx.x) * warps + own; task < parts + shares;
       task += std::int64_t(gridDim.x) * warps)
    if (task < parts)
      take_part<T>(a, memory, task, joins);
    else
      scatter_lists<T>(a, memory).take_share(task - parts);
}

using scatter_kernel = void (*)(scatter_launch, bool);

/// Words of shared memory of a warp, and the kernel.
struct scatter_start {
  scatter_kernel kernel;
  unsigned words;
};
inline scatter_start scatter_start_of(dtype type) {
  return with_floating<scatter_start>(type, []<class T>(detail::tag<T>) {
    return scatter_start{scatter_sums<T>, scatter_warp<T>::memory_words};
  });
}

}  // namespace onefold::cuda
