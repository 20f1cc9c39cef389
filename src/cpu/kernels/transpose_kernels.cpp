// SPDX-License-Identifier: Apache-2.0
// The SIMD loops that transpose a matrix tile by tile, compiled for every target.
//
// A tile is a cache line wide in both matrices: 64 / s by 64 / s elements of s bytes. A vector
// gathers 16-byte blocks of rows that are 16 / s apart; log2(16 / s) rounds of interleaving
// transpose the blocks of 16 / s vectors, and each vector is then a part of one line of the output.
// Rows that are a power of two apart map to one set of the first-level cache, so the lines of a
// tile are first copied to contiguous memory.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/transpose_kernels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "cpu/kernels/transpose_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
inline constexpr int tile_items = int(tile_bytes / sizeof(T));

#if HWY_TARGET == HWY_SCALAR

template <class T, bool Streaming>
HWY_INLINE void turn_tile(const std::byte* from, std::int64_t from_stride, std::byte* to,
                          std::int64_t to_stride) {
  for (int c = 0; c < tile_items<T>; ++c)
    for (int r = 0; r < tile_items<T>; ++r)
      std::memcpy(to + c * to_stride + r * int(sizeof(T)),
                  from + r * from_stride + c * int(sizeof(T)), sizeof(T));
}

#else

// The block of row 0 of `from`, followed by those of rows apart, 2 * apart …
template <class D>
HWY_INLINE hn::Vec<D> load_blocks(D d, const std::byte* from, std::int64_t apart) {
  using T = hn::TFromD<D>;
  if constexpr (hn::MaxLanes(D()) * sizeof(T) == 16) {
    return hn::LoadU(d, reinterpret_cast<const T*>(from));
  } else {
    const hn::Half<D> half;
    constexpr int blocks = int(hn::MaxLanes(half) * sizeof(T) / 16);
    const auto low = load_blocks(half, from, apart);
    return hn::Combine(d, load_blocks(half, from + blocks * apart, apart), low);
  }
}

// One round: vector 2 i and 2 i + 1 are the interleaved halves of vectors i and i + n / 2.
template <class D, std::size_t... I>
HWY_INLINE void interleave(D d, hn::Vec<D> (&v)[2 * sizeof...(I)], std::index_sequence<I...>) {
  constexpr std::size_t half = sizeof...(I);
  hn::Vec<D> w[2 * half];
  ((w[2 * I] = hn::InterleaveLower(d, v[I], v[I + half]),
    w[2 * I + 1] = hn::InterleaveUpper(d, v[I], v[I + half])),
   ...);
  ((v[2 * I] = w[2 * I], v[2 * I + 1] = w[2 * I + 1]), ...);
}

template <bool Streaming, class D>
HWY_INLINE void store_part(D d, hn::Vec<D> part, std::byte* to) {
  auto* const at = reinterpret_cast<hn::TFromD<D>*>(to);
  if constexpr (Streaming)
    hn::Stream(part, d, at);
  else
    hn::StoreU(part, d, at);
}

template <bool Streaming, class D, std::size_t... I>
HWY_INLINE void turn_blocks(D d, const std::byte* from, std::int64_t from_stride, std::byte* to,
                            std::int64_t to_stride, std::index_sequence<I...>) {
  constexpr std::int64_t n = sizeof...(I);
  hn::Vec<D> v[n] = {load_blocks(d, from + std::int64_t(I) * from_stride, n * from_stride)...};
  for (std::int64_t width = n; width > 1; width /= 2)
    interleave(d, v, std::make_index_sequence<n / 2>());
  (store_part<Streaming>(d, v[I], to + std::int64_t(I) * to_stride), ...);
}

