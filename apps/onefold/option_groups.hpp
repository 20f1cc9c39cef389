// SPDX-License-Identifier: Apache-2.0
// The options of each command, registered with the parser.
#pragma once

#include "options.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the name is the parser's
class App;
}

namespace onefold::program {

/// Adds the options of request.command. The parser's options refer to `request`, which must not
/// move.
void add_options(CLI::App& app, request& request);

}  // namespace onefold::program
