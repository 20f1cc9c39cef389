// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/report_lines.hpp"

#include "ladder/page/counters.hpp"
#include "ladder/page/lines.hpp"
#include "ladder/report/html.hpp"
#include "ladder/rung/hardware.hpp"
#include "ladder/rung/machine_code.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace onefold::ladder {
namespace {

std::string number_or_dash(const std::optional<std::uint64_t>& number) {
  return number ? grouped(*number) : "-";
}

std::string linked_line(const page& p, const simt::location& place) {
  const std::string name = escaped(line_name(*p.subject, place));
  if (place.file != p.subject->file) return name;
  return tag("a", fmt::format(R"(href="#{}-L{}")", anchor(p.subject->name), place.line), name);
}

/// Of a whole number of the text; other words stay.
std::string with_commas(const std::string& text) {
  const bool whole = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return whole ? grouped(std::stoull(text)) : escaped(text);
}

std::string issued(const page& p) {
  const bool measured = p.recorded != nullptr;
  std::vector<html_table::column> columns = {{"counter"}, {"executor", true}};
  if (measured) columns.push_back({recorded().machine, true});
  html_table table("What warps execute, whole grid", columns);
  for (const issue_line& line : issue_lines(p.outcome.blocks, p.recorded)) {
    if (line.executor == "-" && !measured) continue;
    std::vector<std::string> cells = {escaped(line.name), with_commas(line.executor)};
    if (measured) cells.push_back(with_commas(line.hardware));
    table.add(std::move(cells));
  }
  return table.markup();
}

std::string lines(const page& p) {
  const bool compiled =
      std::ranges::any_of(p.lines, [](const source_line& line) { return line.instructions != 0; });
  const std::string caption =
      compiled
          ? fmt::format("; instructions: those that {} made of the line", machine_code_source())
          : "; nobody has recorded the machine code of this kernel";
  html_table table("Counters by line, whole grid" + caption, {{"line"},
                                                              {"code"},
                                                              {"instructions", true},
                                                              {"access"},
                                                              {"requests", true},
                                                              {"wavefronts", true},
                                                              {"conflicts", true},
                                                              {"sectors", true}});
  for (const source_line& line : p.lines) {
    std::vector<std::string> cells = {linked_line(p, line.place),
                                      tag("code", "", escaped(line.code)),
                                      line.instructions == 0 ? "-" : grouped(line.instructions),
                                      "-",
                                      "-",
                                      "-",
                                      "-",
                                      "-"};
    bool first = true;
    for (const access_row& row : access_rows(line.counts)) {
      if (!first) table.add(cells);
      if (!first) cells[1] = cells[2] = "";
      first = false;
      cells[3] = escaped(row.access);
      cells[4] = grouped(row.requests);
      cells[5] = number_or_dash(row.wavefronts);
      cells[6] = number_or_dash(row.conflicts);
      cells[7] = number_or_dash(row.sectors);
    }
    table.add(cells);
  }
  return tag("div", R"(class="lines")", table.markup()) + "\n";
}

std::string excerpts(const page& p) {
  std::string text;
  for (const code_excerpt& e : p.excerpts) {
    std::string code;
    for (const std::string& instruction : e.instructions) {
      code += tag("span", "", escaped(instruction));
    }
    if (e.left_out != 0) code += tag("span", "", fmt::format("... and {} more", e.left_out));
    const std::string label = fmt::format("Machine code of line {}, {}",
                                          line_name(*p.subject, e.place), to_string(e.type));
    text +=
        tag("p", "",
            fmt::format("Line {}, {}, by {}: {}.", linked_line(p, e.place), to_string(e.type),
                        escaped(machine_code_source()), escaped(e.explains))) +
        "\n" +
        scrolling(label, tag("pre", R"(class="diff")", tag("span", "", escaped(e.code)) + code)) +
        "\n";
  }
  return text;
}

}  // namespace

std::string lines_section(const page& p) {
  if (!p.subject->under_executor()) return "";
  return issued(p) + lines(p) + excerpts(p);
}

}  // namespace onefold::ladder
