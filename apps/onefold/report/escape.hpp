// SPDX-License-Identifier: Apache-2.0
// Names of files in what people and programs read. A name may be any bytes but '/' and 0.
#pragma once

#include <string>
#include <string_view>

namespace onefold::program {

/// For lines on a terminal: control characters and bytes that are no UTF-8 as \n, \t, \r or \xHH.
std::string printable(std::string_view text);

/// For a field of a table: as printable, and a backslash as \\, so that distinct names stay so.
std::string table_field(std::string_view text);

/// A JSON string with its quotes. A byte that is no UTF-8 is written as Python's surrogateescape
/// has it, \udc80 to \udcff, so that distinct names stay distinct and os.fsencode gives them back.
std::string json_string(std::string_view text);

}  // namespace onefold::program
