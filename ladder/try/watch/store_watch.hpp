// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which operator is at work on a line: every value that a line stores is compared with what each
// operator makes of the values that the same lane loaded before.
//
// A callback comes before its access. So a load's value is read when it is told, and a store's
// when the executor tells anything else: in the forward schedule no other lane has run since.
// What a lane keeps in registers is unknown; four guesses of the operands cover the textbooks:
//   the last two values it loaded;            s[t] += s[t + k]
//   its last store and the last load;         s[t] = mine = mine + s[t + k]
//   all it loaded since its last store;       while (i < n) mine += in[i]
//   its last store and all since then.
// A line is one of an operator if some guess is right for every store that the line made.

#include "ladder/try/answer/number.hpp"
#include "simt/observer.hpp"

#include <array>
#include <map>
#include <optional>
#include <vector>

namespace onefold::ladder::learner {

/// What a line does to its operands.
enum class deed : unsigned char { sum, product, maximum, minimum, difference, copy };
inline constexpr std::size_t deeds = 6;

/// "the difference of", ...
const char* to_string(deed d);
deed deed_of(reduction op);

class store_watch : public simt::observer {
 public:
  /// What is known of the stores of one instruction.
  struct line {
    std::array<bool, deeds> explained{};  ///< deeds that explain every store
    bool shared_to_shared = true;
    std::optional<number> from_nothing;  ///< stored first by a lane that had loaded nothing
    std::optional<number> foreign;       ///< stored first although the lane had not loaded it
    bool is(deed d) const { return explained[static_cast<std::size_t>(d)]; }
  };

  explicit store_watch(scalar element) : element_(element) {}

  void launch_begins(const simt::launch_view& launch) override;
  void block_begins(unsigned block) override;
  void access(const simt::memory_access& access) override;
  void lane_ends(const simt::lane_position&) override { settle(); }
  void barrier(const simt::barrier_view&) override { settle(); }
  void block_ends(unsigned) override { settle(); }

  /// By the return address of the instruction's callback.
  std::map<std::uintptr_t, line> lines() const;

 private:
  static constexpr std::size_t guesses = 4;

  struct tally {
    std::uint64_t stores = 0, right = 0;
  };
  struct site_record {
    std::array<std::array<tally, guesses>, deeds> tallies;
    bool shared_to_shared = true;
    std::optional<number> from_nothing, foreign;
  };
  struct lane_record {
    std::vector<number> loads;  ///< since the last store
    std::optional<number> stored;
    bool shared_loads = true;
  };
  struct pending_store {
    const void* address;
    std::uintptr_t pc;
    std::uint16_t thread;
    bool shared;
  };

  void settle();
  void note(site_record& site, const lane_record& lane, number value);

  scalar element_;
  std::vector<lane_record> lanes_;
  std::map<std::uintptr_t, site_record> by_pc_;
  std::optional<pending_store> pending_;
  const simt::site_table* sites_ = nullptr;
  const simt::memory_map* map_ = nullptr;
};

}  // namespace onefold::ladder::learner
