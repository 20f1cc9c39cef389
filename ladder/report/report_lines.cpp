// SPDX-License-Identifier: Apache-2.0
#include "ladder/report/report_lines.hpp"

#include "ladder/page/counters.hpp"
#include "ladder/page/lines.hpp"
#include "ladder/report/html.hpp"
#include "ladder/rung/hardware.hpp"
#include "ladder/rung/machine_code.hpp"

#include <fmt/format.h>

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

std::string issued(const page& p) {
  html_table table("What warps execute, whole grid",
                   {{"of warps"}, {"executor", true}, {recorded().machine, true}});
  for (const issue_line& line : issue_lines(p.mine.blocks, p.recorded)) {
    table.add({escaped(line.name), escaped(line.executor), escaped(line.hardware)});
  }
  return table.markup();
}

std::string lines(const page& p) {
  html_table table(
      fmt::format("Counters by line, whole grid; instructions: those that {} made of the line",
                  machine_code_source()),
      {{"line"},
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
  return table.markup();
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
