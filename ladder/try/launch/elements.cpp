// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace onefold::ladder::learner {

bool same_elements(const parameter& a, const parameter& b) {
  if (is_struct(a) != is_struct(b)) return false;
  if (is_struct(a)) return std::string_view(a.struct_name) == b.struct_name;
  return a.type == b.type && a.lanes == b.lanes;
}

element_layout layout_of(const parameter& p) {
  if (is_struct(p)) return {p.bytes, {p.components, p.components + p.component_count}};
  element_layout layout{p.lanes * size_bytes(p.type), {}};
  for (unsigned i = 0; i < p.lanes; ++i) {
    layout.parts.push_back({p.type, i * size_bytes(p.type), "", ""});
  }
  return layout;
}

std::vector<std::byte> bytes_of(const element_layout& layout, const numbers& values) {
  const std::size_t elements = (values.size() + layout.width() - 1) / layout.width();
  std::vector<std::byte> bytes(elements * layout.bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    store(layout.type_of(i), bytes.data() + layout.offset_of(i), values[i]);
  }
  return bytes;
}

numbers numbers_at(const element_layout& layout, const std::byte* at, std::size_t count) {
  numbers found;
  found.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    found.push_back(load(layout.type_of(i), at + layout.offset_of(i)));
  }
  return found;
}

std::vector<bool> held_bytes(const parameter& p) {
  std::vector<bool> held(p.bytes, !is_struct(p));
  for (const component& part : layout_of(p).parts) {
    const auto first = held.begin() + static_cast<std::ptrdiff_t>(part.offset);
    if (is_struct(p)) std::fill_n(first, size_bytes(part.type), true);
  }
  return held;
}

std::string name_of(const component& part) {
  const std::string_view inner = part.part;
  const bool dotted = !inner.empty() && inner.front() != '[';
  return fmt::format("{}{}{}", part.field, dotted ? "." : "", inner);
}

std::string text_of(const element_layout& layout, const numbers& element) {
  if (layout.width() == 1 && *layout.parts[0].field == '\0') {
    return to_text(layout.parts[0].type, element[0]);
  }
  std::string text;
  for (std::size_t i = 0; i < layout.width(); ++i) {
    const std::string name = name_of(layout.parts[i]);
    text += fmt::format("{}{}{}{}", i == 0 ? "" : ", ", name, name.empty() ? "" : " ",
                        to_text(layout.parts[i].type, element[i]));
  }
  return "{" + text + "}";
}

}  // namespace onefold::ladder::learner
