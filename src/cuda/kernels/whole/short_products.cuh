// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exact sums of products of bfloat16: a lane adds up those of a tile in one double.
//
// A magnitude of exponent field f is below 2^(f - 126) and a multiple of 2^(max(f, 1) - 134). Let F
// be the sum of the largest fields of the factors of a lane, and f that of the least of those that
// are not zero, at least 1 each. Then products are below 2^(F - 252) and multiples of 2^(f - 268).
//
// Theorem 1. If F - f <= 37 - h, every sum of at most 2^h of the products is a double. Proof. It is
// a multiple of 2^(f - 268) of at most 2^(F - 252 + h) <= 2^(f - 268 + 53).
// So the order in which fused operations add them does not matter, and a sum of elements x,
// multiples of 2^(f / 2 - 134), where f / 2 is the least field of x, is as exact.
//
// Theorem 2. In a lane whose products are farther apart they are added as in cascade.cuh: to levels
// from M_0 = 1.5 * 2^(F - 250 + h) on, each 51 - h below the one before, and what is left after the
// last of L levels is added in a double from 0. That is exact if F - f <= 37 - h + L (51 - h).
// Proof. 2^h terms below 2^(p - h - 2) leave a level p in its binade, and rests of at most
// 2^(p - 53) = 2^(q - h - 2), where q is the next level; those after the last have a sum of at
// most 2^(F - 252 + h - L (51 - h)) <= 2^(f - 268 + 53), and are multiples of 2^(f - 268).
// Elements: the same with F / 2 - 126 for F - 252, f / 2 - 134 for f - 268, and L - 1 levels.
//
// Every such sum d goes to levels s_l, which begin at M_l = 1.5 * 2^p_l, and they to the digits:
//   t = s0 + d;  d = d - (t - s0);  s0 = t        and so on down
// Theorem 3. If at most 2^c sums |d| < 2^(p_0 - c - 2), all multiples of 2^(p_last - 52), come, and
// p_(l + 1) = p_l - 51 + c, the levels hold them exactly. Proof. s_0 moves by less than 2^(p_0 - 2)
// and 2^c errors of 2^(p_0 - 53), so it stays in its binade; by the theorem of cascade.cuh what is
// left of d is a double of at most 2^(p_0 - 53) = 2^(p_1 - c - 2); so on down. At the last level
// all is a multiple of its last bit.

#include "cuda/accumulators/terms.cuh"
#include "cuda/primitives/half_ends.cuh"

namespace onefold::cuda {

/// The levels of a sum of doubles of a lane.
template <int Levels>
class double_levels {
 public:
  static constexpr int chain_log2 = 12;  ///< c
  static constexpr int step = 51 - chain_log2, head = chain_log2 + 2;
  /// Below the first level's exponent: the last bit of the last.
  static constexpr int depth = (Levels - 1) * step + 52;

  ONEFOLD_DEVICE explicit double_levels(int p) {
    ONEFOLD_UNROLL
    for (int l = 0; l < Levels; ++l) s_[l] = start_of(start_word(p - l * step));
  }
  ONEFOLD_DEVICE void add(double d) {
    ONEFOLD_UNROLL
    for (int l = 0; l < Levels; ++l) {
      const double t = s_[l] + d;
      d -= t - s_[l];
      s_[l] = t;
    }
  }
  /// Whether this lane's sum is not 0.
  ONEFOLD_DEVICE bool moved(int p) const {
    bool any = false;
    ONEFOLD_UNROLL
    for (int l = 0; l < Levels; ++l) any |= steps(l, p) != 0;
    return any;
  }
  /// Into the digits of the warp, whose lowest bit is 2^lsb.
  template <class Digits>
  ONEFOLD_DEVICE void flush(int p, int lsb, const Digits& to) const {
    ONEFOLD_UNROLL
    for (int l = 0; l < Levels; ++l) to.deposit(warp_sum(steps(l, p)), p - l * step - 52 - lsb);
  }

