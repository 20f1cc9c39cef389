// SPDX-License-Identifier: Apache-2.0
// States across processes, machines and queries: words that the transports of others combine.
//
//   auto words = onefold::to_additive(onefold::partial(onefold::op::sum, mine));
//   MPI_Allreduce(MPI_IN_PLACE, words.data(), int(words.size()), MPI_INT64_T, MPI_SUM, comm);
//   double sum = onefold::from_additive(words).value().value();
//
// How states of one operator and element type combine:
//
//   sum, mean, norm1, norm2, sumsq, dot, var, std,   to_additive: SUM of int64 words
//   any, all, count, count_nonzero, bit_…
//   logsumexp                                        additive_band: MAX; then to_additive in that
//                                                    band: SUM
//   min, max, argmin, argmax, minmax, norminf        extrema_counts: SUM; extrema_keys: MAX; then
//                                                    extrema_positions: MAX
//   prod, and any other                              gather of bytes(): merge_gathered
//
// The result is the state of all elements, to the byte, for any order and any tree of up to 2^31 -
// 1 groups. Groups of many answers (rows, columns, keys) are one array, a group after another.
// Proof and layout: docs/numerics/additive.md. For accumulators without the library, in kernels
// too: write_additive and read_additive of onefold/exact.hpp, with the same words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "onefold/detail/config.hpp"
#include "onefold/dtype.hpp"
#include "onefold/op.hpp"
#include "onefold/state.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// The words of one state of this operator and element type; 0 where there is no additive form.
ONEFOLD_API int additive_word_count(op op, dtype input) noexcept;

/// A state as a group of words; groups of one operator and element type add word by word, of
/// logsumexp those of one band: this group is in the state's own.
/// Fails: unsupported (an operator that is not a sum).
ONEFOLD_API result<std::vector<std::int64_t>> try_to_additive(const state& from);
/// As try_to_additive. Fails: throws onefold::error.
ONEFOLD_API std::vector<std::int64_t> to_additive(const state& from);

/// The scale of a sum's words. Words of logsumexp are in units of exp(512 b), b the band of its
/// largest element, and add only in one band: combine these integers by the maximum, then write the
/// words in that band. Other sums have one scale, 0. Elements of magnitude 256 or less are all in
/// band 0; a state without finite elements has the least integer.
/// Fails: unsupported (an operator that is not a sum).
ONEFOLD_API result<std::int64_t> additive_band(const state& from);
/// The scale of words that were added. Fails: as from_additive, of the header and the bands.
ONEFOLD_API result<std::int64_t> additive_band(std::span<const std::int64_t> words);

/// A state as a group of words in a band: the maximum of additive_band() over the states to add.
/// Fails: unsupported (an operator that is not a sum), usage (a band below the state's, or none).
ONEFOLD_API result<std::vector<std::int64_t>> try_to_additive(const state& from, std::int64_t band);
/// As try_to_additive. Fails: throws onefold::error.
ONEFOLD_API std::vector<std::int64_t> to_additive(const state& from, std::int64_t band);

/// The state of all elements of the groups that were added; its first_index() is 0.
/// Fails: mismatch (groups of several operators, element types, versions or bands were added, or
/// groups removed that are not there), overflow (2^31 groups or more), malformed (no group; another
/// number of words; a version that this build does not read), unsupported (of logsumexp, all
/// elements near the largest one were removed; state::try_subtract).
ONEFOLD_API result<state> from_additive(std::span<const std::int64_t> words);

/// Turns a group, or a sum of groups, into one that removes its elements when it is added: exact
/// sliding windows. It counts as as many groups. What state::subtract does not know again, it does
/// not either: whether the elements left are only -0.
/// Fails, and leaves the words unchanged: as from_additive, unsupported (bit_and, bit_or, bit_xor).
ONEFOLD_API status try_negate_additive(std::span<std::int64_t> words);

/// The words of min, max, argmin, argmax, minmax and norminf.
inline constexpr int extrema_count_words = 5, extrema_key_words = 3, extrema_position_words = 2;

/// The counts of a state of extrema: to be added. Fails: unsupported (another operator).
ONEFOLD_API result<std::vector<std::int64_t>> extrema_counts(const state& from);
/// Its keys: to be combined by the maximum. Fails: unsupported (another operator).
ONEFOLD_API result<std::vector<std::int64_t>> extrema_keys(const state& from);
/// The positions of the elements that have the combined keys: to be combined by the maximum.
/// Fails: unsupported (another operator), malformed (another number of words).
ONEFOLD_API result<std::vector<std::int64_t>>
extrema_positions(const state& from, std::span<const std::int64_t> combined_keys);
/// The state of all elements, from the three combinations.
/// Fails: as from_additive.
ONEFOLD_API result<state> from_extrema(std::span<const std::int64_t> counts,
                                       std::span<const std::int64_t> keys,
                                       std::span<const std::int64_t> positions);

/// The state of all elements, from the bytes() of states, one after another. States of prod
/// must be in the order of their elements: of ranks, where each has the range after the one before.
/// Fails: malformed (no states), mismatch, overflow: as state::try_merge.
ONEFOLD_API result<state> merge_gathered(std::span<const std::byte> bytes);

}  // namespace onefold
