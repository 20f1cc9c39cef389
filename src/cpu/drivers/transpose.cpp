// SPDX-License-Identifier: Apache-2.0
// Divides a transpose into pieces and copies them by several threads.
#include "cpu/drivers/transpose.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/kernels/targets.hpp"
#include "cpu/kernels/transpose_kernels.hpp"
#include "request/tuning.hpp"
#include "runtime/share.hpp"

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

// Cuts a matrix into rectangles.
class piece_cut {
 public:
  explicit piece_cut(const matrix_copy& copy) {
    if (copy.rows == 0 || copy.columns == 0) return;
    all_ = canonical(copy);
    width_ = piece_row_bytes / all_.item_bytes;
    high_ = (all_.rows + piece_rows - 1) / piece_rows;
    pieces_ = high_ * ((all_.columns + width_ - 1) / width_);
  }
  std::int64_t pieces() const { return pieces_; }
  std::int64_t bytes() const { return all_.rows * all_.columns * all_.item_bytes; }

  void copy(std::int64_t i) const {
    matrix_copy piece = all_;
    const std::int64_t row = i % high_ * piece_rows, column = i / high_ * width_;
    piece.rows = std::min(piece_rows, all_.rows - row);
    piece.columns = std::min(width_, all_.columns - column);
    piece.from += row * all_.from_row + column * all_.from_column;
    piece.to += row * all_.to_row + column * all_.to_column;
    copy_piece(piece, bytes() >= streaming_bytes);
  }

 private:
  matrix_copy all_ = {};
  std::int64_t width_ = 1, high_ = 1, pieces_ = 0;
};

}  // namespace

void copy_matrix(const matrix_copy& copy) {
  const piece_cut cut(copy);
  for (std::int64_t i = 0; i < cut.pieces(); ++i) cut.copy(i);
}

status copy_matrix(const matrix_copy& copy, int threads, const std::stop_token& stop) {
  const piece_cut cut(copy);
  options stopping;
  stopping.stop = stop;
  const auto most = int(std::min<std::int64_t>(threads, cut.pieces()));
  return share({cut.pieces(), cut.bytes() < tuning::alone_bytes ? 1 : most}, stopping,
               [&](auto& next) {
                 while (const auto i = next()) cut.copy(*i);
               });
}

}  // namespace onefold::cpu
