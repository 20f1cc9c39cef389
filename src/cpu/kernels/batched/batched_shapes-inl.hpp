// SPDX-License-Identifier: Apache-2.0
// Batched kernels: the loops of rows, columns and segments, compiled for each SIMD target.
#if defined(ONEFOLD_CPU_BATCHED_SHAPES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_BATCHED_SHAPES_INL
#undef ONEFOLD_CPU_BATCHED_SHAPES_INL
#else
#define ONEFOLD_CPU_BATCHED_SHAPES_INL
#endif

#include <algorithm>

#include "cpu/kernels/batched/batched_prefix-inl.hpp"
#include "cpu/kernels/batched/batched_short-inl.hpp"
#include "cpu/kernels/batched/batched_write-inl.hpp"
#include "request/tuning.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Each step halves the number of vectors: groups of 2 Half lanes become groups of Half lanes.
template <int Half, class Sum>
HWY_INLINE void fold_groups(Sum* sums) {
  for (int i = 0; i < Half; ++i) {
    Sum low = Sum::zip(sums[2 * i], sums[2 * i + 1], pick_lanes<Half, false>());
    low.join(Sum::zip(sums[2 * i], sums[2 * i + 1], pick_lanes<Half, true>()));
    sums[i] = low;
  }
  if constexpr (Half > 1) fold_groups<Half / 2>(sums);
}

// Rows of N elements without gaps: N vectors hold as many rows as there are lanes.
template <accumulator Of, class Sum, class T, int N>
HWY_INLINE Sum sum_of_packed_rows(const T* x) {
  constexpr int lanes = lanes_of<typename Sum::tag>;
  prefetch_behind(x, N * lanes * std::int64_t(sizeof(T)));
  Sum sums[N];
#pragma GCC unroll 4
  for (int v = 0; v < N; ++v)
    sums[v] = first_terms<Of, T, Sum>(load(typename Sum::tag(), x + v * lanes));
  fold_groups<N / 2>(sums);
  return sums[0];
}

// Sums as many outputs as there are lanes, if they are short and may be read as whole vectors.
template <accumulator Of, class Sum, class T>
HWY_INLINE bool take_short(const places<T>& from, std::int64_t first, Sum& to) {
  constexpr bool floats = std::is_floating_point_v<hn::TFromD<typename Sum::tag>>;
  const auto sizes = sizes_of_lanes<Sum, T>(from, first);
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  if constexpr (knows_near<Sum, T>)
    if (from.offsets && take_near<T>(from, first, sizes, to)) {
      to = with_nothing(to, sizes);
      return true;
    }
#endif
  const int vectors = vectors_of_short<Sum, T>(from, first, sizes);
  if (vectors == 1) to = sum_of_short<Of, Sum, T, 1>(from, first, sizes);
  if (vectors == 2) to = sum_of_short<Of, Sum, T, 2>(from, first, sizes);
  if (vectors == 4) to = sum_of_short<Of, Sum, T, 4>(from, first, sizes);
  if constexpr (floats)
    if (vectors == 8) to = sum_of_short<Of, Sum, T, 8>(from, first, sizes);
  return vectors > 0;
}

// Sums as many outputs as there are lanes; missing outputs are sums of no elements.
template <accumulator Of, class Sum, class T>
HWY_INLINE Sum sum_of_lanes(const places<T>& from, std::int64_t first, std::int64_t count) {
  constexpr int lanes = lanes_of<typename Sum::tag>;
  // g++ 12.2 fails on bytes that are widened to 64 bits under a mask; such rows are long in any
  // case.
  constexpr bool wide_bytes = sizeof(T) == 1 && sizeof(hn::TFromD<typename Sum::tag>) == 8;
  if constexpr (Of != accumulator::products && !wide_bytes && lanes >= 4) {
    const bool packed = !from.offsets && from.all_x_end && count >= lanes;
    if (packed && from.n == 4) return sum_of_packed_rows<Of, Sum, T, 4>(from.x_at(first));
    if (packed && from.n == 2) return sum_of_packed_rows<Of, Sum, T, 2>(from.x_at(first));
  }
  if constexpr (Of == accumulator::total && !wide_bytes) {
    Sum sum;
    if (count >= lanes && take_short<Of, Sum, T>(from, first, sum)) return sum;
  }
  Sum sums[lanes];
  for (int k = 0; k < lanes; ++k) {
    const std::int64_t at = first + k;
    sums[k] = k < count ? sum_of_one<Of, Sum>(from.x_at(at), from.y_at(at), from.size(at),
                                              from.x_end(at), from.y_end(at))
                        : Sum::nothing();
  }
  return fold_lanes<lanes>(sums);
}

