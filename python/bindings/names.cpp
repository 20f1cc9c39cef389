// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace onefold::python {
namespace {

constexpr const char* numpy_names[] = {"bool",     "int8",    "int16",  "int32",  "int64",
                                       "uint8",    "uint16",  "uint32", "uint64", "float16",
                                       "bfloat16", "float32", "float64"};
static_assert(std::size(numpy_names) == std::size(all_dtypes));

using words = std::pair<std::string_view, std::string_view>;

// Remedies that Python does not have, and those that it has instead.
constexpr words phrases[] = {
    {" (executor::cpu, --device cpu)", ""},
    {" (--empty-value)", ""},
    {" (std::bit_cast)", ", x.view('int64')"},
    {"take value() or to_string()", "take value() or decimal()"},
    {"nan=error", "nan='error'"},
    {"nan=omit", "nan='omit'"},
    {"to_additive() in that band", "State.words(band)"},
};

constexpr words names[] = {
    {"accuracy::fast", "accuracy='fast'"}, {"options::axes", "axis"},
    {"options::nan_policy", "nan"},        {"rounding_options::correction", "correction"},
    {"to_additive", "State.words"},        {"to_additive()", "State.words()"},
    {"from_additive", "State.from_words"}, {"additive_band()", "State.band"},
};
constexpr std::string_view prefix = "options::";

bool belongs_to_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The end of the name at `begin`: letters, digits, "::" within, "()" at its end.
std::size_t end_of_name(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  for (;;) {
    while (end < text.size() && belongs_to_a_name(text[end])) ++end;
    if (text.substr(end, 2) != "::") break;
    end += 2;
  }
  return text.substr(end, 2) == "()" ? end + 2 : end;
}

std::string_view python_name(std::string_view name) {
  for (const auto& [ours, python] : names)
    if (name == ours) return python;
  for (const dtype type : all_dtypes)
    if (name == onefold::name(type)) return numpy_name(type);
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  return name;
}

}  // namespace

const char* numpy_name(dtype type) noexcept {
  return numpy_names[std::size_t(type)];
}

std::string in_python_words(std::string_view message) {
  std::string text(message);
  for (const auto& [ours, python] : phrases)
    for (auto at = text.find(ours); at != text.npos; at = text.find(ours, at + python.size()))
      text.replace(at, ours.size(), python);
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_name(text, at);
    if (end > at)
      result += python_name(std::string_view(text).substr(at, end - at));
    else
      result += text[at];
    at = std::max(end, at + 1);
  }
  return result;
}

}  // namespace onefold::python