template <class T, bool Streaming>
HWY_INLINE void turn_tile(const std::byte* from, std::int64_t from_stride, std::byte* to,
                          std::int64_t to_stride) {
  const hn::CappedTag<T, tile_items<T>> d;
  constexpr int n = int(16 / sizeof(T)), part = int(hn::MaxLanes(d) * sizeof(T));
  for (int column = 0; column < tile_bytes; column += 16)
    for (int row = 0; row < tile_bytes; row += part)
      turn_blocks<Streaming>(d, from + row / int(sizeof(T)) * from_stride + column, from_stride,
                             to + column / int(sizeof(T)) * to_stride + row, to_stride,
                             std::make_index_sequence<n>());
}

#endif

// The lines of a tile, contiguous.
struct tile_buffer {
  alignas(tile_bytes) std::byte lines[tile_bytes * tile_bytes];
};

// Copies a tile's input lines to contiguous memory; prefetches lines that will be read soon.
template <class T>
HWY_INLINE void gather_lines(const std::byte* from, std::int64_t stride, tile_buffer& buffer) {
  for (int r = 0; r < tile_items<T>; ++r) {
    __builtin_prefetch(from + r * stride + 4 * tile_bytes, 0, 2);
    std::memcpy(buffer.lines + r * tile_bytes, from + r * stride, tile_bytes);
  }
}

// Transposes a whole tile to lines that are to_stride apart.
template <class T, bool Streaming>
HWY_INLINE void turn_whole_tile(const std::byte* from, std::int64_t from_stride, std::byte* to,
                                std::int64_t to_stride) {
  tile_buffer buffer;
  gather_lines<T>(from, from_stride, buffer);
  turn_tile<T, Streaming>(buffer.lines, tile_bytes, to, to_stride);
}

// Transposes an incomplete tile of `rows` by `columns` elements; the rest of the lines is
// unspecified.
template <class T>
void turn_part_of_tile(const std::byte* from, std::int64_t from_stride, std::int64_t rows,
                       std::int64_t columns, std::byte* to, std::int64_t to_stride) {
  tile_buffer buffer = {};
  for (std::int64_t r = 0; r < rows; ++r)
    std::memcpy(buffer.lines + r * tile_bytes, from + r * from_stride,
                std::size_t(columns) * sizeof(T));
  turn_tile<T, false>(buffer.lines, tile_bytes, to, to_stride);
}

// A streaming store of one line. Precondition: `to` is aligned.
HWY_INLINE void stream_line(const std::byte* from, std::byte* to) {
  const hn::CappedTag<std::uint8_t, tile_bytes> d;
  for (int k = 0; k < tile_bytes; k += int(hn::MaxLanes(d)))
    hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from) + k), d,
               reinterpret_cast<std::uint8_t*>(to) + k);
}

// Streaming stores for the whole lines of `to`, normal stores before and after them.
inline void stream_bytes(const std::byte* from, std::byte* to, std::int64_t size) {
  const auto past = std::int64_t(reinterpret_cast<std::uintptr_t>(to) % tile_bytes);
  const std::int64_t head = std::min(size, (tile_bytes - past) % tile_bytes);
  if (head > 0) std::memcpy(to, from, std::size_t(head));
  std::int64_t at = head;
  for (; at + tile_bytes <= size; at += tile_bytes) stream_line(from + at, to + at);
  if (at < size) std::memcpy(to + at, from + at, std::size_t(size - at));
}

// A strip of tiles below each other, transposed into a buffer: longer pieces of the output's rows,
// where those do not start at a line.
inline constexpr std::int64_t strip_tiles = 8;
struct strip_buffer {
  alignas(tile_bytes) std::byte lines[tile_bytes * strip_tiles * tile_bytes];
};