 private:
  ONEFOLD_DEVICE std::int64_t steps(int l, int p) const {
    return lane_format<double>::steps(s_[l], start_word(p - l * step));
  }

  double s_[Levels];
};

/// Of which sums over whole arrays that is the way.
template <accumulator Accumulator, class T>
inline constexpr bool has_short_products = std::is_same_v<T, bf16> &&
                                           (has_products<Accumulator> ||
                                            Accumulator == accumulator::moments);

/// Sums of squares or products, or, of moments, of elements and of their squares.
template <accumulator Accumulator, class Checks>
class short_sums {
 public:
  static constexpr bool moments = Accumulator == accumulator::moments,
                        pairs = Accumulator == accumulator::products;
  static constexpr int vectors = pairs ? 2 : 4, items_log2 = pairs ? 4 : 5;  // h
  static constexpr int product_lsb = terms<accumulator::products, bf16>::lsb;
  static constexpr int element_lsb = terms<accumulator::total, bf16>::lsb;
  using product_levels = double_levels<4>;
  using element_levels = double_levels<2>;
  static constexpr int wide_step = 51 - items_log2;
  /// The exponent range that the products of a lane of L levels may have.
  ONEFOLD_HOST_DEVICE static constexpr int spread(int levels) {
    return 37 - items_log2 + levels * wide_step;
  }
  static constexpr int wide_levels = 2;
  // Elements have a level where products have two.
  static_assert(spread(1) / 2 <= 126 - 134 + 53 - items_log2);
  static_assert(spread(2) / 2 <= 126 - 134 + 53 - items_log2 + wide_step);
  static constexpr int most_tiles = 1 << 10;
  static_assert(most_tiles * (wide_levels + 1) <= 1 << product_levels::chain_log2);
  static constexpr int margin = 16;  // binades that products may grow by before the window moves

  using window_type = int;  ///< the largest sum of fields

  ONEFOLD_DEVICE explicit short_sums(window_type in)
      : window_(in), products_(product_level()), elements_(element_level()) {}

  /// The window for factors of such exponents.
  ONEFOLD_DEVICE static window_type window(int x, int y) {
    return max(x, -127) + max(y, -127) + 254 + margin;
  }
  ONEFOLD_DEVICE static window_type window(int x) { return window(x, x); }
  ONEFOLD_DEVICE static bool can_open(int x, int y) { return max(x, y) < 128; }
  ONEFOLD_DEVICE static bool can_open(int x) { return can_open(x, x); }

  /// Adds a tile, if it fits.
  template <class Watch>
  ONEFOLD_DEVICE bool take(const uint4 (&x)[vectors], const uint4 (&y)[vectors],
                           const Watch& watch) {
    const field_range fields = fields_of(x, y);
    const bool inside = holds(fields);
    const auto fits = [&](int levels) {
      return !any_lane(!(inside && fields.most - fields.least <= spread(levels)));
    };
    if (fits(Checks::on.residual ? 0 : 2)) {
      add_narrow(x, y);
    } else {
      if (fits(1))
        add_wide<1>(x, y, fields.most);
      else if (fits(2))
        add_wide<2>(x, y, fields.most);
      else
        return false;
      watch.wide_tile();
    }
    watch.fast_tile();
    return true;
  }

  /// Whether this lane's sums are not zero.
  ONEFOLD_DEVICE bool moved() const {
    return products_.moved(product_level()) || (moments && elements_.moved(element_level()));
  }
  template <class Digits>
  ONEFOLD_DEVICE void flush(const Digits& to) const {
    products_.flush(product_level(), product_lsb, to);
  }
  template <class Sum, class Squares>
  ONEFOLD_DEVICE void flush(const Sum& sum, const Squares& squares) const {
    elements_.flush(element_level(), element_lsb, sum);
    products_.flush(product_level(), product_lsb, squares);
  }

