// SPDX-License-Identifier: Apache-2.0
// Every reduce rung is right and clean for every length, block, type, operator, schedule and
// driver, and no claim about it is broken at any size.

#include "ladder/commands/climb.hpp"
#include "ladder/trial/executor_backend.hpp"
#include "ladder/trial/problem.hpp"
#include "ladder/trial/try_rung.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace onefold::ladder::test {
namespace {

std::vector<const rung*> right_rungs() {
  std::vector<const rung*> list;
  for (const rung& r : all_rungs()) {
    if (!r.published && r.kind == work::reduce && r.under_executor()) list.push_back(&r);
  }
  return list;
}

bool is_one_of(const rung& r, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, r.name) != names.end();
}

/// Those for sums of floats take no others, some of them no doubles and whole warps only; all of
/// the others take everything.
bool takes(const rung& r, const trial_options& o) {
  if (!r.floats_only) return true;
  const bool type =
      o.type == element::float32 ||
      (o.type == element::float64 && !is_one_of(r, {"reduce/interval", "reduce/integers"}));
  const bool whole_warps = o.block >= 32 && o.block <= 256 && o.warp == 32;
  return type && o.op == operation::sum &&
         (whole_warps || is_one_of(r, {"reduce/pairwise", "reduce/kahan"}));
}

std::string name_of(const rung& r, const trial_options& o) {
  return std::string(r.name) + " n " + std::to_string(o.n) + " block " + std::to_string(o.block) +
         " " + to_string(o.type) + " " + to_string(o.op) + " " + to_string(o.order) + " " +
         to_string(o.drive) + " warp " + std::to_string(o.warp) + " max grid " +
         std::to_string(o.max_grid);
}

void expect_clean(const rung& r, const trial& t) {
  const std::string where = name_of(r, t.options);
  EXPECT_EQ(t.verdict(), "right") << where << ": " << t.answer << ", not " << t.expected;
  // Integers are read for the largest exponent first, and the engine reads some tiles again.
  const auto got = r.name == "reduce/integers" ? t.reads.repeatedly
                   : r.name == "reduce/exact"  ? t.reads.once + t.reads.repeatedly
                                               : t.reads.once;
  EXPECT_EQ(got, t.options.n) << where;
}

void expect_right(const trial_options& options) {
  std::vector<climb_step> steps;
  for (const rung* r : right_rungs()) {
    if (takes(*r, options)) steps.push_back({r, options});
  }
  for (const climb_result& result : climb(steps)) {
    expect_clean(*result.step, result.outcome);
    EXPECT_TRUE(result.claims_hold) << name_of(*result.step, options);
  }
}

TEST(every_rung, is_right_for_short_arrays_in_every_block_and_type) {
  for (const std::size_t n : {0, 1, 2, 3, 31, 32, 33, 64, 100, 1000}) {
    for (unsigned block = 1; block <= 1024; block *= 2) {
      for (const element type : number_types) expect_right({n, block, type});
    }
  }
}

TEST(every_rung, is_right_for_short_arrays_in_every_schedule) {
  for (const std::size_t n : {0, 1, 33, 100, 1000}) {
    for (unsigned block = 1; block <= 1024; block *= 2) {
      for (const simt::schedule order : simt::all_schedules) {
        expect_right({n, block, element::int32, order});
      }
    }
  }
}

TEST(every_rung, is_right_for_every_operator) {
  for (const operation op : all_operations) {
    for (const element type : number_types) {
      for (const simt::schedule order : {simt::schedule::reverse, simt::schedule::lockstep}) {
        for (const std::size_t n : {0, 1, 77, 300}) {
          for (const unsigned block : {1u, 8u, 64u, 256u}) {
            expect_right({.n = n, .block = block, .type = type, .order = order, .op = op});
          }
        }
      }
    }
  }
}

TEST(every_rung, is_right_for_long_arrays_in_every_schedule) {
  for (const simt::schedule order : simt::all_schedules) {
    expect_right({65537, 256, element::int32, order});
  }
}

TEST(every_rung, is_right_for_long_arrays_in_every_type) {
  for (const element type : number_types) {
    for (const unsigned block : {32u, 1024u}) expect_right({70000, block, type});
  }
}

TEST(every_rung, is_right_with_toy_warps) {
  for (const unsigned warp : {1u, 2u, 4u, 8u, 16u}) {
    for (const unsigned block : {1u, 2u, 8u, 16u, 128u}) {
      for (const simt::schedule order : {simt::schedule::shuffled, simt::schedule::lockstep}) {
        expect_right({100, block, element::int32, order, 7, warp});
      }
    }
  }
}

