// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which instructions store to words that other lanes store to, and always the value that is there:
// whichever lane comes last, the word is the same.

#include "simt/observer.hpp"

#include <cstring>
#include <map>
#include <optional>
#include <set>

namespace onefold::ladder::learner {

/// Where the bytes of an access are on this machine; null where nothing is known of them.
const void* address_of(const simt::memory_map& map, const simt::memory_access& access);

class equal_stores : public simt::observer {
 public:
  void launch_begins(const simt::launch_view& launch) override;
  void access(const simt::memory_access& access) override;
  void lane_ends(const simt::lane_position&) override { settle(); }
  void barrier(const simt::barrier_view&) override;
  void block_begins(unsigned) override;

  /// The return addresses of instructions all of whose stores were equal ones.
  std::set<std::uintptr_t> places() const;

 private:
  using word = std::pair<simt::space, std::size_t>;
  struct store {
    std::uint64_t value = 0;
    std::uintptr_t pc = 0;
    bool operator==(const store&) const = default;
  };
  struct pending_store {
    word to;
    const void* at;
    std::size_t bytes;
    std::uintptr_t pc;
  };

  void settle();
  void forget_shared();

  std::map<word, store> last_;
  std::set<std::uintptr_t> all_, unequal_;
  std::optional<pending_store> pending_;
  const simt::site_table* sites_ = nullptr;
  const simt::memory_map* map_ = nullptr;
};

}  // namespace onefold::ladder::learner