 private:
  ONEFOLD_DEVICE int product_level() const {
    return max(window_ - 252 + items_log2 + product_levels::head,
               product_lsb + product_levels::depth);
  }
  ONEFOLD_DEVICE int element_level() const {
    return max(window_ / 2 - 126 + items_log2 + element_levels::head,
               element_lsb + element_levels::depth);
  }
  // What lies above it is a multiple of the last levels' units.
  ONEFOLD_DEVICE int least_field() const {
    const int of_products = product_level() - product_levels::depth + 268;
    const int of_elements = 2 * (element_level() - element_levels::depth + 134);
    return moments ? max(of_products, of_elements) : of_products;
  }

  struct field_range {
    int most, least;  // F and f
    bool finite;
  };
  ONEFOLD_DEVICE static field_range fields_of(const uint4 (&x)[vectors],
                                              const uint4 (&y)[vectors]) {
    half_ends of_x, of_y;
    ONEFOLD_UNROLL
    for (int v = 0; v < vectors; ++v) {
      of_x.take(x[v].x), of_x.take(x[v].y), of_x.take(x[v].z), of_x.take(x[v].w);
      if (!pairs) continue;
      of_y.take(y[v].x), of_y.take(y[v].y), of_y.take(y[v].z), of_y.take(y[v].w);
    }
    const int most_x = of_x.largest() >> 7, least_x = max(of_x.least() >> 7, 1);
    if (!pairs) return {2 * most_x, 2 * least_x, most_x < 255};
    const int most_y = of_y.largest() >> 7, least_y = max(of_y.least() >> 7, 1);
    return {most_x + most_y, least_x + least_y, max(most_x, most_y) < 255};
  }
  ONEFOLD_DEVICE bool holds(const field_range& fields) const {
    return fields.finite && (fields.most <= window_ || !Checks::on.binade) &&
           (fields.least >= least_field() || !Checks::on.residual);
  }

  // take(x, y) for the elements of two vectors, as floats.
  template <class Take>
  ONEFOLD_DEVICE static void for_floats(const uint4 (&x)[vectors], const uint4 (&y)[vectors],
                                        const Take& take) {
    ONEFOLD_UNROLL
    for (int v = 0; v < vectors; ++v)
      for_each_item<bf16>(x[v], y[v], [&](std::uint16_t a, std::uint16_t b) {
        take(float_of<bf16>(a), float_of<bf16>(b));
      });
  }

  ONEFOLD_DEVICE void add_narrow(const uint4 (&x)[vectors], const uint4 (&y)[vectors]) {
    double product[2] = {0, 0}, element[2] = {0, 0};  // two at a time are under way
    int i = 0;
    for_floats(x, y, [&](float a, float b) {
      product[i] = fma(double(a), double(b), product[i]);
      if (moments) element[i] += double(a);
      i = 1 - i;
    });
    products_.add(product[0] + product[1]);
    if (moments) elements_.add(element[0] + element[1]);
  }

  template <int Levels>
  ONEFOLD_DEVICE void add_wide(const uint4 (&x)[vectors], const uint4 (&y)[vectors], int most) {
    constexpr bool two = Levels == 2;
    const double first = start_of(start_word(most - 250 + items_log2)),
                 second = start_of(start_word(most - 250 + items_log2 - wide_step)),
                 of_elements = start_of(start_word(most / 2 - 124 + items_log2));
    double s = first, next = second, rest = 0, e = of_elements, e_rest = 0;
    for_floats(x, y, [&](float a, float b) {
      const double t = fma(double(a), double(b), s);
      const double left = fma(double(a), double(b), s - t);
      rest += two ? left_of(next, left) : left;
      s = t;
      if (moments) e_rest += two ? left_of(e, double(a)) : double(a);
    });
    products_.add(s - first), products_.add(rest);
    if (two) products_.add(next - second);
    if (moments) elements_.add(e_rest);
    if (moments && two) elements_.add(e - of_elements);
  }
  // Adds to a level; what it does not hold.
  ONEFOLD_DEVICE static double left_of(double& level, double x) {
    const double t = level + x, left = x - (t - level);
    level = t;
    return left;
  }

  window_type window_;
  product_levels products_;
  element_levels elements_;
};

}  // namespace onefold::cuda
