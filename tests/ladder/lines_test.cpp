// SPDX-License-Identifier: Apache-2.0
// Counters by line, basic blocks of warps, machine code, and the claims that a GPU's counters
// judge. Numbers of basic blocks are the compiler's: what must hold of them is tested, never a
// value.

#include "ladder/page/explain.hpp"
#include "ladder/page/lines.hpp"
#include "ladder/page/trials.hpp"
#include "ladder/report/report_lines.hpp"
#include "ladder/rung/hardware.hpp"
#include "ladder/rung/machine_code.hpp"
#include "ladder/trial/try_rung.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace onefold::ladder::test {
namespace {

trial_options usual(const rung& r) {
  trial_options options = usual_options(r);
  options.n = std::min<std::size_t>(options.n, 4096);
  return options;
}

std::vector<const rung*> runnable() {
  std::vector<const rung*> list;
  for (const rung& r : all_rungs()) {
    if (r.under_executor()) list.push_back(&r);
  }
  return list;
}

trial run(std::string_view name, std::size_t n = 65536) {
  const rung& r = *find_rung(name);
  return try_rung(r, {.n = n, .block = 256, .type = usual_type(r)});
}

TEST(lines, add_up_to_the_counts_of_the_launch) {
  for (const rung* r : runnable()) {
    line_recorder recorder;
    const trial t = try_rung(*r, usual(*r), &recorder);
    simt::counts all;
    for (const auto& [place, counts] : recorder.by_line()) all += counts;
    EXPECT_EQ(all.shared_load, t.counts.shared_load) << r->name;
    EXPECT_EQ(all.shared_store, t.counts.shared_store) << r->name;
    EXPECT_EQ(all.shared_atomics, t.counts.shared_atomics) << r->name;
    EXPECT_EQ(all.global_load, t.counts.global_load) << r->name;
    EXPECT_EQ(all.global_store, t.counts.global_store) << r->name;
    EXPECT_EQ(all.global_atomic, t.counts.global_atomic) << r->name;
  }
}

TEST(lines, name_the_statement_that_asks_for_memory) {
  const rung& r = *find_rung("reduce/strided");
  line_recorder recorder;
  try_rung(r, usual_options(r), &recorder);
  const auto lines = source_lines(r, element::int32, recorder);
  const auto worst = std::ranges::max_element(
      lines, {}, [](const source_line& line) { return line.counts.shared_load.conflicts; });
  EXPECT_EQ(worst->place.file, r.file);
  EXPECT_NE(worst->code.find("items[left + s]"), std::string::npos) << worst->code;
  EXPECT_EQ(worst->counts.shared_load.worst_ways, 8u);
  EXPECT_GT(worst->instructions, 0u);
}

TEST(lines, of_the_own_file_come_first_and_in_order) {
  const rung& r = *find_rung("reduce/vector");
  line_recorder recorder;
  try_rung(r, usual_options(r), &recorder);
  bool others = false;
  unsigned last = 0;
  for (const source_line& line : source_lines(r, element::int32, recorder)) {
    if (line.place.file != r.file) {
      others = true;
      continue;
    }
    EXPECT_FALSE(others);
    EXPECT_GT(line.place.line, last);
    last = line.place.line;
  }
  EXPECT_TRUE(others);
}

TEST(lines, of_the_report_link_to_the_listing_and_show_machine_code) {
  trials done;
  const rung& r = *find_rung("reduce/modulo");
  const page p = explain(r, {{.n = 256, .block = 32}}, done);
  const std::string html = lines_section(p);
  ASSERT_FALSE(p.excerpts.empty());
  for (const source_line& line : p.lines) {
    const std::string link = "href=\"#reduce-modulo-L" + std::to_string(line.place.line) + "\"";
    EXPECT_NE(html.find(link), std::string::npos) << link;
  }
  EXPECT_NE(html.find("MUFU.RCP"), std::string::npos);
  EXPECT_NE(html.find(machine_code_source()), std::string::npos);
}

TEST(lines, of_the_report_are_none_where_the_executor_runs_nothing) {
  trials done;
  const rung& r = *find_rung("reduce/vendor");
  EXPECT_EQ(lines_section(explain(r, {usual_options(r)}, done)), "");
}

TEST(basic_blocks, are_executed_by_one_lane_of_a_warp_at_least_and_by_all_at_most) {
  for (const rung* r : runnable()) {
    const trial t = try_rung(*r, usual(*r));
    EXPECT_GE(t.blocks.by_lanes, t.blocks.by_warps) << r->name;
    EXPECT_LE(t.blocks.by_lanes, t.blocks.by_warps * t.options.warp) << r->name;
    EXPECT_GT(t.blocks.by_warps, 0u) << r->name;
  }
}

TEST(basic_blocks, do_not_depend_on_the_schedule) {
  for (const char* name : {"reduce/modulo", "reduce/last-warp", "reduce/shuffle", "dot/serial",
                           "image/transpose-tile", "loop/x4"}) {
    const rung& r = *find_rung(name);
    trial_options options = usual(r);
    const simt::block_counts forward = try_rung(r, options).blocks;
    for (const simt::schedule order : simt::all_schedules) {
      options.order = order;
      EXPECT_EQ(try_rung(r, options).blocks, forward) << name << " " << to_string(order);
    }
  }
}

// What a GPU counts as fewer instructions is here fewer blocks, where it is a matter of branches.
TEST(basic_blocks, fall_where_loops_and_idle_warps_go) {
  const auto blocks = [](std::string_view name) { return run(name).blocks.by_warps; };
  EXPECT_LT(blocks("reduce/first-add"), blocks("reduce/sequential"));
  EXPECT_LT(blocks("reduce/last-warp"), blocks("reduce/first-add"));
  EXPECT_LT(blocks("reduce/cascading"), blocks("reduce/unrolled"));
  EXPECT_LT(blocks("loop/x2"), blocks("loop/x1"));
  EXPECT_LT(blocks("loop/x4"), blocks("loop/x2"));
}

TEST(basic_blocks, do_not_see_arithmetic) {
  EXPECT_EQ(run("reduce/modulo").blocks, run("reduce/mask").blocks);
  EXPECT_GT(recorded_counters("reduce/modulo")->instructions,
            2 * recorded_counters("reduce/mask")->instructions);
}

TEST(basic_blocks, have_all_lanes_where_no_branch_diverges) {
  const trial t = run("loop/x1");
  EXPECT_EQ(t.counts.divergent_branches, 0u);
  EXPECT_EQ(t.blocks.lanes_together(), 32);
  EXPECT_LT(run("reduce/modulo").blocks.lanes_together(), 32);
}

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(std::string(ONEFOLD_SOURCE_ROOT) + "/" + file).rdbuf();
  return text.str();
}

