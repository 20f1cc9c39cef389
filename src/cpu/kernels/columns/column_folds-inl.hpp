// SPDX-License-Identifier: Apache-2.0
// Extrema, counts and bits of neighbouring columns, compiled for each SIMD target: a lane is a
// column, whose rows are folded one after another.
#if defined(ONEFOLD_CPU_COLUMN_FOLDS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_COLUMN_FOLDS_INL
#undef ONEFOLD_CPU_COLUMN_FOLDS_INL
#else
#define ONEFOLD_CPU_COLUMN_FOLDS_INL
#endif

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "cpu/kernels/columns/column_kernels.hpp"
#include "cpu/kernels/columns/fold_steps-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Fold>
inline constexpr int fold_lanes_count = int(hn::MaxLanes(typename Fold::tag()));

// One line of each row: rows that are a power of two apart map to few sets of the cache, so a line
// is used completely when it arrives.
template <class Fold>
inline constexpr int vectors_of_line =
    std::clamp(64 / int(fold_lanes_count<Fold> * sizeof(typename Fold::lane)), 1, 4);

// Rows of one column, or of a few neighbouring ones.
struct fold_rows {
  const std::byte* x;
  std::int64_t stride, rows;
  std::int64_t first;      // since the fold began; 0: it begins here
  std::int64_t flip;       // of the fold
  std::int64_t ahead = 0;  // bytes from a row to the one that is prefetched
};

inline constexpr std::int64_t rows_at_once = 8;

template <class Fold, int... V>
HWY_INLINE void fold_line(const fold_rows& in, std::int64_t c, typename Fold::lane* to,
                          std::int64_t apart, std::integer_sequence<int, V...>) {
  using lane = typename Fold::lane;
  constexpr std::int64_t lanes = fold_lanes_count<Fold>;
  const std::byte* x = in.x + c * std::int64_t(sizeof(lane));
  const auto load = [&](int v) HWY_ATTR {
    return hn::LoadU(typename Fold::tag(), reinterpret_cast<const lane*>(x) + v * lanes);
  };
  Fold folds[] = {(static_cast<void>(V), Fold(in.flip))...};
  std::int64_t r = 0;
  if (in.first == 0) {
    (folds[V].begin(load(V)), ...);
    r = 1, x += in.stride;
  } else {
    (folds[V].read(to + c + V * lanes, apart), ...);
  }
  for (; r < in.rows; ++r, x += in.stride) {
    __builtin_prefetch(x + in.ahead, 0, 2);
    (folds[V].take(load(V), in.first + r), ...);
  }
  (folds[V].write(to + c + V * lanes, apart), ...);
}

template <class Lane>
HWY_NOINLINE void copy_columns(const fold_rows& in, std::int64_t first, std::int64_t columns,
                               Lane* to, std::int64_t apart) {
  const std::byte* x = in.x + first * std::int64_t(sizeof(Lane));
  for (std::int64_t r = 0; r < in.rows; ++r, x += in.stride, to += apart)
    std::memcpy(to, x, std::size_t(columns - first) * sizeof(Lane));
}

// Adds rows to the folds of a strip: a few rows of all columns at a time.
template <class Fold>
HWY_NOINLINE void fold_strip(fold_rows in, std::int64_t columns, typename Fold::lane* to,
                             std::int64_t apart) {
  constexpr std::int64_t lanes = fold_lanes_count<Fold>, wide = vectors_of_line<Fold>;
  constexpr std::make_integer_sequence<int, int(wide)> line;
  constexpr std::make_integer_sequence<int, 1> one;
  for (std::int64_t left = in.rows; left > 0; left -= in.rows) {
    in.rows = std::min(rows_at_once, left);
    in.ahead = left > rows_at_once ? rows_at_once * in.stride : 0;
    std::int64_t c = 0;
    for (; c + wide * lanes <= columns; c += wide * lanes) fold_line<Fold>(in, c, to, apart, line);
    for (; c + lanes <= columns; c += lanes) fold_line<Fold>(in, c, to, apart, one);
    if (c < columns) {  // fewer than lanes, whose others are not used
      HWY_ALIGN typename Fold::lane rest[rows_at_once * lanes] = {};
      copy_columns(in, c, columns, rest, lanes);
      const fold_rows copied = {reinterpret_cast<const std::byte*>(rest),
                                std::int64_t(sizeof rest) / rows_at_once, in.rows, in.first,
                                in.flip};
      fold_line<Fold>(copied, 0, to + c, apart, one);
    }
    in.x += in.rows * in.stride, in.first += in.rows;
  }
}

