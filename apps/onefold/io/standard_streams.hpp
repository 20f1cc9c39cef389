// SPDX-License-Identifier: Apache-2.0
// The three descriptors that every program starts with, or should.
#pragma once

#include <string_view>

#include "onefold/status.hpp"

namespace onefold::program {

/// Puts something into every one of the descriptors 0 to 2 that is closed, so that no file that
/// is opened later takes its place. Reading a closed standard input and writing to a closed
/// standard output still fail.
void guard_standard_streams() noexcept;

bool is_terminal(int descriptor) noexcept;
/// Whether escape sequences for colour may be written there: a terminal that can, and no
/// NO_COLOR; CLICOLOR_FORCE asks for them elsewhere too.
bool takes_colour(int descriptor) noexcept;

/// Writes all of it. Fails: io_error; with an empty message where the reader has gone (EPIPE).
status write_all(int descriptor, std::string_view text, std::string_view name);

/// Writes to standard error and ignores a failure: there is nowhere left to report it.
void complain(std::string_view text) noexcept;

}  // namespace onefold::program
