// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/pictures.hpp"

#include "ladder/report/markdown.hpp"
#include "ladder/report/questions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace onefold::ladder::test {
namespace {

page_pictures drawn(const char* name) {
  const rung& r = *find_rung(name);
  return pictures_of(r, usual_options(r));
}

std::size_t most_held(const fold_tree& tree) {
  std::size_t most = 0;
  for (const fold& f : tree.folds) most = std::max(most, f.holds.size());
  return most;
}

std::set<std::size_t> distances(const fold_tree& tree, unsigned interval) {
  std::set<std::size_t> found;
  for (const fold& f : tree.folds) {
    for (const cell& c : f.from) {
      if (f.interval == interval && c.memory == "shared" && f.to.memory == "shared" &&
          c.index > f.to.index) {
        found.insert(c.index - f.to.index);
      }
    }
  }
  return found;
}

TEST(pictures, draw_every_defect_of_a_sum_at_a_small_launch_that_shows_it) {
  for (const rung& r : all_rungs()) {
    if (!r.published || !r.under_executor() || r.kind != work::reduce) continue;
    const grid_picture picture = pictures_of(r, usual_options(r)).grid;
    EXPECT_FALSE(picture.grids.empty()) << r.name;
    EXPECT_EQ(picture.verdict, r.verdict) << r.name;
    EXPECT_LE(picture.options.n, 128u) << r.name;
  }
}

TEST(pictures, draw_several_blocks_of_every_sum) {
  for (const rung& r : all_rungs()) {
    if (r.published || !r.under_executor() || r.kind != work::reduce) continue;
    const grid_picture picture = pictures_of(r, usual_options(r)).grid;
    ASSERT_FALSE(picture.grids.empty()) << r.name;
    EXPECT_EQ(picture.verdict, "right") << r.name;
    EXPECT_EQ(picture.results.empty(), r.partial == partial_form::exact) << r.name;
    EXPECT_FALSE(shows_by_value(picture)) << r.name;
    EXPECT_TRUE(std::ranges::none_of(picture.telling.folds, &fold::unknown)) << r.name;
    std::set<std::size_t> read;
    for (const lane_access& a : picture.accesses) {
      if (a.at.memory == "in" && a.launch == 0) read.insert(a.at.index);
    }
    EXPECT_EQ(read.size(), picture.options.n) << r.name;
  }
}

TEST(pictures, have_a_second_launch_and_a_last_block) {
  EXPECT_EQ(drawn("reduce/modulo").grid.grids, (std::vector<unsigned>{4, 1}));
  const grid_picture one = drawn("reduce/one-launch").grid;
  EXPECT_EQ(one.grids.size(), 1u);
  EXPECT_EQ(one.results.back().holds.size(), one.options.n);
}

TEST(pictures, show_the_six_steps_of_the_last_warp) {
  const fold_tree tree = drawn("reduce/last-warp").two_warps;
  EXPECT_TRUE(steps_without_barrier(tree));
  const std::set<std::size_t> last_warp = distances(tree, tree.folds.back().interval);
  EXPECT_EQ(last_warp, (std::set<std::size_t>{1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(most_held(tree), 128u);
  EXPECT_TRUE(drawn("reduce/sequential").two_warps.folds.empty());
}

TEST(pictures, show_what_a_race_of_the_last_warp_loses) {
  EXPECT_LT(drawn("published/last-warp-plain").two_warps.folds.back().holds.size(), 128u);
}

TEST(pictures, show_the_values_of_a_wrong_identity) {
  const grid_picture picture = drawn("published/identity-zero").grid;
  EXPECT_TRUE(shows_by_value(picture));
  for (const fold& f : picture.telling.folds) {
    EXPECT_EQ(f.value, 0) << f.step;
    EXPECT_LT(f.right.value_or(0), 0) << f.step;
  }
}

TEST(pictures, draw_the_defects_of_dot_products_at_their_launch) {
  for (const rung& r : all_rungs()) {
    if (!r.published || !r.under_executor() || r.kind != work::dot) continue;
    const grid_picture picture = pictures_of(r, usual_options(r)).grid;
    EXPECT_EQ(picture.options, r.shown_at) << r.name;
    ASSERT_FALSE(picture.telling.folds.empty()) << r.name;
    for (const fold& f : picture.telling.folds) {
      EXPECT_TRUE(f.to.memory != "shared" || f.to.index < r.shown_at.block) << r.name;
    }
  }
  const fold lost = drawn("published/dot-last-warp").grid.telling.folds.back();
  EXPECT_LT(lost.holds.size(), 512u);
  EXPECT_FALSE(lost.unknown);
  EXPECT_TRUE(drawn("published/dot-unguarded").grid.telling.folds.back().unknown);
  EXPECT_TRUE(drawn("published/dot-serial").grid.telling.folds.back().unknown);
}

TEST(pictures, have_the_worked_example_of_eight_elements) {
  for (const char* name : {"reduce/modulo", "reduce/strided", "reduce/sequential",
                           "reduce/first-add", "reduce/last-warp", "dot/tree"}) {
    EXPECT_EQ(drawn(name).eight.folds.back().holds.size(), 8u) << name;
  }
}

TEST(questions, are_asked_by_every_rung) {
  for (const rung& r : all_rungs()) {
    EXPECT_EQ(question_of(r.name) == nullptr, r.published) << r.name;
  }
}

std::string html_of(std::string_view text) {
  return markdown(
      text, [](std::string_view address) { return address == "a.md" ? "#a" : ""; }, 3);
}

TEST(markdown, has_paragraphs_lists_and_headings) {
  EXPECT_EQ(html_of("# One\n\ntwo\nthree\n\n* four\n  five\n* six\n"),
            "<h3>One</h3>\n<p>two three</p>\n<ul><li>four five</li><li>six</li></ul>\n");
}

TEST(markdown, has_words_in_a_line) {
  EXPECT_EQ(html_of("`a < b` is **not** *quite* a < b"),
            "<p><code>a &lt; b</code> is <strong>not</strong> <em>quite</em> a &lt; b</p>\n");
  EXPECT_EQ(html_of("[`a`](a.md) and [b](b.md), 2 * 3 * 4"),
            "<p><a href=\"#a\"><code>a</code></a> and b, 2 * 3 * 4</p>\n");
}

TEST(markdown, has_tables_and_code) {
  const std::string table = html_of("| a | n |\n|---|---:|\n| b | 1 |\n");
  EXPECT_NE(table.find("<th scope=\"col\" class=\"number\">n</th>"), std::string::npos) << table;
  EXPECT_NE(table.find("<td class=\"number\">1</td>"), std::string::npos) << table;
  EXPECT_NE(html_of("```\n# x < y\n```\n").find("<pre># x &lt; y\n</pre>"), std::string::npos);
}

}  // namespace
}  // namespace onefold::ladder::test
