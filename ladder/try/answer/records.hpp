// SPDX-License-Identifier: Apache-2.0
#pragma once
// Answers of several numbers: an extremum and its index, a sum and a count, a struct field by
// field. Those of blocks are merged as a second launch would merge them.

#include "ladder/try/answer/expectation.hpp"

namespace onefold::ladder::learner {

/// What a number of the answer is.
enum class number_meaning : unsigned char {
  value,     ///< the elements folded
  count,     ///< how many there are
  squares,   ///< the sum of their squares
  position,  ///< the index of the extremum
};

struct record_number {
  number_meaning meaning = number_meaning::value;
  reduction op = reduction::sum;
  scalar type = scalar::int32;
  std::size_t from = 0;  ///< which number of an element
};

using record_rule = std::vector<record_number>;

/// Elements one after the other, `width` numbers each.
struct record_input {
  const numbers& values;
  std::size_t width = 1;

  std::size_t count() const { return values.size() / width; }
  number at(std::size_t element, std::size_t part) const { return values[element * width + part]; }
};

/// The answer for all elements.
numbers record_of(const record_rule& rule, const record_input& input);

/// Whether they are equal, but for the indices of equal elements.
bool same_record(const record_rule& rule, const numbers& a, const numbers& b,
                 const record_input& input);

/// Whether an index of the answer is that of a NaN.
bool points_to_nan(const record_rule& rule, const numbers& part, const record_input& input);

/// Partial answers merged. Of indices the one whose element is the extremum is kept.
numbers merged(const record_rule& rule, const std::vector<numbers>& parts,
               const record_input& input);

/// Where an index and the value next to it disagree: the element that is not that value. Nothing
/// for a value that is no element's, such as an identity, or for an index past the end.
std::optional<std::size_t> disagreement(const record_rule& rule, const numbers& part,
                                        const record_input& input);

/// The value that changes nothing, of each number.
numbers identities(const record_rule& rule);

}  // namespace onefold::ladder::learner
