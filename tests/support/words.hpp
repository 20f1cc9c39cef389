// SPDX-License-Identifier: Apache-2.0
// The words of a state, as a list.
#pragma once

#include <cstdint>
#include <vector>

namespace onefold::test {

template <class Sum>
std::vector<std::int64_t> words_of(const Sum& sum) {
  std::vector<std::int64_t> words;
  words.reserve(Sum::words);
  sum.for_each_word([&](std::int64_t word) { words.push_back(word); });
  return words;
}

}  // namespace onefold::test
