// SPDX-License-Identifier: Apache-2.0
// The documented order of fast columns as plain loops: groups of 16 terms, which end with their
// pass along the innermost reduced axis; bands of 64 groups, added in turn; the tree of bands.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

namespace onefold::test {

template <class Number>
Number column_tree(const std::vector<Number>& bands, std::size_t first, std::size_t last) {
  if (last - first == 1) return bands[first];
  const std::size_t middle = first + std::bit_floor(last - first - 1);
  return column_tree(bands, first, middle) + column_tree(bands, middle, last);
}

/// The sums of the bands of an answer whose innermost reduced axis has that extent.
template <class Number>
std::vector<Number> band_sums(const std::vector<Number>& terms, std::size_t extent) {
  std::vector<Number> bands;
  std::size_t groups = 0;
  for (std::size_t i = 0; i < terms.size(); ++groups) {
    if (groups % 64 == 0) bands.push_back(Number(-0.0));
    Number group = Number(-0.0);
    const std::size_t end = std::min(i - i % extent + extent, i - i % extent % 16 + 16);
    for (; i < end; ++i) group += terms[i];
    bands.back() += group;
  }
  return bands;
}

template <class Number>
Number column_sum(const std::vector<Number>& terms, std::size_t extent) {
  const std::vector<Number> bands = band_sums(terms, extent);
  return column_tree(bands, 0, bands.size());
}

}  // namespace onefold::test