// The most columns of a strip: its folds stay in the first-level cache.
constexpr std::int64_t strip_columns(std::size_t item_bytes) {
  return std::int64_t(item_bytes == 1 ? 2048 : 4096 / item_bytes);
}

// The state of a strip: lanes of two parts, then a wide number and a key of each column.
template <class Lane>
struct strip_parts {
  static constexpr std::int64_t apart = strip_columns(sizeof(Lane));
  Lane* lanes;
  Lane* keys;
  std::int64_t* wide;

  explicit strip_parts(std::byte* state)
      : lanes(reinterpret_cast<Lane*>(state)), keys(lanes + 2 * apart),
        wide(reinterpret_cast<std::int64_t*>(keys + apart)) {}
};

// Answers of the elements' size.
template <class Fold>
std::int64_t fold_values(const column_strip& in) {
  using lane = typename Fold::lane;
  using tag = typename Fold::tag;
  constexpr std::int64_t lanes = fold_lanes_count<Fold>;
  const strip_parts<lane> parts(in.state);
  fold_strip<Fold>({in.x, in.stride, in.rows, in.first, in.flip}, in.columns, parts.lanes,
                   parts.apart);
  if (!in.last) return 0;
  std::int64_t marked = 0;
  if (Fold::floating && in.marks)
    for (std::int64_t c = 0; c < in.columns; ++c)
      if (parts.lanes[c] == Fold::most) in.marks[c] = 1, ++marked;
  if constexpr (Fold::gives_bool) {
    // Copies: bytes may alias anything, which keeps the compiler from using vectors.
    const std::int64_t n = in.columns;
    const lane* const HWY_RESTRICT from = parts.lanes;
    auto* const HWY_RESTRICT out = static_cast<unsigned char*>(in.out);
    for (std::int64_t c = 0; c < n; ++c) out[c] = from[c] != 0;
  } else {
    auto* const out = static_cast<lane*>(in.out);
    const Fold fold(in.flip);
    std::int64_t c = 0;
    for (; c + lanes <= in.columns; c += lanes)
      hn::StoreU(fold.answer_of(hn::Load(tag(), parts.lanes + c)), tag(), out + c);
    if (c < in.columns) {
      HWY_ALIGN lane rest[std::size_t(lanes)];
      hn::Store(fold.answer_of(hn::Load(tag(), parts.lanes + c)), tag(), rest);
      std::memcpy(out + c, rest, std::size_t(in.columns - c) * sizeof(lane));
    }
  }
  return marked;
}

