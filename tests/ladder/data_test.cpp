// SPDX-License-Identifier: Apache-2.0
// The data beside the kernels agrees with the kernels and with sources.json.

#include "ladder/rung/hardware.hpp"
#include "ladder/rung/rung.hpp"
#include "ladder/rung/sources.hpp"
#include "ladder/trial/try_rung.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace onefold::ladder::test {
namespace {

/// The text with runs of blanks and newlines as one blank, so that formatting does not matter.
std::string kernel_text(const rung& r) {
  std::ifstream file(std::string(ONEFOLD_SOURCE_ROOT) + "/" + std::string(r.file));
  std::string text, word;
  while (file >> word) text += word + " ";
  return text;
}

TEST(data, every_change_is_a_line_of_the_old_and_a_line_of_the_new_kernel) {
  for (const rung& r : all_rungs()) {
    for (const code_change& change : r.changes) {
      const std::string before = kernel_text(*find_rung(r.previous));
      EXPECT_NE(before.find(change.before), std::string::npos) << r.name << ": " << change.before;
      EXPECT_NE(kernel_text(r).find(change.after), std::string::npos)
          << r.name << ": " << change.after;
    }
  }
}

TEST(data, every_rung_follows_a_rung_that_exists_and_has_claims) {
  std::set<std::string_view> names;
  for (const rung& r : all_rungs()) {
    EXPECT_TRUE(names.insert(r.name).second) << r.name;
    EXPECT_TRUE(r.previous.empty() || find_rung(r.previous) != nullptr) << r.name;
    EXPECT_EQ(r.claims.empty(), !r.under_executor()) << r.name;
    EXPECT_TRUE(!r.published || !r.printed.empty()) << r.name;
  }
}

TEST(data, every_listing_of_the_documents_names_a_rung_that_names_it_back) {
  const auto sources = nlohmann::json::parse(sources_json);
  for (const auto& row : sources.at("listings")) {
    const auto document = row.at("document").get<std::string>();
    const auto listing = row.at("listing").get<std::string>();
    const auto names_it = [&](const nlohmann::json& name) {
      const rung* r = find_rung(name.get<std::string>());
      return r != nullptr && std::any_of(r->printed.begin(), r->printed.end(), [&](const auto& p) {
               return p.document == document && p.step == listing;
             });
    };
    EXPECT_TRUE(names_it(row.at("rung"))) << row;
    EXPECT_TRUE(row.at("twin").is_null() || names_it(row.at("twin"))) << row;
    EXPECT_FALSE(citation(document).empty());
  }
}

using strings = std::set<std::string>;

/// The listings of the documents for which `wanted` holds.
template <class Wanted>
strings listings_where(Wanted&& wanted) {
  strings found;
  const auto sources = nlohmann::json::parse(sources_json);
  for (const auto& row : sources.at("listings")) {
    if (wanted(row)) found.insert(row.at("listing").get<std::string>());
  }
  return found;
}

TEST(data, a_defect_without_a_twin_is_one_that_no_launch_shows) {
  EXPECT_EQ(listings_where([](const auto& row) {
              return !row.at("defect").is_null() && row.at("twin").is_null();
            }),
            (strings{"listing 6: worked example", "listing 8: callers of the template"}));
}

// 32 lanes add the word 16 or 32 further on, whatever the block.
TEST(data, every_last_warp_of_32_lanes_is_listed_with_what_a_small_block_does) {
  EXPECT_EQ(
      listings_where([](const auto& row) { return row.at("twin") == "published/unrolled-limits"; }),
      (strings{"Step 5", "Step 6", "Step 7", "Solución 6, slide 23", "Solución 7, slide 28",
               "listing 5: last warp", "listing 7: template kernel"}));
  for (const unsigned block : {8u, 16u, 32u}) {
    const trial t = try_rung(*find_rung("published/unrolled-limits"), {.n = 1000, .block = block});
    EXPECT_NE(t.places(simt::defect::bounds), 0u) << block;
  }
}

TEST(data, a_listing_has_one_rung_that_repairs_it) {
  std::map<std::pair<std::string, std::string>, strings> rungs;
  const auto sources = nlohmann::json::parse(sources_json);
  for (const auto& row : sources.at("listings")) {
    rungs[{row.at("document"), row.at("listing")}].insert(row.at("rung").get<std::string>());
  }
  for (const auto& [listing, repairs] : rungs) EXPECT_EQ(repairs.size(), 1u) << listing.second;
  EXPECT_EQ((rungs[{"two-stage-notes", "listing 7: template kernel"}]),
            strings{"reduce/cascading"});
}

}  // namespace
}  // namespace onefold::ladder::test
