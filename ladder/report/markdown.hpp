// SPDX-License-Identifier: Apache-2.0
#pragma once
// The Markdown that docs/ is written in, as HTML: headings, paragraphs, lists, tables, code, links.
//
// No library: md4c and cmark of Debian 12 would read the text, about half of this, and have the
// other half written around them: links that lead elsewhere in a report or nowhere, levels of
// headings, the scope of a table's heads and the frame that lets it scroll. That does not pay for
// one more package in `make run`. md4c's parser is the one to take if docs/ needs more of Markdown.

#include <functional>
#include <string>
#include <string_view>

namespace onefold::ladder {

/// Where an address of the text leads in the report; empty: nowhere, only its words are shown.
using link_target = std::function<std::string(std::string_view address)>;

/// `heading_level`: of the text's first level of headings, as 2 for "# ".
std::string markdown(std::string_view text, const link_target& links, int heading_level);

/// Code, links and emphasis of one line of words. Code that is a path leads where a link would.
std::string inline_markdown(std::string_view text, const link_target& links);

}  // namespace onefold::ladder
