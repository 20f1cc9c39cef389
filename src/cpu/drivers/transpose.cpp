// SPDX-License-Identifier: Apache-2.0
// Divides a transpose into pieces and copies them by several threads.
#include "cpu/drivers/transpose.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "cpu/kernels/targets.hpp"
#include "cpu/kernels/transpose_kernels.hpp"
#include "request/tuning.hpp"
#include "runtime/threads.hpp"

namespace onefold::cpu {
namespace {

// A piece: 512 bytes of a row, so that the pages of the input are read sequentially, times as many
// rows as keep the pages of the output in the TLB.
constexpr std::int64_t piece_row_bytes = 512, piece_rows = 4096;

// Outputs of at least this size are written with streaming stores.
constexpr std::int64_t streaming_bytes = std::int64_t(4) << 20;

// Blocks of the input that stay in the first-level cache whatever the strides.
template <class T>
void copy_elements(const matrix_copy& copy) {
  constexpr std::int64_t high = 64, wide = 16;
  for (std::int64_t row = 0; row < copy.rows; row += high)
    for (std::int64_t column = 0; column < copy.columns; column += wide)
      for (std::int64_t c = column; c < std::min(column + wide, copy.columns); ++c) {
        const std::byte* from = copy.from + row * copy.from_row + c * copy.from_column;
        std::byte* output = copy.to + row * copy.to_row + c * copy.to_column;
        const std::int64_t rows = std::min(high, copy.rows - row);
        for (std::int64_t r = 0; r < rows; ++r, from += copy.from_row, output += copy.to_row)
          std::memcpy(output, from, sizeof(T));
      }
}

void copy_rows(const matrix_copy& copy) {
  for (std::int64_t r = 0; r < copy.rows; ++r)
    std::memcpy(copy.to + r * copy.to_row, copy.from + r * copy.from_row,
                std::size_t(copy.columns * copy.item_bytes));
}

template <class T>
void copy_piece(const matrix_copy& copy, transpose_kernels::loop turn_matrix, bool streaming) {
  constexpr std::int64_t item = sizeof(T);
  const bool narrow = std::min(copy.rows, copy.columns) * item < tile_bytes / 4;
  if (copy.from_column == item && copy.to_row == item && !narrow)
    turn_matrix(
        {copy.from, copy.to, copy.rows, copy.columns, copy.from_row, copy.to_column, streaming});
  else if (copy.from_column == item && copy.to_column == item)
    copy_rows(copy);
  else
    copy_elements<T>(copy);
}

void copy_piece(const matrix_copy& copy, bool streaming) {
  const auto& turns = *active_table().turns;
  switch (copy.item_bytes) {
  case 1:
    return copy_piece<std::uint8_t>(copy, turns.of_8, streaming);
  case 2:
    return copy_piece<std::uint16_t>(copy, turns.of_16, streaming);
  case 4:
    return copy_piece<std::uint32_t>(copy, turns.of_32, streaming);
  default:
    return copy_piece<std::uint64_t>(copy, turns.of_64, streaming);
  }
}

// Piece i of the matrix: a rectangle.
matrix_copy piece_of(const matrix_copy& all, std::int64_t i, std::int64_t rows_of_pieces) {
  matrix_copy piece = all;
  const std::int64_t width = piece_row_bytes / all.item_bytes;
  const std::int64_t row = i % rows_of_pieces * piece_rows, column = i / rows_of_pieces * width;
  piece.rows = std::min(piece_rows, all.rows - row);
  piece.columns = std::min(width, all.columns - column);
  piece.from += row * all.from_row + column * all.from_column;
  piece.to += row * all.to_row + column * all.to_column;
  return piece;
}

}  // namespace

void copy_matrix(const matrix_copy& copy, int threads) {
  if (copy.rows == 0 || copy.columns == 0) return;
  const matrix_copy all = canonical(copy);
  const std::int64_t width = piece_row_bytes / all.item_bytes;
  const std::int64_t high = (all.rows + piece_rows - 1) / piece_rows;
  const std::int64_t pieces = high * ((all.columns + width - 1) / width);
  const std::int64_t bytes = all.rows * all.columns * all.item_bytes;
  const bool streaming = bytes >= streaming_bytes;
  std::atomic<std::int64_t> next{0};
  const auto task = [&](int) {
    for (std::int64_t i = next++; i < pieces; i = next++)
      copy_piece(piece_of(all, i, high), streaming);
  };
  if (threads <= 1 || bytes < tuning::alone_bytes)
    task(0);
  else
    run_tasks(int(std::min<std::int64_t>(threads, pieces)), task);
}

}  // namespace onefold::cpu
