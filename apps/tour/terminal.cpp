// SPDX-License-Identifier: Apache-2.0
// Terminal output and shell commands of the tour.
#include "apps/tour/terminal.hpp"

#include <charconv>
#include <cstdio>

namespace onefold::tour {
namespace {

template <class T>
std::string to_text(T value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

}  // namespace

void print_act(std::string_view title) {
  std::printf("\n%.*s\n%s\n", int(title.size()), title.data(),
              std::string(title.size(), '-').c_str());
}

std::string shortest(double value) {
  return to_text(value);
}
std::string shortest(float value) {
  return to_text(value);
}

std::string hex(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

command_output run(const std::string& command) {
  std::string text;
  std::fflush(stdout);
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {false, "cannot run " + command};
  char block[4096];
  for (std::size_t n = 0; (n = std::fread(block, 1, sizeof block, pipe)) > 0;)
    text.append(block, n);
  const bool ok = pclose(pipe) == 0;
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return {ok, text};
}

std::string quoted(const std::string& path) {
  std::string word = "'";
  for (const char c : path) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace onefold::tour
