// SPDX-License-Identifier: Apache-2.0
#include "ladder/rung/sources.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace onefold::ladder {

namespace {

const nlohmann::json& sources() {
  static const auto parsed = nlohmann::json::parse(sources_json);
  return parsed;
}

/// The place in the list of documents. Fails: std::out_of_range.
std::size_t index_of(std::string_view document) {
  const auto& list = sources().at("documents");
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].at("id") == document) return i;
  }
  throw std::out_of_range("sources.json has no document '" + std::string(document) + "'");
}

}  // namespace

std::string citation(std::string_view document) {
  const auto& entry = sources().at("documents").at(index_of(document));
  // A document without a title is named by what it holds.
  const char* name = entry.at("title").is_null() ? "contents" : "title";
  std::string text = entry.at(name).get<std::string>();
  for (const char* field : {"author", "date", "address"}) {
    if (!entry.at(field).is_null()) text += ", " + entry.at(field).get<std::string>();
  }
  return text;
}

std::string reference(std::string_view document) {
  return "[" + std::to_string(index_of(document) + 1) + "]";
}

std::vector<printed_as> printings_of(std::string_view rung) {
  std::vector<printed_as> found;
  for (const auto& row : sources().at("listings")) {
    if (row.at("rung") != rung && row.at("twin") != rung) continue;
    const printed_as place{row.at("document").get_ref<const std::string&>(),
                           row.at("listing").get_ref<const std::string&>()};
    const bool again = !found.empty() && found.back().step == place.step &&
                       found.back().document == place.document;
    if (!again) found.push_back(place);
  }
  return found;
}

}  // namespace onefold::ladder
