// SPDX-License-Identifier: Apache-2.0
#pragma once
// The documents that the ladder re-tells; sources.json, compiled in, is the one place that names
// them.

#include "ladder/rung/rung.hpp"

#include <string>
#include <string_view>

namespace onefold::ladder {

/// The text of sources.json.
extern const std::string_view sources_json;

/// "title", author, date, address of a document, so far as the document gives them.
/// Fails: std::out_of_range for an id that sources.json does not have.
std::string citation(std::string_view document);

/// "[1]", as the pages number the documents. Fails: as above.
std::string reference(std::string_view document);

/// The listings that are a rung's or a twin's.
std::vector<printed_as> printings_of(std::string_view rung);

}  // namespace onefold::ladder
