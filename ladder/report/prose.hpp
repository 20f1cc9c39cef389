// SPDX-License-Identifier: Apache-2.0
#pragma once
// The prose of docs/ladder.md, rung by rung and chapter by chapter, and of its subpages.

#include <string>
#include <string_view>
#include <vector>

namespace onefold::ladder {

/// What docs/ladder.md says about a rung, without the tables that the report has itself.
struct rung_prose {
  std::string markup;
  bool has_appendix = false;  ///< the rung's table of errors is in it
};
rung_prose prose_of(std::string_view rung);

/// "many numbers, one answer" of "## reduce: many numbers, one answer"; empty: there is none.
std::string chapter_subtitle(std::string_view ladder);
std::string chapter_prose(std::string_view ladder);

/// What comes before the first chapter.
std::string introduction_prose();

/// A page below docs/ladder/.
struct subpage {
  std::string id;  ///< "errata"
  std::string title;
  std::string markup;
};
std::vector<subpage> subpages();

}  // namespace onefold::ladder
