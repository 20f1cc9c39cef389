// SPDX-License-Identifier: Apache-2.0
// Suggestions by edit distance and by a table of synonyms.
#include "suggestion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace onefold::program {
namespace {

constexpr std::size_t longest = 40;

// The edit distance with swaps of neighbours (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t wrong = a[i - 1] != b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + wrong});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// Names of other programs and libraries.
constexpr std::pair<std::string_view, std::string_view> synonyms[] = {
    {"average", "mean"},
    {"avg", "mean"},
    {"total", "sum"},
    {"add", "sum"},
    {"stdev", "std"},
    {"stddev", "std"},
    {"sd", "std"},
    {"variance", "var"},
    {"minimum", "min"},
    {"amin", "min"},
    {"maximum", "max"},
    {"amax", "max"},
    {"product", "prod"},
    {"norm", "norm2"},
    {"l2", "norm2"},
    {"len", "count"},
    {"size", "count"},
    {"describe", "stats"},
    {"summary", "stats"},
    {"vdot", "dot"},
    {"--ddof", "--correction"},
    {"--unbiased", "--correction"},
    {"--skipna", "--nan"},
    {"--type", "--dtype"},
    {"--output", "--out"},
    {"--jobs", "--threads"},
    {"--nthreads", "--threads"},
    {"--memory", "--mem-limit"},
    {"--group-by", "--by"},
    {"--keys", "--by"},
    {"--dim", "--axis"},
};

bool is_known(std::string_view word, const std::vector<std::string>& known) {
  return std::find(known.begin(), known.end(), word) != known.end();
}

std::string lower(std::string_view word) {
  std::string text(word);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return text;
}

}  // namespace

std::string nearest_word(std::string_view written, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t least = 3;
  if (written.size() > longest) return nearest;
  std::string word = lower(written);
  if (is_known(word, known)) return word;
  for (const auto& [other, ours] : synonyms)
    if (other == word && is_known(ours, known)) return std::string(ours);
  for (const std::string& candidate : known) {
    const std::size_t edits = distance(word, candidate);
    if (edits >= least || 2 * edits >= candidate.size()) continue;
    least = edits;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace onefold::program
