// SPDX-License-Identifier: Apache-2.0
// File names in the output for people and programs. A name may be any bytes but '/' and 0.
#pragma once

#include <string>
#include <string_view>

namespace onefold::program {

/// For lines on a terminal: control characters and invalid UTF-8 as \n, \t, \r or \xHH.
std::string printable(std::string_view text);

/// For a field of a table: as printable, with a backslash as \\, so that distinct names differ.
std::string table_field(std::string_view text);

/// A JSON string with its quotes. An invalid UTF-8 byte is written as in Python's surrogateescape,
/// \udc80 to \udcff, so that distinct names stay distinct and os.fsencode restores them.
std::string json_string(std::string_view text);

}  // namespace onefold::program
