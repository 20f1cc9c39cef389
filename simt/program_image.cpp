// SPDX-License-Identifier: Apache-2.0
#include "simt/program_image.hpp"

#include "simt/loaded_objects.hpp"
#include "simt/symbols.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace onefold::simt {
namespace {

template <class Predicate>
bool in_segment(std::uintptr_t address, Predicate&& wanted) {
  const auto& list = loaded_segments();
  return std::any_of(list.begin(), list.end(),
                     [&](const segment& s) { return wanted(s) && s.holds(address); });
}

/// "f(int*)::tile[abi:tag]" -> "tile".
std::string last_part(const std::string& mangled, const std::string& tag) {
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr), std::free);
  std::string name = text == nullptr ? mangled : text.get();
  name = name.substr(0, name.rfind("[abi:" + tag));
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

std::vector<memory_object> find_tagged(const segment& s, const std::string& tag,
                                       std::size_t alignment_bytes) {
  std::vector<memory_object> objects;
  const std::string mangled_tag = "B" + std::to_string(tag.size()) + tag;
  const std::uintptr_t first = (s.begin + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  for (std::uintptr_t at = first; at < s.begin + s.size_bytes; at += alignment_bytes) {
    const symbol found = symbol_at(at);
    if (found.address != at || found.name.find(mangled_tag) == std::string::npos) continue;
    objects.push_back({at, found.size_bytes, last_part(found.name, tag)});
  }
  return objects;
}

}  // namespace

bool is_program_constant(std::uintptr_t address) {
  return in_segment(address, [](const segment& s) { return !s.writable; });
}

bool is_program_data(std::uintptr_t address) {
  return in_segment(address, [](const segment& s) { return s.writable && s.may_hold_kernels; });
}

std::vector<memory_object> tagged_objects(const std::string& tag, std::size_t alignment_bytes) {
  std::vector<memory_object> objects;
  for (const segment& s : loaded_segments()) {
    if (!s.writable || !s.may_hold_kernels) continue;
    const auto more = find_tagged(s, tag, alignment_bytes);
    objects.insert(objects.end(), more.begin(), more.end());
  }
  return objects;
}

}  // namespace onefold::simt