// Short segments have more bytes of offsets than of elements.
template <class T>
HWY_INLINE void prefetch_offsets(const places<T>& from, std::int64_t first, std::int64_t count) {
  if (from.offsets)
    prefetch_behind(from.offsets + first, count * std::int64_t(sizeof from.offsets[0]));
}

// Whether the next 64 segments are so short that selecting their elements is faster than scaling
// them.
template <class T>
HWY_INLINE bool shortest(const places<T>& from, std::int64_t first, std::int64_t count) {
  return from.offsets && count >= 64 && from.offsets[first + 64] - from.offsets[first] <= 64 * 2;
}

template <accumulator Of, class Sum, class T>
HWY_NOINLINE void sum_batch(const places<T>& from, std::int64_t first, std::int64_t count,
                            batch_sums& batch) {
  using lane = hn::TFromD<typename Sum::tag>;
  constexpr int lanes = lanes_of<typename Sum::tag>;
  const auto apart = batch.part<lane>(1) - batch.part<lane>(0);
  std::int64_t k = 0;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  // Processes tiles as long as they can be scaled; after a refused tile, groups as below, and then
  // the next tile.
  constexpr bool linear = Of == accumulator::total || Of == accumulator::magnitudes;
  if constexpr (std::is_same_v<Sum, interval_sum> && linear) {
    prefix_tile tile;
    for (int taken; k < count; k += taken) {
      if (shortest(from, first + k, count - k)) {
        prefetch_offsets(from, first + k, taken = 8 * lanes);
        for (int i = 0; i < taken; i += lanes)
          sum_of_lanes<Of, Sum, T>(from, first + k + i, taken - i)
              .write(store_part<lane>{batch.part<lane>(0) + k + i, apart});
        continue;
      }
      taken = take_prefix_tile<Of, T>(from, first + k, count - k, tile, batch.part<lane>(0) + k,
                                      batch.part<lane>(1) + k);
      if (taken > 0) {
        prefetch_offsets(from, first + k, taken);
        continue;
      }
      taken = int(std::min<std::int64_t>(count - k, 8 * lanes));
      for (int i = 0; i < taken; i += lanes)
        sum_of_lanes<Of, Sum, T>(from, first + k + i, taken - i)
            .write(store_part<lane>{batch.part<lane>(0) + k + i, apart});
    }
  }
#endif
  for (; k < count; k += lanes) {
    prefetch_offsets(from, first + k, lanes);
    sum_of_lanes<Of, Sum, T>(from, first + k, count - k)
        .write(store_part<lane>{batch.part<lane>(0) + k, apart});
  }
}

template <accumulator Of, class Sum, class T>
std::int64_t take_places(const batched_block& block) {
  const places<T> from(block);
  std::int64_t ambiguous = 0;
  batch_sums sums;
  for (std::int64_t first = 0; first < block.outputs; first += batch_outputs) {
    const int count = int(std::min<std::int64_t>(batch_outputs, block.outputs - first));
    {
      const rounding_scope mode(Sum::mode);
      sum_batch<Of, Sum, T>(from, first, count, sums);
    }
    ambiguous += round_batch<Sum>(block, first, count, double(block.n), sums);
  }
  return ambiguous;
}

// The columns of a tile: its sums stay in the first-level cache, and a group of rows is added at
// once. For bytes too the tile has a page of each row, as far as 32-bit sums allow.
template <class T>
inline constexpr int tile_columns = std::clamp(int(4096 / sizeof(T)), 1024, 4096);
inline constexpr int exact_group = 8, fast_group = int(tuning::group_rows);

// How far ahead of the additions rows are prefetched into the second-level cache, by whole groups:
// the hardware prefetcher does not follow such strides.
inline constexpr std::int64_t prefetch_bytes = 8192;

struct column_rows {
  const std::byte *x, *y;
  std::int64_t stride, y_stride, rows;
  std::int64_t ahead = 0;  // rows from the addition to the prefetch
};

