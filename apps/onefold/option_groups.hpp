// SPDX-License-Identifier: Apache-2.0
// The options of each command, as the parser knows them.
#pragma once

#include "options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name is the parser's
class App;
}

namespace onefold::program {

/// Adds what asked.what takes. The parser's options refer to `asked`, which must not move.
void add_options(CLI::App& app, request& asked);

}  // namespace onefold::program
