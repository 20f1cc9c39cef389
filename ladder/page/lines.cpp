// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/lines.hpp"

#include "ladder/page/kernel_text.hpp"
#include "ladder/rung/machine_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace onefold::ladder {
namespace {

/// Without the blanks around it; empty where the text is not compiled in.
std::string code_at(const simt::location& place) {
  std::istringstream lines{std::string(kernel_text(place.file))};
  std::string line;
  for (unsigned number = 0; number < place.line; ++number) {
    if (!std::getline(lines, line)) return "";
  }
  line.erase(0, line.find_first_not_of(" \t"));
  return line;
}

simt::location today(const std::string& file, unsigned line, const std::string& code) {
  return {file, line_today(kernel_text(file), line, code)};
}

}  // namespace

std::map<simt::location, simt::counts> line_recorder::by_line() const {
  std::map<simt::location, simt::counts> lines;
  for (const auto& [pc, counter] : by_pc_) lines[simt::locate(pc)] += counter.total();
  return lines;
}

std::vector<source_line> source_lines(const rung& r, element type, const line_recorder& recorder) {
  std::map<simt::location, source_line> lines;
  for (const auto& [place, counts] : recorder.by_line()) lines[place].counts = counts;
  if (const machine_kernel* compiled = machine_code_of(r.name, type); compiled != nullptr) {
    for (const machine_line& line : compiled->lines) {
      const simt::location place = today(line.file, line.line, line.code);
      if (place.line != 0) lines[place].instructions += line.instructions;
    }
  }
  std::vector<source_line> sorted;
  for (auto& [place, line] : lines) {
    line.place = place;
    line.code = code_at(place);
    sorted.push_back(std::move(line));
  }
  std::stable_partition(sorted.begin(), sorted.end(),
                        [&r](const source_line& line) { return line.place.file == r.file; });
  return sorted;
}

std::vector<code_excerpt> code_excerpts(const rung& r) {
  std::vector<code_excerpt> shown;
  for (const machine_kernel& kernel : machine_kernels()) {
    if (kernel.rung != r.name) continue;
    for (const machine_excerpt& e : kernel.excerpts) {
      const simt::location place = today(e.file, e.line, e.code);
      if (place.line == 0) continue;
      shown.push_back({kernel.type, place, e.code, e.explains, e.instructions, e.left_out});
    }
  }
  return shown;
}

std::vector<access_row> access_rows(const simt::counts& c) {
  std::vector<access_row> rows;
  const auto shared = [&rows](std::string_view access, const simt::shared_counts& s) {
    if (s.requests != 0) rows.push_back({access, s.requests, s.wavefronts, s.conflicts, {}});
  };
  const auto global = [&rows](std::string_view access, const simt::global_counts& g) {
    if (g.requests != 0) rows.push_back({access, g.requests, {}, {}, g.sectors});
  };
  global("global load", c.global_load);
  global("global store", c.global_store);
  global("global atomic", c.global_atomic);
  shared("shared load", c.shared_load);
  shared("shared store", c.shared_store);
  shared("shared atomic", c.shared_atomic);
  return rows;
}

std::string line_name(const rung& r, const simt::location& place) {
  if (place.line == 0) return "unknown";  // what a compiler gives to no line
  if (place.file == r.file) return fmt::format("{}", place.line);
  return fmt::format("{}:{}", place.file.substr(place.file.rfind('/') + 1), place.line);
}

}  // namespace onefold::ladder