template <class T>
HWY_INLINE const T* at_bytes(const T* from, std::int64_t bytes) {
  return reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(from) + bytes);
}

// Adds `rows` rows of `count` columns at column c: whole vectors, or one incomplete vector.
template <accumulator Of, class Sum, class T, bool Whole>
HWY_INLINE void add_rows_at(Sum& sum, const column_rows& in, std::int64_t c, std::int64_t count,
                            int rows) {
  const std::byte* x = in.x + c * std::int64_t(sizeof(T));
  const std::byte* y = in.y + c * std::int64_t(sizeof(T));
  for (int r = 0; r < rows; ++r, x += in.stride, y += in.y_stride) {
    const auto* const at = reinterpret_cast<const T*>(x);
    const auto* const y_at = reinterpret_cast<const T*>(y);
    if constexpr (Whole)
      add_vector<Of>(sum, at, y_at);
    else
      add_some<Of>(sum, at, y_at, count, at + count, y_at + count);
  }
}

template <accumulator Of, class Sum, class T, bool Whole>
HWY_INLINE void add_group_at(const column_rows& in, int rows, std::int64_t c, std::int64_t count,
                             hn::TFromD<typename Sum::tag>* sums, std::int64_t apart) {
  Sum sum = Sum::read(sums + c, apart);
  if constexpr (Sum::grouped) {
    Sum group = Sum::start();
    add_rows_at<Of, Sum, T, Whole>(group, in, c, count, rows);
    sum.join(group);
  } else {
    add_rows_at<Of, Sum, T, Whole>(sum, in, c, count, rows);
  }
  sum.write(store_part<hn::TFromD<typename Sum::tag>>{sums + c, apart});
}

// The number of vectors that one cache line of elements fills, limited by the registers for their
// sums.
template <class Sum, class T>
inline constexpr int line_vectors = std::clamp(int(64 / (lanes_of<typename Sum::tag> * sizeof(T))),
                                               1, 4);

// Adds one line of each of Group rows: rows that are a power of two apart map to few sets of the
// cache, so a line is used completely when it arrives.
template <accumulator Of, class Sum, class T, int Group, int... V>
HWY_INLINE void add_lines(const column_rows& in, std::int64_t c,
                          hn::TFromD<typename Sum::tag>* sums, std::int64_t apart,
                          std::integer_sequence<int, V...>) {
  constexpr int lanes = lanes_of<typename Sum::tag>;
  const auto* x = reinterpret_cast<const T*>(in.x) + c;
  const auto* y = reinterpret_cast<const T*>(in.y) + c;
  Sum group[] = {(Sum::grouped ? Sum::start() : Sum::read(sums + c + V * lanes, apart))...};
  for (int r = 0; r < Group; ++r) {
    __builtin_prefetch(at_bytes(x, in.ahead * in.stride), 0, 2);
    if (Of == accumulator::products) __builtin_prefetch(at_bytes(y, in.ahead * in.y_stride), 0, 2);
    (add_vector<Of>(group[V], x + V * lanes, y + V * lanes), ...);
    x = at_bytes(x, in.stride), y = at_bytes(y, in.y_stride);
  }
  const auto close = [&](Sum& added, std::int64_t at) {
    if constexpr (Sum::grouped) {
      Sum before = Sum::read(sums + at, apart);
      before.join(added);
      added = before;
    }
    added.write(store_part<hn::TFromD<typename Sum::tag>>{sums + at, apart});
  };
  (close(group[V], c + V * lanes), ...);
}

// Adds Group rows of whole vectors.
template <accumulator Of, class Sum, class T, int Group>
HWY_NOINLINE void add_group(const column_rows& in, std::int64_t columns,
                            hn::TFromD<typename Sum::tag>* sums, std::int64_t apart) {
  constexpr int lanes = lanes_of<typename Sum::tag>, wide = line_vectors<Sum, T>;
  constexpr std::make_integer_sequence<int, wide> line;
  std::int64_t c = 0;
  for (; c + wide * lanes <= columns; c += wide * lanes)
    add_lines<Of, Sum, T, Group>(in, c, sums, apart, line);
  for (; c < columns; c += lanes) add_group_at<Of, Sum, T, true>(in, Group, c, 0, sums, apart);
}

