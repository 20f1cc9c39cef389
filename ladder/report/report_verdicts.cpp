// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/html.hpp"
#include "ladder/report/prose.hpp"
#include "ladder/report/report.hpp"
#include "ladder/rung/hardware.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {
namespace {

std::string claims(const page& p) {
  if (p.claims.empty()) return "";
  const bool measured =
      std::ranges::any_of(p.claims, [](const claim_line& c) { return !c.measured.empty(); });
  std::vector<html_table::column> columns = {{"claim"}, {"so?"}, {"counted by the executor"}};
  if (measured) columns.push_back({"measured on " + recorded().machine});
  html_table table("Claims about it, each held against the counts", columns);
  for (const claim_line& c : p.claims) {
    std::vector<std::string> cells = {escaped(c.says), tag("strong", "", to_string(c.state)),
                                      escaped(c.counted)};
    if (measured) cells.push_back(c.measured.empty() ? "-" : escaped(c.measured));
    table.add(std::move(cells));
  }
  return tag("div", R"(class="claims")", table.markup()) + "\n";
}

std::string appendix(const page& p) {
  if (p.appendix.empty() || prose_of(p.subject->name).has_appendix) return "";
  const std::string label = fmt::format("More about {}", p.subject->name);
  return scrolling(label, tag("pre", "", escaped(p.appendix))) + "\n";
}

std::string check_items(std::string_view title, const std::vector<check_line>& lines) {
  std::string text;
  for (const check_line& c : lines) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", c.at, c.verdict);
  }
  return text.empty() ? "" : tag("p", "", escaped(fmt::format("{}: {}.", title, text))) + "\n";
}

std::string checks(const page& p) {
  return check_items(fmt::format("Under each schedule of the lanes, n {}", p.schedules_n),
                     p.schedules) +
         check_items("At each length", p.lengths);
}

}  // namespace

std::string verdict_body(const page& p) {
  return claims(p) + checks(p) + appendix(p);
}

}  // namespace onefold::ladder
