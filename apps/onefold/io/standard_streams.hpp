// SPDX-License-Identifier: Apache-2.0
// The three standard descriptors: guards, colour, writing.
#pragma once

#include <string_view>

#include "onefold/status.hpp"

namespace onefold::program {

/// Opens every closed descriptor of 0 to 2, so that no file that is opened later takes its number.
/// Reading a closed standard input and writing to a closed standard output still fail.
void guard_standard_streams() noexcept;

bool is_terminal(int descriptor) noexcept;
/// Whether colour escape sequences may be written there: on a capable terminal without NO_COLOR;
/// CLICOLOR_FORCE enables them elsewhere too.
bool takes_colour(int descriptor) noexcept;

/// Writes all of it. Fails: io_error; with an empty message if the reader has closed (EPIPE).
status write_all(int descriptor, std::string_view text, std::string_view name);

/// From now on complain() writes nothing.
void silence_complaints() noexcept;
/// Writes to standard error and ignores a failure: there is nowhere left to report it.
void complain(std::string_view text) noexcept;

}  // namespace onefold::program
