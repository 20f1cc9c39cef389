// SPDX-License-Identifier: Apache-2.0
#include "ladder/learn/screens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace onefold::ladder {
namespace {

std::string shown(const std::filesystem::path& file) {
  return file.lexically_normal().string();
}

std::string line_of(const std::filesystem::path& file, unsigned number) {
  std::ifstream stream(file);
  std::string line;
  for (unsigned i = 0; i < number; ++i) std::getline(stream, line);
  return line;
}

/// "  Task   text", with the text's further lines below its first.
std::string field(std::string_view name, std::string_view text) {
  constexpr std::size_t indent = 10;
  const std::string lines = wrapped(text, indent);
  return fmt::format("  {:<8}{}", name, lines.substr(indent));
}

std::string place(const course& c, const lesson& l) {
  const std::string file = shown(c.file_of(l));
  if (!c.has_file(l)) return field("File", file + ", which is not there");
  const unsigned line = marked_line(c, l);
  if (line == 0) return field("File", file);
  return field("File", fmt::format("{}, line {}:", file, line)) +
         fmt::format("  {:>4} | {}\n", line, line_of(c.file_of(l), line));
}

std::string state_of(const exercise_progress& p) {
  if (p.done) return "done";
  if (p.checks == 0) return "";
  return fmt::format("{} ({} check{})", p.verdict, p.checks, p.checks == 1 ? "" : "s");
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  std::istringstream words{std::string(text)};
  const std::string margin(indent, ' ');
  std::string lines, line = margin;
  for (std::string word; words >> word;) {
    const bool first = line.size() == indent;
    if (!first && line.size() + 1 + word.size() > columns) {
      lines += line + "\n";
      line = margin;
    }
    if (line.size() != indent) line += ' ';
    line += word;
  }
  return lines + line + "\n";
}

std::string next_text(const std::vector<next_command>& commands) {
  std::size_t width = 0;
  for (const next_command& c : commands) width = std::max(width, c.command.size());
  std::string text = "\nNext:\n";
  for (const next_command& c : commands) {
    text += fmt::format("  {:<{}}  # {}\n", c.command, width, c.purpose);
  }
  return text;
}

std::string exercise_screen(const course& c, const lesson& l) {
  std::string text = fmt::format("Exercise {} of {}: {}{}\n\n", l.number, lessons().size(), l.title,
                                 c.progress(l).done ? " (done)" : "");
  text += wrapped(l.question, 2) + "\n" + field("Task", l.task) + place(c, l);
  const std::string goal(l.goal.says);
  return text + field("Goal", goal.empty() ? "right in every order of the lanes, at every length"
                                           : "right, and " + goal);
}

std::string check_screen(const course& c, const lesson& l, const check_result& result) {
  const try_report& report = result.report;
  std::string text = text_of(report) + "\n";
  if (result.done()) {
    text += wrapped(fmt::format("Exercise {} is done. {}", l.number, l.learnt));
    return text;
  }
  if (report.clean()) {
    text += wrapped(fmt::format("Right, but not yet at the goal: {}. You have {}.", l.goal.says,
                                report.counts ? l.goal.counted(*report.counts) : "no counts"));
  } else if (result.as_given) {
    text += wrapped(fmt::format("The file is as it was given. Change line {} of {}.",
                                marked_line(c, l), shown(c.file_of(l))));
  } else {
    text += wrapped(fmt::format("Not right yet: {}. Change {} and check again.", report.verdict(),
                                shown(c.file_of(l))));
  }
  return text;
}

std::string hint_screen(const hint_branch& branch, unsigned last) {
  std::string text = branch.symptom.empty() ? std::string("Hints\n")
                                            : fmt::format("Hints for '{}'\n", branch.symptom);
  for (unsigned i = 1; i <= last; ++i) {
    const std::string lines = wrapped(branch.steps[i - 1], 5);
    text += fmt::format("\n {:>2}. {}", i, lines.substr(5));
  }
  const std::size_t more = branch.steps.size() - last;
  return text + (more == 0 ? "\nThat was the last one.\n" : fmt::format("\n{} more.\n", more));
}

std::string list_screen(const course& c) {
  std::string text;
  for (const lesson& l : lessons()) {
    const bool here = l.number == c.current().number;
    const std::string line = fmt::format("{} {}  {:<24}{:<20}{}", here ? "->" : "  ", l.number,
                                         l.title, l.file, state_of(c.progress(l)));
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace onefold::ladder
