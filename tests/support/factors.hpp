// SPDX-License-Identifier: Apache-2.0
// Pairs of arrays for products: the families of one array, paired, and pairs made against the
// proofs of products.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/elements.hpp"
#include "support/families.hpp"

namespace onefold::test {

template <class T>
struct factors {
  std::vector<T> x, y;
};

/// The second array as different kinds of data have it: of the same family, ones, of any family,
/// the first turned round so that products cancel.
template <class T>
void fill_second(random_source& random, const family<T>& family, const std::vector<T>& x,
                 std::vector<T>& y) {
  const std::size_t n = x.size();
  const auto kind = random.below(4);
  if (kind == 0) family.fill(random, y.data(), n);
  if (kind == 1)
    for (T& element : y) element = power_of_two<T>(random.one_in(2), 0);
  if (kind == 2) {
    const auto& all = families<T>();
    all[random.below(all.size())].fill(random, y.data(), n);
  }
  if (kind != 3) return;
  for (std::size_t i = 0; i < n; ++i) y[i] = x[n - 1 - i];
  for (std::size_t i = 0; i < n / 2; ++i) y[i] = negated(y[i]);
}

/// Products about where their errors begin to underflow, some next to larger ones, some of zeros.
template <class T>
void fill_underflow(random_source& random, std::vector<T>& x, std::vector<T>& y) {
  const bool zeros = random.one_in(3);
  const int shift = random.between(-600, 600) * ieee<T>::bias / 1023;
  const int limit = random.one_in(2) ? -960 : -1022 + random.between(0, 60);
  const int exponent = limit * ieee<T>::bias / 1023;
  const int spread = random.between(0, 20);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const int down = random.one_in(3) ? 0 : random.between(0, spread);
    x[i] = any_of_exponent<T>(random, shift);
    y[i] = any_of_exponent<T>(random, exponent - shift + random.between(0, 4) - down);
    if (zeros && random.one_in(4)) (random.one_in(2) ? x : y)[i] = power_of_two<T>(false, -5000);
    if (zeros && random.one_in(4)) x[i] = make<T>(random.one_in(2), -ieee<T>::bias, 0);
  }
}

/// Squares and their sum about where a window of moments ends: spreads at the last unit of the
/// elements, exponents at the least and the largest that there are windows for.
template <class T>
void fill_moment_edge(random_source& random, std::vector<T>& x) {
  constexpr int limits[] = {16, 21, 37, 40, 69, 88, 165};
  const int bias = ieee<T>::bias, spread = limits[random.below(7)] + random.between(-3, 3);
  constexpr int tops[] = {-466, -442, -394, -300, 0, 100, 490, 506};
  const int top = tops[random.below(8)] * bias / 1023 + random.between(-4, 4);
  for (T& element : x) {
    const int down = random.one_in(8) ? 0 : random.one_in(2) ? spread : random.between(0, spread);
    const T any = any_of_exponent<T>(random, top - down);
    element = random.one_in(2) ? any : as_float<T>(bits_of<T>(as_bits(any) | 1));
  }
}

/// A mean far from zero with small deviations, integers, one value: what moments are asked of.
template <class T>
void fill_clustered(random_source& random, std::vector<T>& x) {
  const int exponent = random.between(-ieee<T>::bias / 3, ieee<T>::bias / 3);
  const bits_of<T> centre = as_bits(any_of_exponent<T>(random, exponent));
  const auto width = random.one_in(4) ? 1 : 1 + random.below(64);
  for (T& element : x) element = as_float<T>(bits_of<T>(centre ^ bits_of<T>(random.below(width))));
}

/// One more array or pair of arrays: of a family, or made for products.
template <class T>
std::string_view fill_factors(random_source& random, factors<T>& pair, std::uint64_t index) {
  const auto& all = families<T>();
  const std::uint64_t kinds = all.size() + 3, kind = index % kinds;
  const family<T>& chosen = all[kind < all.size() ? kind : random.below(all.size())];
  if (kind < all.size()) chosen.fill(random, pair.x.data(), pair.x.size());
  if (kind == all.size() + 1) fill_moment_edge(random, pair.x);
  if (kind == all.size() + 2) fill_clustered(random, pair.x);
  if (kind == all.size()) {
    fill_underflow(random, pair.x, pair.y);
    return "products that underflow";
  }
  fill_second(random, chosen, pair.x, pair.y);
  return kind < all.size() ? chosen.name : kind == all.size() + 1 ? "edge of moments" : "clustered";
}

}  // namespace onefold::test
