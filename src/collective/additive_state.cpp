// SPDX-License-Identifier: Apache-2.0
// States as groups of words that add.
#include <cmath>
#include <string>
#include <utility>

#include "collective/additive_words.hpp"
#include "onefold/collective.hpp"
#include "state/element_types.hpp"
#include "state/plausible.hpp"
#include "state/states.hpp"

namespace onefold {
namespace {

template <class Known>
concept additive = requires(const Known& known, std::int64_t* words) {
  known.write_additive(words);
};

// Sums whose words have a scale: those of exponentials.
template <class Known>
concept banded = additive<Known> && requires(const Known& known) {
  known.band_key();
};

std::string text_of(additive_type type) {
  return std::string(name(type.op)) + " of " + std::string(name(type.input));
}

status no_additive_form(op op) {
  const bool extrema = accumulator_of(op) == accumulator::extrema;
  return {status_code::unsupported,
          "a state of " + std::string(name(op)) + " is no sum; use " +
              (extrema ? "extrema_keys, which combine by the maximum" : "merge_gathered")};
}

status several_bands(additive_type type) {
  return {status_code::mismatch,
          "groups of words of " + std::string(name(type.op)) +
              " in different bands were added; take the maximum of "
              "additive_band() over all states, and write all by to_additive() in that band"};
}

// Whether the key is that of an integer, which bands are.
bool is_band(std::int64_t key) {
  const double band = detail::band_of_key(key);
  return band - band == 0 && band == std::nearbyint(band);
}

template <class Known>
std::vector<std::int64_t> group_of(const state& from, const Known& known) {
  std::vector<std::int64_t> words(detail::additive_header + Known::additive_words);
  detail::write_additive_header(words.data(), detail::additive_signature(from.op(), from.input()));
  known.write_additive(words.data() + detail::additive_header);
  return words;
}

}  // namespace

result<additive_type> type_of_additive(std::span<const std::int64_t> words) {
  if (words.size() < detail::additive_header || words[0] < 1)
    return additive_malformed("they do not begin with a number of groups");
  if (words[0] > detail::most_additive_groups)
    return {status_code::overflow, "2^31 groups of words or more were added; make them one by "
                                   "from_additive and to_additive before there are so many"};
  const std::int64_t signature = detail::read_additive_header(words.data());
  if (signature == 0)
    return {status_code::mismatch, "groups of words of different operators, element types or "
                                   "versions were added; all must be of one"};
  const std::int64_t version = signature >> 10;
  if (version != detail::additive_version)
    return additive_malformed("their version is " + std::to_string(version) +
                              ", this build reads version 1");
  const auto op = std::size_t(signature >> 4 & 63), input = std::size_t(signature & 15);
  if (op >= std::size(all_ops) || input >= std::size(all_dtypes))
    return additive_malformed("their operator or element type is unknown");
  const additive_type type{static_cast<onefold::op>(op), static_cast<dtype>(input)};
  if (const auto fine = check_element_type(type.op, type.input); !fine)
    return additive_malformed(fine.message());
  return type;
}

status additive_malformed(const std::string& problem) {
  return {status_code::malformed,
          "not words of a state: " + problem + "; such words are written by to_additive()"};
}

status additive_implausible() {
  return {status_code::mismatch,
          "no elements have these words; a word changed on its way, or elements were removed that "
          "are not there"};
}

int additive_word_count(op op, dtype input) noexcept {
  return std::visit(
      []<class Known>(const Known&) {
        if constexpr (additive<Known>)
          return detail::additive_header + Known::additive_words;
        else
          return 0;
      },
      empty_state(accumulator_of(op), input));
}

result<std::vector<std::int64_t>> try_to_additive(const state& from) try {
  return std::visit(
      [&]<class Known>(const Known& known) -> result<std::vector<std::int64_t>> {
        if constexpr (additive<Known>)
          return group_of(from, known);
        else
          return no_additive_form(from.op());
      },
      detail::state_access::known(from));
} catch (...) {
  return detail::memory_refused();
}

std::vector<std::int64_t> to_additive(const state& from) {
  return try_to_additive(from).value();
}

result<std::int64_t> additive_band(const state& from) {
  return std::visit(
      [&]<class Known>(const Known& known) -> result<std::int64_t> {
        if constexpr (banded<Known>)
          return known.band_key();
        else if constexpr (additive<Known>)
          return std::int64_t(0);
        else
          return no_additive_form(from.op());
      },
      detail::state_access::known(from));
}

result<std::int64_t> additive_band(std::span<const std::int64_t> words) {
  const auto type = type_of_additive(words);
  if (!type) return type.why();
  if (accumulator_of(type->op) != accumulator::exponentials) return std::int64_t(0);
  if (int(words.size()) != additive_word_count(type->op, type->input))
    return additive_malformed("another number of words than their type has");
  const std::int64_t* const band = words.data() + detail::additive_header;
  if (!detail::has_one_band(words[0], band)) return several_bands(*type);
  return detail::read_band(words[0], band);
}

result<std::vector<std::int64_t>> try_to_additive(const state& from, std::int64_t band) try {
  const auto own = additive_band(from);
  if (!own) return own.why();
  if (*own == band) return try_to_additive(from);
  const status wrong(status_code::usage, std::to_string(band) +
                                             " is not a band of the state's words; "
                                             "give the maximum of "
                                             "additive_band() over all "
                                             "states");
  return std::visit(
      [&]<class Known>(const Known& known) -> result<std::vector<std::int64_t>> {
        if constexpr (banded<Known>) {
          if (band < *own || !is_band(band)) return wrong;
          Known raised = known;
          raised.raise(detail::band_of_key(band));
          return group_of(from, raised);
        } else {
          return wrong;
        }
      },
      detail::state_access::known(from));
} catch (...) {
  return detail::memory_refused();
}

std::vector<std::int64_t> to_additive(const state& from, std::int64_t band) {
  return try_to_additive(from, band).value();
}

result<state> from_additive(std::span<const std::int64_t> words) try {
  const auto type = type_of_additive(words);
  if (!type) return type.why();
  state all(type->op, type->input);
  auto done = std::visit(
      [&]<class Known>(Known& known) -> status {
        if constexpr (additive<Known>) {
          if (words.size() != detail::additive_header + std::size_t(Known::additive_words))
            return additive_malformed(std::to_string(words.size()) + " words for " +
                                      text_of(*type) + ", which has " +
                                      std::to_string(additive_word_count(type->op, type->input)));
          const std::int64_t* const own = words.data() + detail::additive_header;
          if constexpr (banded<Known>) {
            if (!detail::has_one_band(words[0], own)) return several_bands(*type);
            known.read_additive(words[0], own);
            if (known.unknown()) return unknown_sum();
          } else {
            known.read_additive(own);
          }
          return is_plausible(known, type->op, type->input) ? status() : additive_implausible();
        } else {
          return no_additive_form(type->op);
        }
      },
      detail::state_access::known(all));
  if (!done) return done;
  return all;
} catch (...) {
  return detail::memory_refused();
}

status try_negate_additive(std::span<std::int64_t> words) try {
  const auto type = type_of_additive(words);
  if (!type) return type.why();
  if (int(words.size()) != additive_word_count(type->op, type->input))
    return additive_malformed("another number of words than their type has");
  return std::visit(
      [&]<class Known>(const Known&) -> status {
        if constexpr (requires { Known::negate_additive(words.data()); }) {
          Known::negate_additive(words.data() + detail::additive_header);
          return {};
        } else {
          return {status_code::unsupported,
                  "a state of " + std::string(name(type->op)) +
                      " does not subtract: it does not know what was there before an element"};
        }
      },
      empty_state(accumulator_of(type->op), type->input));
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
