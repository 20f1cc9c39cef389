// SPDX-License-Identifier: Apache-2.0
// States of extrema as counts that add, and keys and positions of which the maximum is taken.
#include <algorithm>
#include <cstdint>
#include <string>

#include "collective/additive_words.hpp"
#include "onefold/collective.hpp"
#include "state/plausible.hpp"
#include "state/total_order.hpp"

namespace onefold {
namespace {

using detail::extrema;

constexpr std::int64_t none = no_extremum;

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
  return std::vector<std::int64_t>{some ? ~total_order(e.least(), is_floating(from.input())) : none,
                                   some ? total_order(e.largest(), is_floating(from.input()))
                                        : none,
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
  const auto position_of = [&](const extrema::one& own, std::int64_t combined) {
    return some && own.key == from_total_order(combined, 0, is_floating(from.input())).key
               ? ~own.index
               : none;
  };
  return std::vector<std::int64_t>{position_of(e.least(), ~combined_keys[0]),
                                   position_of(e.largest(), combined_keys[1])};
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
    least = from_total_order(~keys[0], ~positions[0], is_floating(type->input));
    largest = from_total_order(keys[1], ~positions[1], is_floating(type->input));
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
