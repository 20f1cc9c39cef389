// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/source/guess.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace onefold::ladder::learner {
namespace {

/// "countZeros_2" -> "count", "zeros", "2"
std::vector<std::string> words_in(const std::string& name) {
  std::vector<std::string> words(1);
  bool small = false;
  for (const char c : name) {
    const bool capital = std::isupper(static_cast<unsigned char>(c)) != 0;
    if ((c == '_' || (capital && small)) && !words.back().empty()) words.emplace_back();
    if (c != '_') words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    small = !capital;
  }
  return words;
}

const char* first_in(const std::string& name, std::initializer_list<const char*> words) {
  std::string small = name;
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = std::find_if(words.begin(), words.end(), [&small](const char* word) {
    return small.find(word) != std::string::npos;
  });
  return found == words.end() ? nullptr : *found;
}

}  // namespace

std::optional<expectation> expectation_by_name(const std::string& name) {
  if (first_in(name, {"transpos"}) != nullptr) return expectation::transpose;
  if (first_in(name, {"row"}) != nullptr) return expectation::rows;
  if (first_in(name, {"col"}) != nullptr) return expectation::columns;
  return {};
}

const char* unknown_fold(const std::string& name, bool of_structs, bool names_operator) {
  const char* const word =
      first_in(name, {"mean", "average", "avg", "norm", "rms", "variance", "stddev", "softmax",
                      "median", "logsumexp", "entropy", "sumsq"});
  if (word != nullptr || of_structs) return word;
  const std::vector<std::string> words = words_in(name);
  for (const char* whole : {"count", "any", "all", "range"}) {
    const auto end = names_operator ? words.begin() + 1 : words.end();  // not of "sum_all"
    if (std::find(words.begin(), end, whole) != end) return whole;
  }
  return first_in(name, {"argmax", "argmin", "prefix", "scan"});
}

}  // namespace onefold::ladder::learner