TEST(every_rung, is_right_for_few_blocks_in_many_rounds) {
  for (const unsigned max_grid : {1u, 2u, 3u, 7u}) {
    for (const std::size_t n : {1000, 4099}) {
      for (const element type : number_types) {
        expect_right({.n = n, .block = 32, .type = type, .max_grid = max_grid});
      }
    }
  }
}

TEST(every_rung, leaves_one_value_with_every_driver) {
  for (const driver drive : {driver::second_launch, driver::passes}) {
    for (const element type : number_types) {
      for (const std::size_t n : {0, 1, 33, 1000, 3000}) {
        for (const unsigned block : {16u, 64u, 256u}) {
          const trial_options options{.n = n,
                                      .block = block,
                                      .type = type,
                                      .order = simt::schedule::shuffled,
                                      .drive = drive,
                                      .max_grid = 5};
          for (const rung* r : right_rungs()) {
            const bool many = n > std::size_t{block} * block && !r->grid_stride && !r->one_value;
            if ((drive == driver::second_launch && many) || !takes(*r, options)) continue;
            expect_clean(*r, try_rung(*r, options));
          }
        }
      }
    }
  }
}

TEST(every_rung, may_run_again_on_the_memory_it_used) {
  for (const rung* r : right_rungs()) {
    const trial_options options{
        .n = 5000, .block = 64, .type = usual_type(*r), .order = simt::schedule::reverse};
    executor_backend where(options);
    const auto work = make_problem(*r, options, where);
    for (int again = 0; again < 3; ++again) {
      work->run();
      EXPECT_TRUE(work->check().right) << r->name << " run " << again;
    }
    EXPECT_TRUE(where.findings().empty()) << r->name;
  }
}

TEST(every_rung, refuses_blocks_that_it_cannot_halve_or_launch) {
  for (const unsigned block : {0u, 3u, 96u, 1000u, 2048u}) {
    for (const rung* r : right_rungs()) {
      if (r->any_block && block != 0 && block <= 1024) continue;
      EXPECT_THROW(try_rung(*r, {100, block}), std::invalid_argument) << r->name << " " << block;
    }
  }
}

TEST(every_rung, without_a_tree_is_right_in_blocks_of_any_size) {
  int taken = 0;
  for (const rung& r : all_rungs()) {
    if (r.published || !r.any_block) continue;
    for (const unsigned block : {3u, 33u, 96u, 1000u}) {
      for (const std::size_t n : {0, 1, 96, 1000, 4096}) {
        trial_options options = usual_options(r);
        options.n = n;
        options.block = block;
        if (r.refuses != nullptr && !r.refuses(options).empty()) continue;
        const climb_result result = climb({{&r, options}})[0];
        EXPECT_EQ(result.outcome.verdict(), "right") << name_of(r, options);
        EXPECT_TRUE(result.claims_hold) << name_of(r, options);
        ++taken;
      }
    }
  }
  // Eight rungs take every block, and the naive transpose one that fills a rectangle: 96.
  EXPECT_EQ(taken, (8 * 4 + 1) * 5);
}

TEST(a_second_launch, of_one_block_is_refused_where_it_cannot_hold_the_partials) {
  const trial_options options{.n = 5000, .block = 16, .drive = driver::second_launch};
  EXPECT_THROW(try_rung(*find_rung("reduce/sequential"), options), std::invalid_argument);
  EXPECT_EQ(try_rung(*find_rung("reduce/two-stage"), options).verdict(), "right");
}

TEST(the_exact_rung, refuses_what_is_no_sum_of_floats_in_whole_warps) {
  const rung& r = *find_rung("reduce/exact");
  const trial_options good{.n = 100, .type = element::float32};
  EXPECT_EQ(try_rung(r, good).verdict(), "right");
  for (auto change : std::initializer_list<void (*)(trial_options&)>{
           [](trial_options& o) { o.type = element::int32; },
           [](trial_options& o) { o.op = operation::product; },
           [](trial_options& o) { o.warp = 16; }, [](trial_options& o) { o.block = 16; },
           [](trial_options& o) { o.block = 512; }, [](trial_options& o) { o.max_grid = 4096; }}) {
    trial_options changed = good;
    change(changed);
    EXPECT_THROW(try_rung(r, changed), std::invalid_argument);
  }
}

TEST(the_vendors_rung, is_refused_by_the_executor_with_the_reason) {
  const rung& r = *find_rung("reduce/vendor");
  EXPECT_FALSE(r.under_executor());
  try {
    try_rung(r, {.n = 100});
    FAIL() << "it ran";
  } catch (const std::invalid_argument& why) {
    EXPECT_EQ(std::string(why.what()).find("reduce/vendor runs on a GPU alone: it is compiled"),
              0u);
  }
}

}  // namespace
}  // namespace onefold::ladder::test
