// SPDX-License-Identifier: Apache-2.0
// Every claim, figure and question of the documents has its place in the course.

#include "ladder/rung/sources.hpp"

#include "ladder/learn/lesson.hpp"
#include "ladder/rung/rung.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace onefold::ladder::test {
namespace {

using nlohmann::json;

const json& sources() {
  static const json all = json::parse(sources_json);
  return all;
}

std::filesystem::path in_tree(const std::string& file) {
  return std::filesystem::path(ONEFOLD_SOURCE_ROOT) / file;
}

/// The pictures of a rung's page.
const std::set<std::string> pictures = {"map",       "launches", "tree",  "eight",
                                        "last-warp", "lanes",    "banks", "sectors"};

std::string text(const json& row, const char* key) {
  return row.contains(key) ? row.at(key).get<std::string>() : "";
}

bool has_section(const std::string& page, const std::string& section) {
  std::ifstream file(in_tree(page));
  for (std::string line; std::getline(file, line);) {
    const std::size_t title = line.find_first_not_of('#');
    if (title != 0 && title != line.npos && line.substr(title + 1) == section) return true;
  }
  return false;
}

bool claims(const rung& r, const std::string& says) {
  return std::any_of(r.claims.begin(), r.claims.end(),
                     [&says](const claim& c) { return c.says == says; });
}

/// Why there is no such place; empty: there is.
std::string missing(const json& place) {
  const std::string name = place.contains("twin") ? text(place, "twin") : text(place, "rung");
  if (!name.empty()) {
    const rung* const r = find_rung(name);
    if (r == nullptr) return "no rung " + name;
    if (place.contains("twin") != r->published) return name + " is of the other kind";
    const std::string says = text(place, "claim");
    if (!says.empty() && !claims(*r, says)) return name + " does not claim: " + says;
    const std::string picture = text(place, "picture");
    return picture.empty() || pictures.count(picture) != 0 ? "" : "no picture " + picture;
  }
  if (place.contains("program")) {
    return exists(in_tree(text(place, "program"))) ? "" : "no file " + text(place, "program");
  }
  if (place.contains("page")) {
    return has_section(text(place, "page"), text(place, "section"))
               ? ""
               : "no section " + text(place, "section") + " in " + text(place, "page");
  }
  if (place.contains("untested")) {
    return text(place, "untested").empty() ? "does not say how it would be measured" : "";
  }
  if (place.contains("exercise")) {
    return place.at("exercise").get<std::size_t>() <= lessons().size() ? "" : "no such exercise";
  }
  return "a place of no kind";
}

class every : public testing::TestWithParam<const char*> {};

TEST_P(every, of_the_documents_has_its_place) {
  const json& rows = sources().at(GetParam());
  EXPECT_FALSE(rows.empty());
  for (const json& row : rows) {
    EXPECT_FALSE(row.at("places").empty()) << row;
    for (const json& place : row.at("places")) EXPECT_EQ(missing(place), "") << row;
  }
}

INSTANTIATE_TEST_SUITE_P(sources, every, testing::Values("claims", "figures", "questions"),
                         [](const auto& chosen) { return std::string(chosen.param); });

TEST(sources, name_each_document_in_each_list_that_it_fills) {
  std::map<std::string, std::set<std::string>> documents;
  for (const char* list : {"listings", "claims", "figures", "questions"}) {
    for (const json& row : sources().at(list)) {
      documents[list].insert(text(row, "document"));
      EXPECT_FALSE(citation(text(row, "document")).empty());
    }
  }
  EXPECT_EQ(documents["listings"].size(), 5u);
  EXPECT_EQ(documents["claims"], documents["listings"]);
}

// A row of a page counts as its own: each claim has another one there.
TEST(sources, give_each_claim_of_a_document_evidence_of_its_own) {
  std::map<std::string, std::map<std::string, int>> claims_at;
  for (const json& row : sources().at("claims")) {
    for (const json& place : row.at("places")) ++claims_at[text(row, "document")][place.dump()];
  }
  for (const json& row : sources().at("claims")) {
    const auto& places = row.at("places");
    EXPECT_TRUE(std::any_of(places.begin(), places.end(), [&](const json& place) {
      return place.contains("page") || claims_at[text(row, "document")][place.dump()] == 1;
    })) << row;
  }
}

// A listing without a claim would be a listing that nobody says anything about.
TEST(sources, make_a_claim_at_every_listing_of_the_slides_with_steps) {
  std::set<std::string> listings, claimed;
  for (const json& row : sources().at("listings")) {
    if (row.at("document") == "korean-notes") listings.insert(text(row, "listing"));
  }
  for (const json& row : sources().at("claims")) {
    if (row.at("document") == "korean-notes") claimed.insert(text(row, "at"));
  }
  EXPECT_EQ(claimed, listings);
}

TEST(sources, say_where_no_rung_has_the_place) {
  EXPECT_NE(missing({{"rung", "reduce/none"}}), "");
  EXPECT_NE(missing({{"rung", "reduce/modulo"}, {"claim", "it flies"}}), "");
  EXPECT_NE(missing({{"rung", "reduce/modulo"}, {"picture", "portrait"}}), "");
  EXPECT_NE(missing({{"twin", "reduce/modulo"}}), "");
  EXPECT_NE(missing({{"program", "ladder/host/none.cu"}}), "");
  EXPECT_NE(missing({{"page", "docs/ladder.md"}, {"section", "None"}}), "");
  EXPECT_NE(missing({{"exercise", 99}}), "");
  EXPECT_NE(missing({{"untested", ""}}), "");
  EXPECT_NE(missing(json::object()), "");
}

}  // namespace
}  // namespace onefold::ladder::test
