// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace onefold::ladder {
namespace {

constexpr std::size_t context_lines = 2;

struct edit {
  char kind;  ///< ' ', '-' or '+'
  std::string_view line;
};

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

std::string without_comment(const std::string& line) {
  const std::size_t comment = line.find("//");
  std::string code = line.substr(0, comment);
  code.erase(code.find_last_not_of(" \t") + 1);
  return code;
}

bool is_frame(std::string_view code) {
  return code.starts_with("#") || code.starts_with("namespace") ||
         code.starts_with("}  // namespace");
}

/// The word after "__global__ void", by which the first kernel of the file is called.
std::string kernel_name(const std::vector<std::string>& code) {
  constexpr std::string_view head = "__global__ void ";
  for (const std::string& line : code) {
    const std::size_t at = line.find(head);
    if (at == std::string::npos) continue;
    const std::string rest = line.substr(at + head.size());
    return rest.substr(0, rest.find('('));
  }
  return "";
}

void rename_kernel(std::vector<std::string>& code, const std::string& name) {
  const std::string old = kernel_name(code);
  if (old.empty() || name.empty()) return;
  for (std::string& line : code) {
    const std::size_t at = line.find(old + "(");
    if (at != std::string::npos) line.replace(at, old.size(), name);
  }
}

/// The longest common subsequence's way from the ends of both texts.
std::vector<edit> edits(const std::vector<std::string>& before,
                        const std::vector<std::string>& after) {
  const std::size_t columns = after.size() + 1;
  std::vector<unsigned> common((before.size() + 1) * columns);
  for (std::size_t i = before.size(); i-- > 0;) {
    for (std::size_t j = after.size(); j-- > 0;) {
      const unsigned skip = std::max(common[(i + 1) * columns + j], common[i * columns + j + 1]);
      common[i * columns + j] =
          before[i] == after[j] ? common[(i + 1) * columns + j + 1] + 1 : skip;
    }
  }
  std::vector<edit> script;
  for (std::size_t i = 0, j = 0; i < before.size() || j < after.size();) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      script.push_back({' ', before[i++]});
      ++j;
    } else if (j == after.size() || (i < before.size() && common[(i + 1) * columns + j] >=
                                                              common[i * columns + j + 1])) {
      script.push_back({'-', before[i++]});
    } else {
      script.push_back({'+', after[j++]});
    }
  }
  return script;
}

std::size_t lines_of(const std::vector<edit>& script, std::size_t begin, std::size_t end,
                     char other) {
  return static_cast<std::size_t>(
      std::count_if(script.begin() + static_cast<std::ptrdiff_t>(begin),
                    script.begin() + static_cast<std::ptrdiff_t>(end),
                    [other](const edit& e) { return e.kind == ' ' || e.kind == other; }));
}

std::string hunk(const std::vector<edit>& script, std::size_t begin, std::size_t end) {
  std::string text =
      fmt::format("@@ -{},{} +{},{} @@\n", lines_of(script, 0, begin, '-') + 1,
                  lines_of(script, begin, end, '-'), lines_of(script, 0, begin, '+') + 1,
                  lines_of(script, begin, end, '+'));
  for (std::size_t i = begin; i < end; ++i) {
    text += script[i].kind;
    text += std::string(script[i].line) + "\n";
  }
  return text;
}

}  // namespace

std::vector<std::string> code_lines(std::string_view file) {
  std::istringstream lines{std::string(file)};
  std::vector<std::string> code;
  for (std::string line; std::getline(lines, line);) {
    const bool comment = !is_blank(line) && is_blank(without_comment(line));
    const bool twice_blank = is_blank(line) && (code.empty() || is_blank(code.back()));
    if (comment || twice_blank || is_frame(line)) continue;
    code.push_back(without_comment(line));
  }
  while (!code.empty() && is_blank(code.back())) code.pop_back();
  return code;
}

std::string unified_diff(std::string_view before, std::string_view after) {
  std::vector<std::string> old_code = code_lines(before);
  const std::vector<std::string> new_code = code_lines(after);
  rename_kernel(old_code, kernel_name(new_code));
  const std::vector<edit> script = edits(old_code, new_code);

  std::string text;
  const auto changed = [&](std::size_t i) { return script[i].kind != ' '; };
  for (std::size_t i = 0; i < script.size();) {
    if (!changed(i)) {
      ++i;
      continue;
    }
    const std::size_t begin = i - std::min(i, context_lines);
    std::size_t last = i;
    for (; i < script.size() && i <= last + 2 * context_lines; ++i) {
      if (changed(i)) last = i;
    }
    i = std::min(script.size(), last + 1 + context_lines);
    text += hunk(script, begin, i);
  }
  return text;
}

}  // namespace onefold::ladder