// The first row of the largest key, as an index.
template <class Fold>
std::int64_t fold_positions(const column_strip& in) {
  using lane = typename Fold::lane;
  const strip_parts<lane> parts(in.state);
  const std::int64_t n = in.columns;
  const lane* const HWY_RESTRICT best = parts.lanes;
  const lane* const HWY_RESTRICT at = parts.lanes + parts.apart;
  lane* const HWY_RESTRICT keys = parts.keys;
  std::int64_t* const HWY_RESTRICT rows = parts.wide;
  for (std::int64_t row = 0; row < in.rows; row += Fold::most_rows) {
    fold_strip<Fold>(
        {in.x + row * in.stride, in.stride, std::min(Fold::most_rows, in.rows - row), 0, in.flip},
        n, parts.lanes, parts.apart);
    const std::int64_t base = in.first + row;
    if (base == 0) {
      for (std::int64_t c = 0; c < n; ++c) rows[c] = at[c], keys[c] = best[c];
      continue;
    }
    for (std::int64_t c = 0; c < n; ++c) {
      const bool above = best[c] > keys[c];
      rows[c] = above ? base + at[c] : rows[c];
      keys[c] = above ? best[c] : keys[c];
    }
  }
  if (!in.last) return 0;
  auto* const HWY_RESTRICT out = static_cast<std::int64_t*>(in.out);
  const std::int64_t first_index = in.first_index;
  for (std::int64_t c = 0; c < n; ++c) out[c] = first_index + rows[c];
  std::int64_t marked = 0;
  if (Fold::floating && in.marks)
    for (std::int64_t c = 0; c < n; ++c)
      if (keys[c] == Fold::most) in.marks[c] = 1, ++marked;
  return marked;
}

template <class Fold>
std::int64_t fold_counts(const column_strip& in) {
  using lane = typename Fold::lane;
  const strip_parts<lane> parts(in.state);
  const std::int64_t n = in.columns;
  const lane* const HWY_RESTRICT counts = parts.lanes;
  std::int64_t* const HWY_RESTRICT totals = parts.wide;
  for (std::int64_t row = 0; row < in.rows; row += Fold::most_rows) {
    fold_strip<Fold>(
        {in.x + row * in.stride, in.stride, std::min(Fold::most_rows, in.rows - row), 0, in.flip},
        n, parts.lanes, parts.apart);
    const std::int64_t before = in.first + row == 0 ? 0 : -1;
    for (std::int64_t c = 0; c < n; ++c) totals[c] = counts[c] + (totals[c] & before);
  }
  if (in.last) std::copy_n(totals, n, static_cast<std::int64_t*>(in.out));
  return 0;
}

inline std::int64_t count_rows(const column_strip& in) {
  if (in.last) std::fill_n(static_cast<std::int64_t*>(in.out), in.columns, in.first + in.rows);
  return 0;
}

// The type whose loops serve T: signed integers those of their size.
template <class T>
using folded_type = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                       signed_lane<sizeof(T)>, T>;

using strip_loop = decltype(column_kernel::run);

template <class T>
strip_loop fold_of(op op) {
  switch (op) {
  case op::min:
  case op::max:
    return fold_values<largest_fold<order_key<T, false>>>;
  case op::argmin:
  case op::argmax:
    return fold_positions<position_fold<order_key<T, true>>>;
  case op::any:
    return fold_values<bits_fold<T, bit_operator::disjunction, bool>>;
  case op::all:
    return fold_values<bits_fold<T, bit_operator::conjunction, bool>>;
  case op::count:
    return count_rows;
  case op::count_nonzero:
    return fold_counts<nonzero_fold<T>>;
  default:
    break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == op::bit_and) return fold_values<bits_fold<T, bit_operator::conjunction, T>>;
    if (op == op::bit_or) return fold_values<bits_fold<T, bit_operator::disjunction, T>>;
    if (op == op::bit_xor) return fold_values<bits_fold<T, bit_operator::difference, T>>;
  } else {
    if (op == op::norminf) return fold_values<largest_fold<magnitude_key<T>>>;
  }
  return nullptr;
}

template <class T>
column_kernel fold_kernel_of(op op) {
  const bool reversed = op == op::min || op == op::argmin;
  const std::int64_t sign = std::is_unsigned_v<T> && !std::is_same_v<T, bool>
                                ? std::int64_t(std::uint64_t(1) << (8 * sizeof(T) - 1))
                                : 0;
  column_kernel kernel;
  kernel.run = fold_of<folded_type<T>>(op), kernel.flip = reversed ? ~sign : sign;
  kernel.most_columns = strip_columns(sizeof(T));
  kernel.most_rows = std::numeric_limits<std::int64_t>::max();
  return kernel;
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
