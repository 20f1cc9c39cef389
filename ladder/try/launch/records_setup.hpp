// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is asked of a kernel whose elements or answers are structs: the names of the fields say what
// each of them is.

#include "ladder/try/answer/input.hpp"
#include "ladder/try/answer/records.hpp"
#include "ladder/try/launch/elements.hpp"

namespace onefold::ladder::learner {

struct record_kernel {
  const parameter& input;
  const parameter& output;
  std::string name;      ///< of the kernel
  std::string declared;  ///< the output, for the messages: "pair* out"
};

struct record_question {
  learner::expectation expectation = learner::expectation::fold;
  reduction op = reduction::sum;
};

/// What the kernel computes, by the names of fields, of structs and of the kernel. For one with a
/// struct.
/// Fails: std::invalid_argument that says which words of --expect there are.
record_question guessed_question(const record_kernel& kernel);

/// What each number of the answer is; empty where the answer is no record: one number, or numbers
/// of each element.
/// Fails: std::invalid_argument naming the field that fits nothing, and the remedy.
record_rule rule_of(const record_kernel& kernel, const record_question& question);

/// The numbers of an element that is a struct; else nothing.
std::vector<input_part> parts_of_input(const parameter& input);
/// "'pair.index' of element i is i, ...", or nothing: what was assumed of the elements.
std::string assumption(const parameter& input, expectation expectation);

/// "the sum of all elements, field by field", ...
std::string sentence_of(const record_kernel& kernel, const record_question& question,
                        const record_rule& rule);

}  // namespace onefold::ladder::learner
