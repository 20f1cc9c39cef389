// SPDX-License-Identifier: Apache-2.0
// Answers for people and for pipes.
#include <algorithm>

#include "report/report.hpp"

namespace onefold::program {
namespace {

constexpr const char* name_of_all = "total";

std::string value_text(const answer& given, bool hex) {
  return hex ? to_hex(given.value) : to_decimal(given.value);
}

// A line must stay a line, and a field a field.
std::string field(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\t')
      out += "\\t";
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else if (c == '\\')
      out += "\\\\";
    else
      out += c;
  }
  return out;
}

std::string label(const answer& given) {
  return given.input ? field(*given.input) : name_of_all;
}

std::string table(const report& done, bool hex) {
  std::size_t width = 0;
  for (const answer& each : done.answers) width = std::max(width, value_text(each, hex).size());
  std::string text;
  for (const answer& each : done.answers) {
    const std::string value = value_text(each, hex);
    text += std::string(width - value.size(), ' ') + value + "  " + label(each) + "\n";
  }
  return text;
}

}  // namespace

std::string write_tsv(const report& done, bool hex) {
  std::string text;
  for (const answer& each : done.answers) text += value_text(each, hex) + "\t" + label(each) + "\n";
  return text;
}

std::string write_plain(const report& done, bool hex, bool terminal) {
  if (done.answers.size() == 1) return value_text(done.answers[0], hex) + "\n";
  return terminal ? table(done, hex) : write_tsv(done, hex);
}

}  // namespace onefold::program
