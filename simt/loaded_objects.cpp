// SPDX-License-Identifier: Apache-2.0
#include "simt/loaded_objects.hpp"

#include <link.h>

#include <algorithm>
#include <string_view>

namespace onefold::simt {
namespace {

// A kernel cannot be compiled without it.
constexpr std::string_view callback = "__sanitizer_cov_trace_pc";

const ElfW(Dyn) * dynamic_section(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& header = object.dlpi_phdr[i];
    if (header.p_type != PT_DYNAMIC) continue;
    return reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + header.p_vaddr);
  }
  return nullptr;
}

/// The names of the symbols that an object shares with others; the loader has made its address
/// absolute, except in the kernel's own vdso.
std::string_view dynamic_names(const dl_phdr_info& object) {
  std::uintptr_t begin = 0;
  std::size_t size_bytes = 0;
  for (const auto* entry = dynamic_section(object); entry != nullptr && entry->d_tag != DT_NULL;
       ++entry) {
    if (entry->d_tag == DT_STRTAB) begin = entry->d_un.d_ptr;
    if (entry->d_tag == DT_STRSZ) size_bytes = entry->d_un.d_val;
  }
  if (begin < object.dlpi_addr) return {};
  return {reinterpret_cast<const char*>(begin), size_bytes};
}

int add_segments(dl_phdr_info* object, std::size_t, void* data) {
  auto& list = *static_cast<std::vector<segment>*>(data);
  const bool is_program = list.empty();  // it comes first, its libraries after it
  const bool may_hold_kernels =
      is_program || dynamic_names(*object).find(callback) != std::string_view::npos;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    list.push_back({object->dlpi_addr + header.p_vaddr, header.p_memsz,
                    (header.p_flags & PF_W) != 0, may_hold_kernels});
  }
  return 0;
}

int read_version(dl_phdr_info* object, std::size_t, void* data) {
  *static_cast<std::uint64_t*>(data) = object->dlpi_adds + object->dlpi_subs;
  return 1;  // the first object says it for all
}

std::vector<segment> segments;

}  // namespace

std::uint64_t loaded_version() {
  std::uint64_t version = 0;
  dl_iterate_phdr(read_version, &version);
  return version;
}

const std::vector<segment>& loaded_segments() {
  if (segments.empty()) refresh_loaded_segments();
  return segments;
}

std::uint64_t refresh_loaded_segments() {
  static std::uint64_t version = 0;
  if (const std::uint64_t now = loaded_version(); version != now) {
    version = now;
    segments.clear();
    dl_iterate_phdr(add_segments, &segments);
  }
  return version;
}

}  // namespace onefold::simt
