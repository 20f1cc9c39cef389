// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a file has what CUDA's own guides print, and strict memory order calls a race: a plain read
// before a loop of atomicCAS, and a last block that reads through volatile without a second fence.

#include "ladder/try/source/kernels_in.hpp"

#include <utility>

namespace onefold::ladder::learner {

struct idioms {
  std::vector<unsigned> fences, tickets;  ///< lines of __threadfence, atomicInc, atomicAdd
  std::vector<std::pair<unsigned, unsigned>> cas_loops;  ///< lines, with the statements before it
  bool has_volatile = false;

  bool in_cas_loop(unsigned line) const;
  /// A fence and then an atomic between the two lines.
  bool has_ticket_between(unsigned write, unsigned read) const;
};

/// Without the other kernels of the file.
idioms idioms_in(std::string_view text, const std::vector<token>& tokens,
                 const std::vector<kernel_source>& kernels, const kernel_source& kernel);

}  // namespace onefold::ladder::learner
