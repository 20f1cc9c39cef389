// SPDX-License-Identifier: Apache-2.0
// States of extrema as counts that add, and keys and positions of which the maximum is taken.
//
// Words that are to be least are complemented: ~x falls as x rises, and no x overflows. INT64_MIN,
// the least word, is that of a state without elements; where an element has it too, they are equal
// and the counts distinguish them.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "collective/additive_words.hpp"
#include "onefold/collective.hpp"
#include "state/plausible.hpp"

namespace onefold {
namespace {

using detail::extrema;

constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();

// Floats in an order in which -0 is less than +0: keys below zero, and that of -0, move down by
// one.
std::int64_t total_order(const extrema::one& which, dtype input) {
  const bool minus = which.key < 0 || (which.key == 0 && !which.plus_zero);
  return is_floating(input) && minus ? which.key - 1 : which.key;
}

extrema::one from_total_order(std::int64_t word, std::int64_t index, dtype input) {
  if (!is_floating(input)) return {word, index, false};
  return {word < 0 ? word + 1 : word, index, word == 0};
}

result<const extrema*> extrema_of(const state& from) {
  if (const auto* known = std::get_if<extrema>(&detail::state_access::known(from))) return known;
  return {status_code::unsupported, "a state of " + std::string(name(from.op())) +
                                        " has no extrema; min, max, argmin, argmax, minmax and "
                                        "norminf do"};
}

}  // namespace

result<std::vector<std::int64_t>> extrema_counts(const state& from) try {
  const auto known = extrema_of(from);
  if (!known) return known.why();
  std::vector<std::int64_t> words(extrema_count_words);
  detail::write_additive_header(words.data(), detail::additive_signature(from.op(), from.input()));
  words[3] = (*known)->count(), words[4] = (*known)->nan_count();
  return words;
} catch (...) {
  return detail::memory_refused();
}

result<std::vector<std::int64_t>> extrema_keys(const state& from) try {
  const auto known = extrema_of(from);
  if (!known) return known.why();
  const extrema& e = **known;
  const bool some = !e.empty(true);
  return std::vector<std::int64_t>{some ? ~total_order(e.least(), from.input()) : none,
                                   some ? total_order(e.largest(), from.input()) : none,
                                   e.nan_count() > 0 ? ~e.argmin(false) : none};
} catch (...) {
  return detail::memory_refused();
}

result<std::vector<std::int64_t>>
extrema_positions(const state& from, std::span<const std::int64_t> combined_keys) try {
  const auto known = extrema_of(from);
  if (!known) return known.why();
  if (combined_keys.size() != extrema_key_words)
    return additive_malformed("another number of keys than extrema_keys() has");
  const extrema& e = **known;
  const bool some = !e.empty(true);
  const auto of = [&](const extrema::one& own, std::int64_t combined) {
    return some && own.key == from_total_order(combined, 0, from.input()).key ? ~own.index : none;
  };
  return std::vector<std::int64_t>{of(e.least(), ~combined_keys[0]),
                                   of(e.largest(), combined_keys[1])};
} catch (...) {
  return detail::memory_refused();
}

result<state> from_extrema(std::span<const std::int64_t> counts, std::span<const std::int64_t> keys,
                           std::span<const std::int64_t> positions) try {
  const auto type = type_of_additive(counts);
  if (!type) return type.why();
  state all(type->op, type->input);
  if (const auto known = extrema_of(all); !known) return known.why();
  if (counts.size() != extrema_count_words || keys.size() != extrema_key_words ||
      positions.size() != extrema_position_words)
    return additive_malformed("another number of words than extrema have");
  const std::int64_t count = counts[3], nans = counts[4];
  extrema::one least, largest;
  if (count != nans) {
    least = from_total_order(~keys[0], ~positions[0], type->input);
    largest = from_total_order(keys[1], ~positions[1], type->input);
  }
  const std::int64_t words[] = {count,
                                nans,
                                nans > 0 ? ~keys[2] : -1,
                                least.key,
                                least.index,
                                largest.key,
                                largest.index,
                                std::int64_t(least.plus_zero) | std::int64_t(largest.plus_zero)
                                                                    << 1};
  if (!extrema::plausible(words, type->input)) return additive_implausible();
  const std::int64_t* word = words;
  detail::state_access::known(all) = extrema::from_words([&] { return *word++; });
  return all;
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
