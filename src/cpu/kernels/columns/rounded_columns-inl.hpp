// SPDX-License-Identifier: Apache-2.0
// Variances and products of neighbouring columns, compiled for each SIMD target: elements become
// doubles, a few rows at a time. An answer is rounded where both its ends round alike, and its
// column is marked elsewhere.
#if defined(ONEFOLD_CPU_ROUNDED_COLUMNS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_ROUNDED_COLUMNS_INL
#undef ONEFOLD_CPU_ROUNDED_COLUMNS_INL
#else
#define ONEFOLD_CPU_ROUNDED_COLUMNS_INL
#endif

#include <algorithm>
#include <limits>
#include <type_traits>

#include "cpu/kernels/columns/column_kernels.hpp"
#include "cpu/kernels/columns/rounded_steps-inl.hpp"
#include "cpu/kernels/rounded.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elements of a few rows as doubles, and a column's parts, stay in the first-level cache.
inline constexpr std::int64_t rounded_width = 256;

using row_reader = void (*)(const std::byte* x, std::int64_t n, double* to);

// Integers that no double holds become NaN.
template <class T>
double as_double(T x) {
  if constexpr (!std::is_integral_v<T>) {
    return double(step(x));
  } else if constexpr (sizeof(T) < 8) {
    return double(x);
  } else {
    constexpr std::uint64_t most = std::uint64_t(1) << 53;
    const bool held =
        std::is_signed_v<T> ? std::uint64_t(x) + most <= 2 * most : std::uint64_t(x) <= most;
    return held ? double(x) : std::numeric_limits<double>::quiet_NaN();
  }
}

template <class T>
void read_row(const std::byte* x, std::int64_t n, double* HWY_RESTRICT to) {
  if constexpr (std::is_same_v<T, bool>) {  // any true byte is 1
    const auto* const HWY_RESTRICT from = reinterpret_cast<const unsigned char*>(x);
    for (std::int64_t c = 0; c < n; ++c) to[c] = from[c] != 0;
  } else {
    const T* const HWY_RESTRICT from = reinterpret_cast<const T*>(x);
    for (std::int64_t c = 0; c < n; ++c) to[c] = as_double(from[c]);
  }
}

// The part k of column c is at parts[k * rounded_width + c]. Reads those of a vector of columns.
template <class Fold>
HWY_INLINE void read_parts(Fold& fold, const double* parts) {
  fold.for_each_part([&](auto& part, std::int64_t k) HWY_ATTR {
    part = hn::BitCast(hn::DFromV<std::remove_reference_t<decltype(part)>>(),
                       hn::Load(double_tag(), parts + k * rounded_width));
  });
}

template <class Fold>
HWY_NOINLINE void fold_rows_of(const column_strip& strip, row_reader read, std::int64_t row_bytes,
                               double* parts) {
  static_assert(Fold::parts * rounded_width * 8 <= std::int64_t(strip_state_bytes));
  const double_tag d;
  const auto lanes = std::int64_t(hn::Lanes(d));
  const std::int64_t padded = (strip.columns + lanes - 1) / lanes * lanes;
  HWY_ALIGN double elements[Fold::rows_at_once * rounded_width];
  for (std::int64_t row = 0; row < strip.rows; row += Fold::rows_at_once) {
    const std::int64_t n = std::min(Fold::rows_at_once, strip.rows - row);
    const std::int64_t ahead = row + 2 * Fold::rows_at_once <= strip.rows ? Fold::rows_at_once : 0;
    for (std::int64_t r = 0; r < n; ++r) {
      const std::byte* const x = strip.x + (row + r) * strip.stride;
      for (std::int64_t line = 0; line < row_bytes; line += 64)
        __builtin_prefetch(x + ahead * strip.stride + line, 0, 2);
      read(x, strip.columns, elements + r * rounded_width);
      std::fill_n(elements + r * rounded_width + strip.columns, padded - strip.columns, 0.0);
    }
    for (std::int64_t c = 0; c < strip.columns; c += lanes) {
      const double* x = elements + c;
      Fold fold;
      std::int64_t r = 0;
      if (strip.first + row == 0)
        fold.begin(hn::Load(d, x)), r = 1;
      else
        read_parts(fold, parts + c);
      for (; r < n; ++r) fold.take(hn::Load(d, x + r * rounded_width));
      fold.close();
      fold.for_each_part([&](auto& part, std::int64_t k) HWY_ATTR {
        hn::Store(hn::BitCast(d, part), d, parts + k * rounded_width + c);
      });
    }
  }
}

