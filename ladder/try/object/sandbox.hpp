// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs this program on a stranger's file, apart from the machine: no network, no other process, no
// file but the system's (read only), the program and the file, a /tmp of its own, an empty
// environment. By bubblewrap where it is installed, else by unshare of util-linux.

#include "ladder/try/object/child.hpp"

#include <optional>

namespace onefold::ladder::learner {

enum class sandbox_kind : unsigned char {
  bubblewrap,
  namespaces,  ///< unshare and mount, as the user that it maps to root, then without rights
  none,        ///< --trust: the program runs as any other
};

const char* to_string(sandbox_kind kind);

/// The first that works on this machine; nothing where none does.
std::optional<sandbox_kind> find_sandbox();

/// Runs `PROGRAM words... FILE` for up to clock_s, where PROGRAM is this program. In a sandbox FILE
/// is alone in its folder. All processes that it started are gone when this returns.
child_result run_in_sandbox(sandbox_kind kind, const std::vector<std::string>& words,
                            const std::string& file, double clock_s);

}  // namespace onefold::ladder::learner
