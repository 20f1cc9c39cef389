// SPDX-License-Identifier: Apache-2.0
#pragma once
// Instruction addresses as small dense numbers.
//
// Every callback looks its caller up, so the table is open-addressed, never deletes, and is found
// in one probe almost always: a kernel has tens of sites, the table thousands of places.

#include "simt/pages.hpp"

#include <stdexcept>
#include <vector>

namespace onefold::simt {

using site_id = std::uint16_t;

/// Stands for "no instruction": before a lane's first block, and where a lane has ended.
inline constexpr site_id no_site = 0;

class site_table {
 public:
  site_table() : places_(capacity) {}

  site_id id_of(std::uintptr_t pc) {
    std::size_t at = hash(pc);
    while (places_[at].pc != pc) {
      if (places_[at].pc == 0) return insert(at, pc);
      at = (at + 1) % capacity;
    }
    return places_[at].id;
  }

  /// The return address of the callback; the instruction itself lies just before it.
  std::uintptr_t pc_of(site_id id) const { return pcs_[id]; }

 private:
  struct place {
    std::uintptr_t pc;
    site_id id;
  };

  static constexpr unsigned capacity_bits = 14;
  static constexpr std::size_t capacity = std::size_t{1} << capacity_bits;

  // Fibonacci hashing: 2^64 / golden ratio spreads neighbouring addresses over the high bits.
  static std::size_t hash(std::uintptr_t pc) {
    return (pc * 0x9E3779B97F4A7C15u) >> (64 - capacity_bits);
  }

  site_id insert(std::size_t at, std::uintptr_t pc) {
    if (pcs_.size() > capacity / 2) throw std::length_error("kernels: more than 8192 sites");
    places_[at] = {pc, static_cast<site_id>(pcs_.size())};
    pcs_.push_back(pc);
    return places_[at].id;
  }

  shadow<place> places_;
  std::vector<std::uintptr_t> pcs_{0};
};

}  // namespace onefold::simt
