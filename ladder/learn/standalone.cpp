// SPDX-License-Identifier: Apache-2.0
#include "ladder/learn/standalone.hpp"

#include "ladder/page/kernel_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

namespace onefold::ladder {
namespace {

constexpr std::string_view licence = "// SPDX-License-Identifier: Apache-2.0";
/// What CUDA is to a CPU's compiler: `try` has it, and nvcc never looks for it.
constexpr std::string_view language = "simt/simt.hpp";

/// The name in `#include "name"`.
std::optional<std::string> included(const std::string& line) {
  const std::string_view directive = "#include \"";
  if (!line.starts_with(directive)) return {};
  return line.substr(directive.size(), line.rfind('"') - directive.size());
}

class one_text {
 public:
  explicit one_text(const rung& r) : rung_(r) {}

  std::string made() {
    add(std::string(rung_.file));
    const std::string_view before = "__global__ void ";
    const std::size_t name = text_.rfind(before) + before.size();
    return fmt::format(
        "{}\n// {} in one file. nvcc compiles it, and `onefold ladder try FILE --kernel "
        "{}` runs it.\n//\n{}",
        licence, rung_.name, text_.substr(name, text_.find('(', name) - name), text_);
  }

 private:
  void add(const std::string& file) {
    if (!seen_.insert(file).second) return;
    const std::string_view text = kernel_text(file);
    if (text.empty()) {
      throw std::invalid_argument(fmt::format(
          "{} includes {}, which is no file of a learner's: it cannot stand alone. Read "
          "{} in the source tree",
          rung_.name, file, rung_.file));
    }
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
      const auto name = included(line);
      if (line == licence || line == "#pragma once") continue;
      if (!name || *name == language) {
        text_ += line + "\n";
      } else {
        add(*name);
      }
    }
  }

  const rung& rung_;
  std::set<std::string> seen_;
  std::string text_;
};

}  // namespace

std::string standalone(const rung& r) {
  return one_text(r).made();
}

}  // namespace onefold::ladder
