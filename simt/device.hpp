// SPDX-License-Identifier: Apache-2.0
#pragma once
// The executor with all its observers: what a test or a program creates.

#include "simt/branches.hpp"
#include "simt/counts.hpp"
#include "simt/executor.hpp"
#include "simt/memory_checks.hpp"
#include "simt/races.hpp"

namespace onefold::simt {

class device : public executor {
 public:
  device() {
    requests_.tell(counter_);
    for (observer* o : {static_cast<observer*>(&requests_), static_cast<observer*>(&counter_),
                        static_cast<observer*>(&branches_), static_cast<observer*>(&bounds_),
                        static_cast<observer*>(&races_), static_cast<observer*>(&initialised_)}) {
      attach(*o);
    }
    follow(branches_);
  }

  /// The numbers of the last launch.
  simt::counts counts() const {
    simt::counts total = counter_.total();
    total.divergent_branches = branches_.divergent();
    return total;
  }

  /// The basic blocks of the last launch: another number for another compiler.
  const block_counts& blocks() const { return branches_.blocks(); }

  /// Padding of a struct is where it holds nothing.
  void know_struct(std::vector<bool> holds) { initialised_.know_struct(std::move(holds)); }

  void tell(request_listener& listener) { requests_.tell(listener); }

 private:
  request_grouping requests_;
  request_counter counter_;
  branch_counter branches_;
  bounds_check bounds_;
  race_check races_;
  initialisation_check initialised_;
};

}  // namespace onefold::simt
