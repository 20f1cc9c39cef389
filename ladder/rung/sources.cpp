// SPDX-License-Identifier: Apache-2.0
#include "ladder/rung/sources.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace onefold::ladder {

std::string citation(std::string_view document) {
  static const auto sources = nlohmann::json::parse(sources_json);
  for (const auto& entry : sources.at("documents")) {
    if (entry.at("id") != document) continue;
    // A document without a title is named by what it holds.
    const char* name = entry.at("title").is_null() ? "contents" : "title";
    std::string text = entry.at(name).get<std::string>();
    for (const char* field : {"author", "date", "address"}) {
      if (!entry.at(field).is_null()) text += ", " + entry.at(field).get<std::string>();
    }
    return text;
  }
  throw std::out_of_range("sources.json has no document '" + std::string(document) + "'");
}

}  // namespace onefold::ladder