// The ends of answers, in place of the first two parts.
template <class Answer>
HWY_NOINLINE void find_ends(const column_strip& strip, double* parts) {
  const double_tag d;
  for (std::int64_t c = 0; c < strip.columns; c += std::int64_t(hn::Lanes(d))) {
    typename Answer::fold fold;
    read_parts(fold, parts + c);
    const answer_ends ends = Answer::interval_of(fold, strip);
    hn::Store(ends.lower, d, parts + c), hn::Store(ends.upper, d, parts + rounded_width + c);
  }
}

template <class Out>
Out rounded_end(double x) {
  if constexpr (sizeof(Out) >= 4) {
    return Out(x);
  } else {
    if (x != x) return Out();
    constexpr double far = 0x1p1000;
    return detail::rounded<Out>({std::clamp(x, -far, far), 0, 0});
  }
}

template <class Out>
HWY_NOINLINE std::int64_t write_ends(const column_strip& strip, const double* lower,
                                     const double* upper) {
  Out* const HWY_RESTRICT out = static_cast<Out*>(strip.out);
  unsigned char* const HWY_RESTRICT marks = strip.marks;
  std::int64_t marked = 0;
  for (std::int64_t c = 0; c < strip.columns; ++c) {
    bool known = lower[c] == lower[c];
    if constexpr (std::is_integral_v<Out>) {
      out[c] = known ? Out(std::int64_t(lower[c]) + std::int64_t(upper[c])) : 0;
    } else {
      const Out below = rounded_end<Out>(lower[c]), above = rounded_end<Out>(upper[c]);
      known &= detail::to_bits(below) == detail::to_bits(above);
      out[c] = below;
    }
    marks[c] = !known, marked += !known;
  }
  return marked;
}

template <class T, class Out, class Answer>
std::int64_t round_columns(const column_strip& strip) {
  double* const parts = reinterpret_cast<double*>(strip.state);
  fold_rows_of<typename Answer::fold>(strip, read_row<T>, strip.columns * std::int64_t(sizeof(T)),
                                      parts);
  if (!strip.last) return 0;
  find_ends<Answer>(strip, parts);
  return write_ends<Out>(strip, parts, parts + rounded_width);
}

template <class T>
column_kernel rounded_kernel_of(op op) {
  constexpr bool floats = !std::is_integral_v<T>, narrow = floats && sizeof(T) < 8;
  using answer = std::conditional_t<floats, T, double>;
  using wide_integer = std::conditional_t<std::is_unsigned_v<T>, std::uint64_t, std::int64_t>;
  using product = std::conditional_t<floats, T, wide_integer>;
  constexpr auto width = !floats  ? answer_width::integer
                         : narrow ? answer_width::narrow
                                  : answer_width::wide;
  // The bound of a variance grows with the square of its rows.
  const std::int64_t most_rows = op == op::prod ? std::int64_t(1) << 17 : 2048;
  const auto kernel = [&](auto* run) { return column_kernel{run, rounded_width, most_rows, true}; };
  if (op == op::prod) return kernel(round_columns<T, product, product_answer<width>>);
  if (op == op::var) return kernel(round_columns<T, answer, spread_answer<false, narrow>>);
  if (op == op::stddev) return kernel(round_columns<T, answer, spread_answer<true, narrow>>);
  return {};
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
