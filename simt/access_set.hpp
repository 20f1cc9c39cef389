// SPDX-License-Identifier: Apache-2.0
#pragma once
// All reads of a word, or all atomics on it, that something may still race with, exactly.
//
// Lanes of one warp that read at one clock share an entry. Entries of earlier epochs of the
// running block come before whatever happens now and are forgotten. Of entries of finished blocks
// stay the ways that lead behind them, and of these only what no other stands for: for a word that
// every block of a large grid touches, most often one.

#include "simt/order.hpp"

#include <vector>

namespace onefold::simt {

class access_set {
 public:
  struct entry {
    static constexpr std::uint32_t no_index = ~std::uint32_t{0};

    epoch when;
    std::uint16_t warp;
    site_id site;
    lane_clock clock;
    std::uint32_t lanes;
    std::uint32_t index = no_index;  ///< of an atomic in the word's log
  };

  /// Of atomics with a log, of reads without.
  void clear(std::uint32_t log = releases::no_log);
  std::uint32_t log() const { return log_; }
  /// `who` is the lane that makes the access.
  void add(const entry& e, const lane_position& who, const happens_before& order);
  /// Accesses by finished blocks that nothing will ever come after.
  void add_unreleased(site_id site) { add_finished({site, {}}); }

  struct rival {
    site_id site;
    bool in_other_block;
  };

  /// Appends the accesses that do not come before what the lane does now.
  void unordered(const lane_position& who, const happens_before& order, std::vector<rival>& rivals);

 private:
  struct finished {
    site_id site;
    std::vector<way> ways;  ///< one of which leads behind the access
    bool stands_for(const finished& other) const;
  };

  bool comes_before(const entry& e, const lane_position& who, const happens_before& order) const;
  void leave_block(const happens_before& order);
  void settle(const entry& e, const happens_before& order);
  void add_finished(finished f);
  void tidy(const lane_position& who, const happens_before& order);

  std::uint32_t log_ = releases::no_log;
  std::vector<entry> entries_;  ///< of one epoch
  std::size_t tidy_above_ = 0;  ///< entries
  std::vector<finished> finished_;
};

}  // namespace onefold::simt
