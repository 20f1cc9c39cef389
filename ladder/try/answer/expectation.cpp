// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/answer/expectation.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

constexpr std::array<const char*, 4> nouns = {"sum", "product", "maximum", "minimum"};

numbers pairs(const answer_request& r, const std::vector<numbers>& inputs) {
  numbers results = inputs.front();
  const reduction op = r.expectation == expectation::products ? reduction::product : r.op;
  for (std::size_t k = 1; k < inputs.size(); ++k) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] = fold(op, r.type_of(i), results[i], inputs[k][i]);
    }
  }
  return results;
}

numbers transposed(const answer_request& r, const numbers& in) {
  numbers results(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t element = i / r.lanes, x = element % r.data.x, y = element / r.data.x;
    results[(x * r.data.y + y) * r.lanes + i % r.lanes] = in[i];
  }
  return results;
}

/// One result for each row, or each column.
numbers lines(const answer_request& r, const numbers& in) {
  const bool rows = r.expectation == expectation::rows;
  numbers results(rows ? std::size_t{r.data.y} * r.data.z : r.data.x, identity(r.op, r.type));
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t element = i / r.lanes;
    number& line = results[rows ? element / r.data.x : element % r.data.x];
    line = fold(r.op, r.type, line, in[i]);
  }
  return results;
}

}  // namespace

expectation_word expectation_named(const std::string& word) {
  for (const reduction op :
       {reduction::sum, reduction::product, reduction::maximum, reduction::minimum}) {
    if (word == to_string(op)) return {expectation::fold, op, ""};
  }
  if (word == "dot") return {expectation::products, {}, ""};
  if (word == "add") return {expectation::pairs, {}, ""};
  if (word == "transpose") return {expectation::transpose, {}, ""};
  if (word == "rows") return {expectation::rows, {}, ""};
  if (word == "columns") return {expectation::columns, {}, ""};
  if (word == "argmax") return {expectation::position, reduction::maximum, ""};
  if (word == "argmin") return {expectation::position, reduction::minimum, ""};
  if (word == "fields") return {expectation::fields, {}, ""};
  if (word.ends_with(".npy")) return {expectation::file, {}, word};
  throw std::invalid_argument(
      fmt::format("--expect {}: use sum, product, max, min, dot, add, transpose, rows, columns, "
                  "argmax, argmin, fields or the name of a .npy file",
                  word));
}

std::string sentence(expectation expectation, reduction op) {
  const char* const noun = nouns[static_cast<std::size_t>(op)];
  switch (expectation) {
  case expectation::products:
    return "the sum of products";
  case expectation::pairs:
    return fmt::format("the {} of each pair", noun);
  case expectation::transpose:
    return "the transposed matrix";
  case expectation::rows:
    return fmt::format("the {} of each row", noun);
  case expectation::columns:
    return fmt::format("the {} of each column", noun);
  case expectation::position:
    return fmt::format("the {} and its index", noun);
  case expectation::fields:
    return "of each field what its name says";
  case expectation::file:
    return "what the file holds";
  case expectation::fold:
    break;
  }
  return fmt::format("the {} of all elements", noun);
}

const char* suffix(expectation expectation) {
  constexpr std::array<const char*, 9> words = {
      "", " of products", " of each pair", "", " of each row", " of each column", "", "", ""};
  return words[static_cast<std::size_t>(expectation)];
}

bool is_one_value(expectation expectation) {
  return expectation == expectation::fold || expectation == expectation::products ||
         expectation == expectation::position || expectation == expectation::fields;
}

bool only_moves(expectation expectation) {
  return expectation == expectation::transpose;
}

number folded(reduction op, scalar type, const numbers& values) {
  number total = identity(op, type);
  for (const number value : values) total = fold(op, type, total, value);
  return total;
}

numbers answers(const answer_request& r, const std::vector<numbers>& inputs) {
  switch (r.expectation) {
  case expectation::products:
    return {folded(reduction::sum, r.type, pairs(r, inputs))};
  case expectation::pairs:
    return pairs(r, inputs);
  case expectation::transpose:
    return transposed(r, inputs.front());
  case expectation::rows:
  case expectation::columns:
    return lines(r, inputs.front());
  case expectation::position:
  case expectation::fields:
  case expectation::file:
    return {};
  case expectation::fold:
    break;
  }
  return {folded(r.op, r.type, inputs.front())};
}

}  // namespace onefold::ladder::learner
