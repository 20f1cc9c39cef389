// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a kernel is expected to compute, and the right answers.

#include "ladder/try/answer/number.hpp"
#include "ladder/try/report/shape.hpp"

#include <optional>
#include <vector>

namespace onefold::ladder::learner {

enum class expectation : unsigned char {
  fold,       ///< of one input's elements, or of one partial answer a block
  products,   ///< of two inputs: the sum of the products of their elements
  pairs,      ///< of two inputs or more: one result for the elements of each place
  transpose,  ///< of a matrix
  rows,       ///< one result a row
  columns,    ///< one result a column
  position,   ///< of one input: the index of the extremum, or the extremum and its index
  fields,     ///< of one input: each field of a struct what its name says
  file,       ///< what a file says
};

using numbers = std::vector<number>;

/// --expect as it was given.
struct expectation_word {
  learner::expectation expectation = learner::expectation::fold;
  std::optional<reduction> op;  ///< of sum, product, max, min, argmax, argmin
  std::string file;             ///< of a .npy
};

/// Fails: std::invalid_argument that lists the words.
expectation_word expectation_named(const std::string& word);

/// "the sum of all elements", "the transposed matrix", ...
std::string sentence(expectation expectation, reduction op);
/// "", " of products", " of each pair", ...: what follows the operator's name.
const char* suffix(expectation expectation);
/// Whether the answer is one value, however it is split into partial ones.
bool is_one_value(expectation expectation);
/// Whether the answer only moves elements.
bool only_moves(expectation expectation);

/// The elements folded, in the arithmetic of the output's type.
number folded(reduction op, scalar type, const numbers& values);

struct answer_request {
  learner::expectation expectation;
  reduction op;
  scalar type;  ///< of the output
  try_shape data;
  unsigned lanes = 1;         ///< numbers of an element
  std::vector<scalar> types;  ///< of them in the output, where they are of several types

  scalar type_of(std::size_t number) const {
    return types.empty() ? type : types[number % types.size()];
  }
};

/// The right answer: one value, or one for each number of the output. Nothing for a file's, and for
/// those that are records (records.hpp).
numbers answers(const answer_request& request, const std::vector<numbers>& inputs);

}  // namespace onefold::ladder::learner
