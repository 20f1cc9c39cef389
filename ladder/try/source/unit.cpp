// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/source/unit.hpp"

#include "ladder/try/launch/entry.hpp"

#include <fmt/format.h>

namespace onefold::ladder::learner {
namespace {

std::string quoted(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? '?' : c;
  }
  return '"' + text + '"';
}

}  // namespace

std::string unit_text(const std::string& file, const std::string& text,
                      const std::string& instance) {
  // The last line belongs to the learner's file: a brace that is missing is missing there.
  return fmt::format("#include \"ladder/try/device/prelude.hpp\"\n"
                     "#include \"ladder/try/device/entry_of.hpp\"\n"
                     "#line 1 {}\n{}\n"
                     "extern \"C\" __attribute__((visibility(\"default\"))) const "
                     "::onefold::ladder::learner::entry {} = "
                     "::onefold::ladder::learner::kernel_of<&::{}>::made();\n",
                     quoted(file), text, entry_symbol, instance);
}

}  // namespace onefold::ladder::learner