template <class T>
void turn_strip(const turn& all, std::int64_t row, std::int64_t rows, std::int64_t column,
                std::int64_t columns, strip_buffer& strip) {
  constexpr std::int64_t side = tile_items<T>, item = sizeof(T), apart = strip_tiles * tile_bytes;
  const std::byte* const from = all.from + row * all.from_stride + column * item;
  for (std::int64_t r = 0; r < rows; r += side) {
    const std::byte* const tile = from + r * all.from_stride;
    if (rows - r >= side && columns == side)
      turn_whole_tile<T, false>(tile, all.from_stride, strip.lines + r * item, apart);
    else
      turn_part_of_tile<T>(tile, all.from_stride, std::min(side, rows - r), columns,
                           strip.lines + r * item, apart);
  }
  std::byte* const to = all.to + column * all.to_stride + row * item;
  for (std::int64_t c = 0; c < columns; ++c)
    if (all.streaming)
      stream_bytes(strip.lines + c * apart, to + c * all.to_stride, rows * item);
    else
      std::memcpy(to + c * all.to_stride, strip.lines + c * apart, std::size_t(rows * item));
}

// Whether a whole tile may be written to the output directly: each of its stores is a whole line,
// or stays in the caches.
template <class T>
bool goes_straight(const turn& all, std::int64_t row) {
  const auto to = reinterpret_cast<std::uintptr_t>(all.to) + std::uintptr_t(row) * sizeof(T);
  const bool whole_lines = all.to_stride % tile_bytes == 0 && to % tile_bytes == 0;
  constexpr bool one_store = hn::MaxLanes(hn::CappedTag<T, tile_items<T>>()) == tile_items<T>;
  return !all.streaming || (whole_lines && one_store);
}

// The tiles of one row of tiles.
template <class T>
void turn_row_of_tiles(const turn& all, std::int64_t row, std::int64_t rows, strip_buffer& strip) {
  constexpr std::int64_t side = tile_items<T>, item = sizeof(T);
  const bool straight = rows == side && goes_straight<T>(all, row);
  for (std::int64_t column = 0; column < all.columns; column += side) {
    const std::int64_t columns = std::min(side, all.columns - column);
    const std::byte* const from = all.from + row * all.from_stride + column * item;
    std::byte* const to = all.to + column * all.to_stride + row * item;
    if (!straight || columns < side)
      turn_strip<T>(all, row, rows, column, columns, strip);
    else if (all.streaming)
      turn_whole_tile<T, true>(from, all.from_stride, to, all.to_stride);
    else
      turn_whole_tile<T, false>(from, all.from_stride, to, all.to_stride);
  }
}

// The number of rows before the first one whose elements start lines of the output; 0 where none
// does.
template <class T>
std::int64_t rows_before_lines(const turn& all) {
  const auto past = std::int64_t(reinterpret_cast<std::uintptr_t>(all.to) % tile_bytes);
  if (all.to_stride % tile_bytes != 0 || past % std::int64_t(sizeof(T)) != 0) return 0;
  return (tile_bytes - past) % tile_bytes / std::int64_t(sizeof(T));
}

template <class T>
void turn_matrix(const turn& all) {
  constexpr std::int64_t side = tile_items<T>;
  strip_buffer strip;
  const bool whole_lines = all.to_stride % tile_bytes == 0;
  const std::int64_t step = whole_lines || !all.streaming ? side : strip_tiles * side;
  std::int64_t row = std::min(all.rows, rows_before_lines<T>(all));
  if (row > 0) turn_row_of_tiles<T>(all, 0, row, strip);
  for (; row < all.rows; row += step)
    turn_row_of_tiles<T>(all, row, std::min(step, all.rows - row), strip);
  if (all.streaming) hwy::FlushStream();
}

const transpose_kernels& turns() {
  static const transpose_kernels table = {turn_matrix<std::uint8_t>, turn_matrix<std::uint16_t>,
                                          turn_matrix<std::uint32_t>, turn_matrix<std::uint64_t>};
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "cpu/kernels/dispatch.hpp"
#include "cpu/kernels/targets.hpp"

namespace onefold::cpu {

HWY_EXPORT(turns);

const transpose_kernels& turns_of_target(std::int64_t target) {
  return entry_of_target(HWY_DISPATCH_TABLE(turns), target)();
}

}  // namespace onefold::cpu
#endif
