// SPDX-License-Identifier: Apache-2.0
#pragma once
// docs/ladder.md and the pages below docs/ladder/, compiled in.

#include <span>
#include <string_view>

namespace onefold::ladder {

struct document {
  std::string_view name;  ///< "docs/ladder/errata.md"
  std::string_view text;
};

/// docs/ladder.md, then its subpages.
std::span<const document> documents();

}  // namespace onefold::ladder
