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

/// Names of fields that the compiler does not find make no list.
std::string fields_text(const struct_source& s) {
  std::string wanted, pointers;
  for (const std::string& field : s.fields) {
    wanted += fmt::format(" &S::{};", field);
    pointers += fmt::format("{}&S::{}", pointers.empty() ? "" : ", ", field);
  }
  if (pointers.empty()) return "";
  return fmt::format(
      " template <> struct onefold::ladder::learner::fields_of<::{}> {{ template <class S> static "
      "constexpr auto list() {{ if constexpr (requires {{{} }}) return std::make_tuple({}); else "
      "return std::tuple<>(); }} }};",
      s.name, wanted, pointers);
}

}  // namespace

std::string unit_text(const std::string& file, const std::string& text, const std::string& instance,
                      const std::vector<struct_source>& structs) {
  std::string fields;
  for (const struct_source& s : structs) fields += fields_text(s);
  // The last line belongs to the learner's file: a brace that is missing is missing there.
  return fmt::format("#include \"ladder/try/device/prelude.hpp\"\n"
                     "#include \"ladder/try/device/entry_of.hpp\"\n"
                     "#line 1 {}\n{}\n{}"
                     " extern \"C\" __attribute__((visibility(\"default\"))) const "
                     "::onefold::ladder::learner::entry {} = "
                     "::onefold::ladder::learner::kernel_of<&::{}>::made();\n",
                     quoted(file), text, fields, entry_symbol, instance);
}

}  // namespace onefold::ladder::learner