// Adds the remainder: fewer rows, or the last columns.
template <accumulator Of, class Sum, class T>
HWY_NOINLINE void add_rest(const column_rows& in, int rows, std::int64_t first,
                           std::int64_t columns, hn::TFromD<typename Sum::tag>* sums,
                           std::int64_t apart) {
  for (std::int64_t c = first; c < columns; c += lanes_of<typename Sum::tag>) {
    const auto count = std::min<std::int64_t>(lanes_of<typename Sum::tag>, columns - c);
    if (count == lanes_of<typename Sum::tag>)
      add_group_at<Of, Sum, T, true>(in, rows, c, count, sums, apart);
    else
      add_group_at<Of, Sum, T, false>(in, rows, c, count, sums, apart);
  }
}

template <class Sum>
HWY_NOINLINE void start_columns(std::int64_t columns, hn::TFromD<typename Sum::tag>* sums,
                                std::int64_t apart) {
  for (std::int64_t c = 0; c < columns; c += lanes_of<typename Sum::tag>)
    Sum::start().write(store_part<hn::TFromD<typename Sum::tag>>{sums + c, apart});
}

template <accumulator Of, class Sum, class T>
void add_columns(column_rows in, std::int64_t columns, hn::TFromD<typename Sum::tag>* sums,
                 std::int64_t apart) {
  constexpr int lanes = lanes_of<typename Sum::tag>;
  constexpr int group = Sum::grouped ? fast_group : exact_group;
  const std::int64_t group_bytes = group * columns * std::int64_t(sizeof(T));
  in.ahead = group * std::clamp<std::int64_t>(prefetch_bytes / group_bytes, 1, 8);
  const rounding_scope mode(Sum::mode);
  for (std::int64_t left = in.rows; left > 0; left -= group) {
    const int rows = int(std::min<std::int64_t>(group, left));
    const std::int64_t whole = rows == group ? columns / lanes * lanes : 0;
    add_group<Of, Sum, T, group>(in, whole, sums, apart);
    if (whole < columns) add_rest<Of, Sum, T>(in, rows, whole, columns, sums, apart);
    in.x += group * in.stride, in.y += group * in.y_stride;
  }
}

template <class Sum>
std::int64_t round_columns(const batched_block& block, std::int64_t first, std::int64_t columns,
                           const hn::TFromD<typename Sum::tag>* from, std::int64_t apart) {
  using lane = hn::TFromD<typename Sum::tag>;
  std::int64_t ambiguous = 0;
  batch_sums sums;
  for (std::int64_t c = 0; c < columns; c += batch_outputs) {
    const int count = int(std::min<std::int64_t>(batch_outputs, columns - c));
    for (int part = 0; part < Sum::parts; ++part)
      std::memcpy(sums.part<lane>(part), from + part * apart + c,
                  std::size_t((count + 15) / 16 * 16) * sizeof(lane));
    ambiguous += round_batch<Sum>(block, first + c, count, double(block.count), sums);
  }
  return ambiguous;
}

template <accumulator Of, class Sum, class T>
std::int64_t take_columns(const batched_block& block) {
  using lane = hn::TFromD<typename Sum::tag>;
  alignas(64) double own[Sum::parts * tile_columns<T>];
  std::int64_t ambiguous = 0;
  for (std::int64_t c = 0; c < block.outputs; c += tile_columns<T>) {
    const auto columns = std::min<std::int64_t>(tile_columns<T>, block.outputs - c);
    const bool kept = block.accumulators != nullptr;
    lane* const sums =
        kept ? reinterpret_cast<lane*>(block.accumulators) + c : reinterpret_cast<lane*>(own);
    const std::int64_t apart = kept ? (block.outputs + 15) / 16 * 16 : tile_columns<T>;
    if (block.first) start_columns<Sum>(columns, sums, apart);
    const auto at = c * std::int64_t(sizeof(T));
    const std::byte* const y = block.y ? block.y : block.x;
    add_columns<Of, Sum, T>(
        {block.x + at, y + at, block.stride, block.y ? block.y_stride : block.stride, block.n},
        columns, sums, apart);
    if (block.last) ambiguous += round_columns<Sum>(block, c, columns, sums, apart);
  }
  return ambiguous;
}

template <accumulator Of, class Sum, class T>
std::int64_t take_block(const batched_block& block) {
  if (block.request.shape == batched_shape::columns) return take_columns<Of, Sum, T>(block);
  return take_places<Of, Sum, T>(block);
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
