// SPDX-License-Identifier: Apache-2.0
// How sums of rows by key are shared out, and where their lists and partial sums are. Without CUDA
// types.
//
// The rows of an answer are a list of places, or a segment. A warp takes a tile of columns of an
// answer: `across` lanes have a vector of 16 bytes each, times 32 / across lanes, which take every
// so many rows of the list. Answers of more than `part_rows` rows are cut at multiples of so many
// places of all lists, and a second launch joins their parts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "cuda/kernels/keys/table.hpp"
#include "request/row_scatter.hpp"

namespace onefold::cuda {

/// Rows of a part: its sum is up to 24 bytes a column, read and written once.
inline constexpr std::int64_t part_rows = 512;
inline constexpr unsigned scatter_threads = 128;
/// Warps that leave no multiprocessor idle for long: a few times those of a device at once.
inline constexpr std::int64_t warps_at_work = 1 << 14;
/// Rows of a warp's lists together, where they are short.
inline constexpr std::int64_t rows_at_once = 32;
/// Tasks of a warp: so many lists and one more have their offsets in its lanes.
inline constexpr std::int64_t most_share = 8;
/// Rows and answers have numbers of 32 bits.
inline constexpr std::int64_t most_scattered = std::int64_t(1) << 31;

/// Of rows of one element: they are added in a table where it is large enough for their exponents.
struct column_table {
  key_elements elements;
  key_table planned;     ///< without the words of a sum, which the device finds
  key_extents* extents;  ///< zero before
  key_table* table;      ///< no slots: elements are added by lists. Null: there is no table
};
/// From so many rows on lists are slower than a table.
inline constexpr std::int64_t table_rows = std::int64_t(1) << 18;

struct scatter_launch {
  row_scatter request;
  column_table column;
  bool aligned;          ///< all vectors are whole, at multiples of 16 bytes
  unsigned log2_across;  ///< of the lanes of a row
  std::int64_t tiles;    ///< of a row
  std::int64_t share;    ///< tasks of a warp, each a tile of an answer
  std::int64_t shares;
  std::uint32_t* counts;        ///< [answers + 1], zero before the launch: rows of each key
  std::uint32_t* ranks;         ///< [rows]: of each among those of its key
  std::uint32_t* places;        ///< [rows]: the lists, one after another; null: segments
  const std::int64_t* offsets;  ///< [answers + 1]: of the lists or segments
  std::int64_t* partials;       ///< [2 parts()][words of a sum][n]
  std::int64_t* long_answers;   ///< [parts()]: the long answer that begins in each; -1: none
  void* scan;                   ///< scratch memory of a scan
  std::size_t scan_bytes;

  /// Words of 64 bits for a table.
  ONEFOLD_HOST_DEVICE std::int64_t table_words() const {
    return request.rows / elements_of_table_word;
  }
  /// On the device, once the table is planned.
  ONEFOLD_HOST_DEVICE bool is_tabled() const {
    return column.table != nullptr && column.table->slots != 0;
  }
  ONEFOLD_HOST_DEVICE bool is_long(std::int64_t count) const { return count > part_rows; }
  /// Parts of all lists; 0: no answer is long.
  ONEFOLD_HOST_DEVICE std::int64_t parts() const {
    return is_long(request.rows) ? (request.rows - 1) / part_rows + 1 : 0;
  }
  void set_share(std::int64_t tasks) {
    share = tasks, shares = (request.answers * tiles - 1) / tasks + 1;
  }
  std::size_t partials_bytes() const {
    const std::size_t words = request.type == dtype::f64 ? 3 : 2;
    return 2 * std::size_t(parts()) * words * std::size_t(request.n) * sizeof(std::int64_t);
  }
};

/// Whether rows are single elements side by side, with room for a table.
inline bool has_column(const row_scatter& request) {
  return request.n == 1 && request.stride == 1 && request.keys != nullptr &&
         (request.initial == nullptr || request.initial_stride == 1) &&
         request.answers * (request.is_mean ? 2 : 1) <= request.rows / elements_of_table_word;
}
/// Sets the column's table, in the memory of the lists. Precondition: has_column, and the lists
/// have their memory; zeros: for the extents and the table.
inline void set_column(scatter_launch& launch, std::byte* zeros) {
  const row_scatter& request = launch.request;
  const dtype key = request.wide_keys ? dtype::i64 : dtype::i32;
  column_table& column = launch.column;
  column.elements = {{request.keys, request.rows, kind_of(key)}, request.x, request.type};
  column.extents = reinterpret_cast<key_extents*>(zeros);
  column.table = reinterpret_cast<key_table*>(zeros + sizeof(key_extents));
  key_table& table = column.planned;
  table.first_key = std::uint64_t(1) << (request.wide_keys ? 63 : 31);  // the number of key 0
  table.slots = request.answers, table.has_count = request.is_mean;
  table.window = window_of(request.type, request.rows + 1);  // and the initial element
  table.sums = reinterpret_cast<std::int64_t*>(launch.ranks);
  table.present = reinterpret_cast<std::uint32_t*>(const_cast<std::int64_t*>(launch.offsets));
  table.not_minus_zero = table.present + request.answers + 1;
  table.decided = reinterpret_cast<std::uint8_t*>(launch.places);
}
inline constexpr std::size_t column_bytes = sizeof(key_extents) + sizeof(key_table);

/// Without memory. Precondition: there are answers and columns.
inline scatter_launch scatter_launch_of(const row_scatter& request) {
  scatter_launch launch = {};
  launch.request = request, launch.offsets = request.offsets;
  const auto item = std::int64_t(size_bytes(request.type)), items = 16 / item;
  const auto has_vectors = [](const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
  };
  launch.aligned = has_vectors(request.x) && has_vectors(request.out) &&
                   has_vectors(request.initial) && request.n % items == 0 &&
                   request.stride % items == 0 && request.initial_stride % items == 0;
  const std::int64_t vectors = (request.n + items - 1) / items;
  launch.log2_across =
      unsigned(std::bit_width(std::uint64_t(std::min<std::int64_t>(vectors, 32)) - 1));
  launch.tiles = ((vectors - 1) >> launch.log2_across) + 1;
  const std::int64_t of_warps = request.answers * launch.tiles / warps_at_work,
                     of_rows =
                         rows_at_once * request.answers / std::max<std::int64_t>(request.rows, 1);
  launch.set_share(std::clamp<std::int64_t>(std::min(of_warps, of_rows), 1, most_share));
  return launch;
}

/// Enqueues the lists, where there are keys, the sums and the joins of parts. Returns a cudaError_t
/// as int; 0 is success.
int launch_scatter(const scatter_launch& launch, void* stream);

}  // namespace onefold::cuda