TEST(machine_code, is_of_lines_that_the_kernels_still_have) {
  for (const machine_kernel& kernel : machine_kernels()) {
    ASSERT_NE(find_rung(kernel.rung), nullptr) << kernel.rung;
    for (const machine_excerpt& e : kernel.excerpts) {
      EXPECT_FALSE(e.instructions.empty()) << kernel.rung;
      EXPECT_NE(line_today(text_of(e.file), e.line, e.code), 0u)
          << kernel.rung << ": '" << e.code << "' is gone; run tools/ladder_machine_code";
    }
  }
}

bool shows_volatile(const rung& r) {
  return r.name == "published/last-warp-plain" || r.name == "published/last-warp-volatile";
}

TEST(machine_code, has_every_rung_that_a_gpu_counted_and_two_that_show_volatile) {
  for (const rung& r : all_rungs()) {
    const bool counted = recorded_counters(r.name) != nullptr;
    EXPECT_EQ(machine_code_of(r.name, usual_type(r)) != nullptr, counted || shows_volatile(r))
        << r.name;
  }
}

/// The kernel of a twin without blanks and its name, with `last` as another name of `items`.
std::string body_of(std::string_view twin) {
  std::string text = text_of(find_rung(twin)->file);
  text =
      std::regex_replace(text.substr(text.find("(const T* in")), std::regex("last\\["), "items[");
  return std::regex_replace(text, std::regex("\\s"), "");
}

TEST(machine_code, shows_volatile_by_two_kernels_that_differ_in_it_alone) {
  const std::string word = "volatileT*constlast=items;";
  std::string with = body_of("published/last-warp-volatile");
  ASSERT_NE(with.find(word), std::string::npos);
  EXPECT_EQ(with.erase(with.find(word), word.size()), body_of("published/last-warp-plain"));
}

TEST(machine_code, shows_how_ints_and_floats_are_added_atomically) {
  std::vector<element> types;
  for (const code_excerpt& e : code_excerpts(*find_rung("reduce/atomic"))) {
    types.push_back(e.type);
    const bool one_update_a_warp = e.instructions.front().starts_with("REDUX");
    EXPECT_EQ(one_update_a_warp, e.type == element::int32);
  }
  EXPECT_EQ(types, (std::vector{element::int32, element::float32, element::float64}));
}

TEST(machine_code, finds_a_line_that_has_moved) {
  const std::string text = "a;\n  b;\nc;\n\tb;\n";
  EXPECT_EQ(line_today(text, 2, "b;"), 2u);
  EXPECT_EQ(line_today(text, 9, "b;"), 4u);
  EXPECT_EQ(line_today(text, 1, "d;"), 0u);
  EXPECT_EQ(line_today("", 1, "d;"), 0u);
}

std::vector<std::pair<const rung*, const claim*>> claims_of_the_gpu() {
  std::vector<std::pair<const rung*, const claim*>> claims;
  for (const rung& r : all_rungs()) {
    for (const claim& c : r.claims) {
      if (c.judged_by == witness::gpu) claims.emplace_back(&r, &c);
    }
  }
  return claims;
}

TEST(claims_of_the_gpu, have_a_verdict_at_the_recorded_launch) {
  trials done;
  const auto claims = claims_of_the_gpu();
  EXPECT_GT(claims.size(), 20u);
  for (const auto& [r, c] : claims) {
    const trial_options launch{recorded().n, recorded().block, usual_type(*r)};
    const claim_state state = judge(*c, done.compared(*r, launch));
    EXPECT_EQ(state, c->true_here ? claim_state::holds : claim_state::does_not_hold)
        << r->name << ": " << c->says;
  }
}

TEST(claims_of_the_gpu, have_none_at_another_launch) {
  trials done;
  for (const auto& [r, c] : claims_of_the_gpu()) {
    const trial_options launch{2048, recorded().block, usual_type(*r)};
    EXPECT_EQ(judge(*c, done.compared(*r, launch)), claim_state::not_recorded) << r->name;
  }
  EXPECT_STREQ(to_string(claim_state::not_recorded), "not recorded");
}

}  // namespace
}  // namespace onefold::ladder::test
