// SPDX-License-Identifier: Apache-2.0
#pragma once
// Matrices of a few bytes' width whose rows are contiguous, to as many long rows, and back: pixels
// to planes, planes to pixels.
//
// A block takes a slab of short rows. Between it and the long rows, elements of a few of these move
// together: 16 bytes of each are turned in registers.

#include "cuda/kernels/transpose/strips.cuh"

namespace onefold::cuda {

template <int Item, class Way>
ONEFOLD_DEVICE void slab_to_rows(const slab& from, const narrow_share& share) {
  using part = strip<Item, Way::rows>;
  const unsigned vectors = part::vectors(share), tasks = part::tasks(share);
  const bool aligned = Way::aligned(share);
  for (unsigned task = threadIdx.x; task < tasks; task += narrow_threads) {
    const part at(share, task, vectors);
    if (!at.whole()) {
      at.each_item([&](std::byte* to, unsigned place) {
        *reinterpret_cast<bits_of<Item>*>(to) = from.get<Item>(place);
      });
      continue;
    }
    std::uint32_t lines[4 * Way::rows];
    Way::get(from, at.place(unsigned(at.begin) / Item), share.lines * Item, aligned, lines);
    ONEFOLD_UNROLL
    for (unsigned j = 0; j < Way::rows; ++j)
      if (at.has(j))
        *reinterpret_cast<uint4*>(at.at(j)) =
            make_uint4(lines[4 * j], lines[4 * j + 1], lines[4 * j + 2], lines[4 * j + 3]);
  }
}

template <int Item, class Way>
ONEFOLD_DEVICE void put_part(const uint4 (&loaded)[Way::rows], const strip<Item, Way::rows>& at,
                             bool aligned, const slab& to) {
  if (!at.whole()) {
    at.each_item([&](const std::byte* from, unsigned place) {
      to.put<Item>(place, *reinterpret_cast<const bits_of<Item>*>(from));
    });
    return;
  }
  std::uint32_t lines[4 * Way::rows];
  ONEFOLD_UNROLL
  for (unsigned j = 0; j < Way::rows; ++j) {
    lines[4 * j] = loaded[j].x, lines[4 * j + 1] = loaded[j].y;
    lines[4 * j + 2] = loaded[j].z, lines[4 * j + 3] = loaded[j].w;
  }
  Way::put(lines, at.place(unsigned(at.begin) / Item), at.share.lines * Item, aligned, to);
}

template <int Item, class Way>
ONEFOLD_DEVICE void rows_to_slab(const narrow_share& share, const slab& to) {
  using part = strip<Item, Way::rows>;
  constexpr unsigned batch = Way::rows < 4 ? 4 / Way::rows : 1;
  const unsigned vectors = part::vectors(share), tasks = part::tasks(share);
  const bool aligned = Way::aligned(share);
  for (unsigned first = threadIdx.x; first < tasks; first += batch * narrow_threads) {
    uint4 loaded[batch][Way::rows];
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const part at(share, first + i * narrow_threads, vectors);
      ONEFOLD_UNROLL
      for (unsigned j = 0; j < Way::rows; ++j)
        if (at.whole() && at.has(j)) loaded[i][j] = load_vector(at.at(j));
    }
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < batch; ++i)
      put_part<Item, Way>(loaded[i], part(share, first + i * narrow_threads, vectors), aligned, to);
  }
}

/// Calls with the way of a share: rows that do not all begin as far from a multiple of 16 bytes go
/// one by one, and to a slab all whose units are not aligned.
template <int Item, bool Gather, class Take>
ONEFOLD_DEVICE void with_way(const narrow_share& share, Take take) {
  constexpr unsigned several = Item < 4 ? 4 / Item : 1;
  if constexpr (Item == 1) {
    if (share.alike() && share.lines == 2) return take(weave<1, 2>());
    if (share.alike() && share.lines == 3) return take(weave<1, 3>());
    if (share.alike() && share.lines == 5) return take(weave<1, 5>());
  }
  if (several > 1 && share.alike() && (Gather || units<Item, several>::aligned(share)))
    take(units<Item, several>());
  else
    take(units<Item, 1>());
}

/// Shape:  elements of Item bytes, aligned. Gather: rows of the input are contiguous,
///         copy.from_row == copy.columns * Item, and become columns, copy.to_row == Item; else the
///         other way round, copy.to_column == copy.rows * Item and copy.from_column == Item. A
///         block of narrow_threads lanes for each `share` of the long axis; a share's range has
///         at most of_block.shared_bytes - 46.
/// Error:  none: elements keep their bits; nothing else is written, and nothing else read.
/// Order:  none.
template <int Item, bool Gather>
__global__ void __launch_bounds__(narrow_threads)
    copy_narrow(const matrix_copy copy, const narrow_slab of_block) {
  ONEFOLD_DYNAMIC_SHARED(std::uint32_t, words);
  const slab between(words);
  const std::int64_t first = std::int64_t(blockIdx.x) * of_block.share;
  const auto lines = unsigned(Gather ? copy.columns : copy.rows);
  const auto count =
      unsigned(min(std::int64_t(of_block.share), (Gather ? copy.rows : copy.columns) - first));
  auto* const from = const_cast<std::byte*>(copy.from);
  const slab_range all((Gather ? from : copy.to) + first * lines * Item, count * lines * Item);
  const narrow_share share = {(Gather ? copy.to : from) + first * Item,
                              Gather ? copy.to_column : copy.from_row, lines, count, all.begin};
  if constexpr (Gather) {
    load_slab(all, between);
    __syncthreads();
    with_way<Item, true>(share,
                         [&](auto way) { slab_to_rows<Item, decltype(way)>(between, share); });
  } else {
    with_way<Item, false>(share,
                          [&](auto way) { rows_to_slab<Item, decltype(way)>(share, between); });
    __syncthreads();
    store_slab(between, all);
  }
}

template <bool Gather>
auto narrow_kernel_of(std::int64_t item) {
  return item == 1   ? copy_narrow<1, Gather>
         : item == 2 ? copy_narrow<2, Gather>
         : item == 4 ? copy_narrow<4, Gather>
                     : copy_narrow<8, Gather>;
}

}  // namespace onefold::cuda
