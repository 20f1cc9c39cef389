// SPDX-License-Identifier: Apache-2.0
// Random arrays cut into parts, some of them empty, and random trees that combine their words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "onefold/onefold.hpp"
#include "support/elements.hpp"
#include "support/families.hpp"
#include "support/random.hpp"

namespace onefold::test {

using word_group = std::vector<std::int64_t>;

inline const auto add_words = [](std::int64_t a, std::int64_t b) { return a + b; };
inline const auto greater_word = [](std::int64_t a, std::int64_t b) { return std::max(a, b); };

template <class Combine>
void combine(word_group& to, const word_group& from, const Combine& combine) {
  std::transform(to.begin(), to.end(), from.begin(), to.begin(), combine);
}

/// Combines the groups of all parts by a random tree, in random order.
template <class Combine>
word_group combined(random_source& random, std::vector<word_group> groups, const Combine& how) {
  while (groups.size() > 1) {
    std::swap(groups[random.below(groups.size())], groups.back());
    const word_group last = std::move(groups.back());
    groups.pop_back();
    combine(groups[random.below(groups.size())], last, how);
  }
  return groups.front();
}

/// Up to `most` elements of a random family, often with NaNs, infinities and zeros among them.
template <class T>
std::vector<T> any_elements(random_source& random, std::uint64_t most) {
  std::vector<T> x(random.below(most + 1));
  if constexpr (is_floating(dtype_of<T>)) {
    const auto& all = families<T>();
    all[random.below(all.size())].fill(random, x.data(), x.size());
    const T some[] = {as_float<T>(ieee<T>::sign), as_float<T>(0), as_float<T>(ieee<T>::nan),
                      as_float<T>(ieee<T>::infinity),
                      as_float<T>(bits_of<T>(ieee<T>::infinity | ieee<T>::sign))};
    const std::uint64_t kinds = random.below(6);
    const bool only = random.one_in(3);
    for (T& each : x)
      if (kinds > 0 && (only || random.one_in(4))) each = some[random.below(kinds)];
  } else {
    const int bits = random.between(1, 64);
    for (T& each : x) each = T(std::int64_t(random()) >> (64 - bits));
  }
  return x;
}

/// The band that the words of these states add in.
inline std::int64_t highest_band(const std::vector<state>& states) {
  std::int64_t band = detail::no_band;
  for (const state& each : states) band = std::max(band, additive_band(each).value());
  return band;
}

/// The bounds of 1 to `most` parts of [0, n).
inline std::vector<std::size_t> any_cuts(random_source& random, std::size_t n, std::uint64_t most) {
  std::vector<std::size_t> cuts = {0, n};
  for (auto i = random.below(most); i > 0; --i) cuts.push_back(random.below(n + 1));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

/// The state of x[first … last); of dot, with the elements in reverse.
template <class T>
state state_of(op op, const std::vector<T>& x, std::size_t first, std::size_t last) {
  options options;
  options.first_index = std::int64_t(first);
  const auto part = array_view(x.data() + first, last - first);
  if (op == op::dot) {
    const auto item = std::int64_t(sizeof(T));
    const T* from = x.empty() ? nullptr : x.data() + (x.size() - 1 - std::min(first, x.size() - 1));
    const array_view reversed(from, dtype_of<T>, {{std::int64_t(last - first), -item}});
    return partial(op, {part, reversed}, options);
  }
  return partial(op, part, options);
}

}  // namespace onefold::test
