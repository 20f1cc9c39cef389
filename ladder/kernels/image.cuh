// SPDX-License-Identifier: Apache-2.0
// The table of the image rungs and their published twins, for whichever engine compiles it.
#pragma once

#include "ladder/image/columns.cuh"
#include "ladder/image/rows_atomic.cuh"
#include "ladder/image/rows_block.cuh"
#include "ladder/image/transpose_naive.cuh"
#include "ladder/image/transpose_packed.cuh"
#include "ladder/image/transpose_padded.cuh"
#include "ladder/image/transpose_tile.cuh"
#include "ladder/kernels/kernels.hpp"
#include "ladder/published/rows_512.cuh"

namespace onefold::ladder::ONEFOLD_LADDER_ENGINE {
namespace {

using pixel = unsigned char;

template <class Out>
using image_kernel = void (*)(const pixel* in, unsigned width, unsigned height, Out* out);

template <class Out>
void start_image(engine& where, const kernel_arguments& a, const launch_shape& shape,
                 image_kernel<Out> kernel) {
  start(where, shape, kernel, static_cast<const pixel*>(a.in), a.width, a.height,
        static_cast<Out*>(a.out));
}

simt::shape grid_over(const kernel_arguments& a, image_tile tile) {
  return {tiles_along(a.width, tile.width), tiles_along(a.height, tile.height)};
}

void start_naive(engine& where, const kernel_arguments& a) {
  const image_tile lanes = lane_rectangle(a.block);
  start_image(where, a, {grid_over(a, lanes), {lanes.width, lanes.height}}, transpose_naive<pixel>);
}

void start_square(engine& where, const kernel_arguments& a, image_kernel<pixel> kernel) {
  const image_tile lanes = square_tile(a.block);
  start_image(where, a, {grid_over(a, lanes), {lanes.width, lanes.height}}, kernel);
}

void start_tile(engine& where, const kernel_arguments& a) {
  switch (tile_side(a.block)) {
  case 8:
    return start_square(where, a, transpose_tile<pixel, 8>);
  case 16:
    return start_square(where, a, transpose_tile<pixel, 16>);
  default:
    return start_square(where, a, transpose_tile<pixel, 32>);
  }
}

template <unsigned Side>
void start_padded_of(engine& where, const kernel_arguments& a) {
  switch (a.padding) {
  case 0:
    return start_square(where, a, transpose_padded<pixel, Side, 0>);
  case 1:
    return start_square(where, a, transpose_padded<pixel, Side, 1>);
  case 2:
    return start_square(where, a, transpose_padded<pixel, Side, 2>);
  case 4:
    return start_square(where, a, transpose_padded<pixel, Side, 4>);
  default:
    return start_square(where, a, transpose_padded<pixel, Side, 8>);
  }
}

void start_padded(engine& where, const kernel_arguments& a) {
  switch (tile_side(a.block)) {
  case 8:
    return start_padded_of<8>(where, a);
  case 16:
    return start_padded_of<16>(where, a);
  default:
    return start_padded_of<32>(where, a);
  }
}

void start_packed(engine& where, const kernel_arguments& a) {
  constexpr unsigned words = packed_side / 4;
  start_image(where, a, {grid_over(a, packed_tile(a.block)), {words, a.block / words}},
              transpose_packed<pixel>);
}

void start_columns(engine& where, const kernel_arguments& a) {
  start_image(where, a, {grid_over(a, block_of_columns(a.block)), {a.block}}, column_sums<pixel>);
}

void start_rows_atomic(engine& where, const kernel_arguments& a) {
  // Rows along the grid's x, which may be long, and chunks along y.
  const simt::shape chunks = grid_over(a, block_of_chunks(a.block));
  start_image(where, a, {{chunks.y, chunks.x}, {a.block}}, row_sums_atomic<pixel>);
}

void start_rows_block(engine& where, const kernel_arguments& a) {
  const simt::shape rows = grid_over(a, one_row(a.block));
  start_image(where, a, {{rows.y}, {a.block}, a.block * sizeof(float)}, row_sums_block<pixel>);
}

void start_rows_512(engine& where, const kernel_arguments& a) {
  // As printed: rows along the grid's y.
  const simt::shape rows = grid_over(a, one_row(a.block));
  start_image(where, a, {{1, rows.y}, {a.block}}, published::row_sums_512<pixel>);
}

const kernel_entry entries[] = {
    {"image/transpose-naive", element::uint8, operation::sum, start_naive},
    {"image/transpose-tile", element::uint8, operation::sum, start_tile},
    {"image/transpose-padded", element::uint8, operation::sum, start_padded},
    {"image/transpose-packed", element::uint8, operation::sum, start_packed},
    {"image/columns", element::uint8, operation::sum, start_columns},
    {"image/rows-atomic", element::uint8, operation::sum, start_rows_atomic},
    {"image/rows-block", element::uint8, operation::sum, start_rows_block},
    {"published/rows-512", element::uint8, operation::sum, start_rows_512},
    // The same kernel: what its twin leaves out is the clearing before it.
    {"published/rows-atomic", element::uint8, operation::sum, start_rows_atomic},
};

}  // namespace

const kernel_table image = {entries, sizeof entries / sizeof entries[0]};

}  // namespace onefold::ladder::ONEFOLD_LADDER_ENGINE
