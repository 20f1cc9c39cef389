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
  if (s.fields.empty()) return "";
  std::string wanted, pointers, names;
  for (const struct_field& field : s.fields) {
    wanted += fmt::format(" &S::{};", field.name);
    pointers += fmt::format("{}&S::{}", pointers.empty() ? "" : ", ", field.name);
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", field.name);
  }
  return fmt::format(
      " template <{}> struct onefold::ladder::learner::fields_of<::{}{}> {{ static constexpr const "
      "char* name = \"{}\"; static constexpr const char* names[] = {{{}}}; template <class S> "
      "static constexpr auto list() {{ if constexpr (requires {{{} }}) return std::make_tuple({}); "
      "else return std::tuple<>(); }} }};",
      s.template_head, s.name, s.template_arguments, s.name, names, wanted, pointers);
}

}  // namespace

std::string unit_text(const std::string& file, const std::string& text, const std::string& instance,
                      const std::vector<struct_source>& structs) {
  std::string fields, list;
  for (const struct_source& s : structs) {
    fields += fields_text(s);
    if (s.template_head.empty()) {
      list += fmt::format("::onefold::ladder::learner::target_of<::{}>("
                          "::onefold::ladder::learner::passed::pointer), ",
                          s.name);
    }
  }
  // The last line belongs to the learner's file: a brace that is missing is missing there.
  return fmt::format("#include \"ladder/try/device/prelude.hpp\"\n"
                     "#include \"ladder/try/device/entry_of.hpp\"\n"
                     "#line 1 {}\n{}\n{}"
                     " extern \"C\" __attribute__((visibility(\"default\"))) const "
                     "::onefold::ladder::learner::parameter {}[] = {{{}{{}}}};"
                     " extern \"C\" __attribute__((visibility(\"default\"))) const "
                     "::onefold::ladder::learner::entry {} = "
                     "::onefold::ladder::learner::kernel_of<&::{}>::made();\n",
                     quoted(file), text, fields, structs_symbol, list, entry_symbol, instance);
}

}  // namespace onefold::ladder::learner
