// SPDX-License-Identifier: Apache-2.0
// The additive form of exact accumulators: groups of int64 words whose plain sum, word by word, is
// the group of all their elements.
//
//   std::int64_t words[onefold::additive_words<onefold::exact_sum<float>>];
//   onefold::write_additive(sum, words);
//   MPI_Allreduce(MPI_IN_PLACE, words, std::size(words), MPI_INT64_T, MPI_SUM, comm);
//   if (!onefold::read_additive(words, sum)) …          words of another kind, or too many groups
//   float answer = sum.value();
//
// Limbs below 2^32 in words of 64 bits leave room for fewer than 2^31 groups; then read_additive
// and write_additive normalise them. Any transport that adds 64-bit integers will do: MPI, NCCL,
// Gloo, SQL. Proof: docs/numerics/additive.md.
//
// A group begins with three words: the number of groups added, the sum of their signatures, and of
// the squares of these. The sums prove that all signatures were equal: the difference of the mean
// square and the squared mean is zero only then.
#pragma once

#include <cstdint>
#include <type_traits>

#include "onefold/detail/config.hpp"
#include "onefold/detail/exact_dot.hpp"
#include "onefold/detail/exact_moments.hpp"
#include "onefold/detail/exact_sum.hpp"
#include "onefold/detail/integer_dot.hpp"
#include "onefold/detail/integer_sum.hpp"
#include "onefold/dtype.hpp"
#include "onefold/op.hpp"

namespace onefold {

namespace detail {

inline constexpr std::int64_t additive_version = 1;
inline constexpr int additive_header = 3;  ///< words
inline constexpr std::int64_t most_additive_groups = INT32_MAX;

/// 10 bits of operator and element type, below the version.
ONEFOLD_HOST_DEVICE constexpr std::int64_t additive_signature(op op, dtype input) {
  return additive_version << 10 | std::int64_t(op) << 4 | std::int64_t(input);
}
inline constexpr std::int64_t most_additive_signature = (1 << 15) - 1;

ONEFOLD_HOST_DEVICE constexpr void write_additive_header(std::int64_t* words,
                                                         std::int64_t signature) {
  words[0] = 1, words[1] = signature, words[2] = signature * signature;
}

/// The signature of all groups that were added; 0 if they have several, or are too many.
ONEFOLD_HOST_DEVICE constexpr std::int64_t read_additive_header(const std::int64_t* words) {
  const std::int64_t groups = words[0];
  if (groups < 1 || groups > most_additive_groups || words[1] < 1) return 0;
  const std::int64_t signature = words[1] / groups;
  const bool one = signature <= most_additive_signature && signature * groups == words[1] &&
                   signature * signature * groups == words[2];
  return one ? signature : 0;
}

/// The operator whose state has the words of an accumulator, and its element type.
template <class Exact>
struct additive_kind;
template <class T, checks Checks>
struct additive_kind<wide_sum<T, Checks>> {
  static constexpr std::int64_t signature = additive_signature(op::sum, dtype_of<T>);
};
template <class T, checks Checks>
struct additive_kind<wide_dot<T, Checks>> {
  static constexpr std::int64_t signature = additive_signature(op::dot, dtype_of<T>);
};
template <class T, checks Checks>
struct additive_kind<moments<T, Checks>> {
  static constexpr std::int64_t signature = additive_signature(op::var, dtype_of<T>);
};
template <>
struct additive_kind<integer_sum> {
  static constexpr std::int64_t signature = additive_signature(op::sum, dtype::i64);
};
template <>
struct additive_kind<integer_dot> {
  static constexpr std::int64_t signature = additive_signature(op::dot, dtype::i64);
};

}  // namespace detail

/// The number of words of a group.
template <class Exact>
inline constexpr int additive_words = detail::additive_header + Exact::additive_words;

/// Writes the group of one accumulator. exact_sum, exact_dot and exact_moments write what
/// to_additive() of a state of sum, dot and var over the same type writes.
template <class Exact>
ONEFOLD_HOST_DEVICE constexpr void write_additive(const Exact& from, std::int64_t* words) {
  detail::write_additive_header(words, detail::additive_kind<Exact>::signature);
  from.write_additive(words + detail::additive_header);
}

/// The accumulator of all elements, from a sum of groups. Returns false, and leaves `to` unchanged,
/// if a group is of another accumulator, type or version, or there are 2^31 groups or more.
template <class Exact>
[[nodiscard]] ONEFOLD_HOST_DEVICE constexpr bool read_additive(const std::int64_t* words,
                                                               Exact& to) {
  if (detail::read_additive_header(words) != detail::additive_kind<Exact>::signature) return false;
  to.read_additive(words + detail::additive_header);
  return true;
}

/// Makes a group one that removes its elements when it is added. It counts as a group like others.
/// As state::try_subtract, it does not find again that what is left is only -0.
template <class Exact>
ONEFOLD_HOST_DEVICE constexpr void negate_additive(std::int64_t* words) {
  Exact::negate_additive(words + detail::additive_header);
}

}  // namespace onefold
