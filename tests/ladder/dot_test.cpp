// SPDX-License-Identifier: Apache-2.0
// The dot rungs: right and clean for every length, block, type, grid and schedule; their counts;
// what they refuse. How far off they are on vectors that are not exact: dot_errors_test.cpp.

#include "ladder/commands/climb.hpp"
#include "ladder/dot/exact_product.cuh"
#include "ladder/trial/executor_backend.hpp"
#include "ladder/trial/problem.hpp"
#include "ladder/trial/try_rung.hpp"
#include "tests/ladder/closed_forms.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace onefold::ladder::test {
namespace {

std::string where(const rung& r, const trial_options& o) {
  return std::string(r.name) + " n " + std::to_string(o.n) + " block " + std::to_string(o.block) +
         " " + to_string(o.type) + " " + to_string(o.order) + " warp " + std::to_string(o.warp) +
         " max grid " + std::to_string(o.max_grid);
}

std::vector<const rung*> dot_rungs_for(element type) {
  const executor_backend backend({});
  std::vector<const rung*> rungs;
  for (const rung& r : all_rungs()) {
    const bool belongs = r.kind == work::dot && !r.published;
    if (belongs && find_kernel(backend, r.name, type, operation::sum)) rungs.push_back(&r);
  }
  return rungs;
}

void expect_right(const trial_options& options) {
  std::vector<climb_step> steps;
  for (const rung* r : dot_rungs_for(options.type)) steps.push_back({r, options});
  for (const climb_result& result : climb(steps)) {
    const trial& t = result.outcome;
    const std::string here = where(*result.step, options);
    EXPECT_EQ(t.verdict(), "right") << here << ": " << t.answer << ", not " << t.expected;
    EXPECT_EQ(t.reads.once, options.n) << here;
    EXPECT_TRUE(result.claims_hold) << here;
  }
}

TEST(dot_rungs, are_eight_for_floats_and_five_for_integers) {
  EXPECT_EQ(dot_rungs_for(element::int32).size(), 5u);
  EXPECT_EQ(dot_rungs_for(element::float32).size(), 8u);
  EXPECT_EQ(dot_rungs_for(element::float64).size(), 8u);
}

TEST(every_dot, is_right_for_short_vectors_in_every_block_and_type) {
  for (const std::size_t n : {0, 1, 2, 3, 31, 32, 33, 64, 100, 1000}) {
    for (unsigned block = 1; block <= 1024; block *= 2) {
      for (const element type : number_types) expect_right({n, block, type});
    }
  }
}

TEST(every_dot, is_right_in_every_schedule) {
  for (const std::size_t n : {0, 1, 33, 1000}) {
    for (unsigned block = 1; block <= 1024; block *= 2) {
      for (const simt::schedule order : simt::all_schedules) {
        expect_right({n, block, element::float32, order});
        expect_right({n, block, element::float64, order});
      }
    }
  }
}

TEST(every_dot, is_right_for_long_vectors) {
  for (const element type : number_types) {
    for (const simt::schedule order : simt::all_schedules) expect_right({65537, 256, type, order});
  }
}

TEST(every_dot, is_right_with_toy_warps) {
  for (const unsigned warp : {1u, 2u, 4u, 8u, 16u}) {
    for (const unsigned block : {1u, 2u, 8u, 16u, 128u}) {
      for (const simt::schedule order : simt::all_schedules) {
        expect_right({100, block, element::float32, order, 7, warp});
      }
    }
  }
}

TEST(every_dot, is_right_for_few_blocks_in_many_rounds) {
  for (const unsigned max_grid : {1u, 2u, 3u, 7u}) {
    for (const std::size_t n : {1000, 4099}) {
      for (const element type : {element::float32, element::float64}) {
        expect_right({.n = n, .block = 32, .type = type, .max_grid = max_grid});
      }
    }
  }
}

TEST(every_dot, may_run_again_on_the_memory_it_used) {
  const trial_options options{.n = 5000, .block = 64, .type = element::float64};
  for (const rung* r : dot_rungs_for(options.type)) {
    executor_backend backend(options);
    const auto work = make_problem(*r, options, backend);
    for (int again = 0; again < 3; ++again) {
      work->run();
      EXPECT_TRUE(work->check().right) << r->name << " run " << again;
    }
    EXPECT_TRUE(backend.findings().empty()) << r->name;
  }
}

TEST(every_dot, refuses_blocks_that_it_cannot_halve_and_drivers_it_has_no_kernel_for) {
  for (const rung* r : dot_rungs_for(element::float32)) {
    for (const unsigned block : {0u, 3u, 96u, 2048u}) {
      if (r->any_block && (block == 3 || block == 96)) continue;
      EXPECT_THROW(try_rung(*r, {100, block, element::float32}), std::invalid_argument) << block;
    }
    for (const driver drive : {driver::second_launch, driver::passes}) {
      const trial_options options{.n = 100, .type = element::float32, .drive = drive};
      EXPECT_THROW(try_rung(*r, options), std::invalid_argument) << r->name;
    }
  }
}

// Counts, for 4-byte elements, whole warps and a grid that covers n in one round.

/// The rung of the reduce ladder with the same tree.
std::string_view tree_of(std::string_view rung) {
  return rung == "dot/tree" ? "reduce/modulo" : "reduce/sequential";
}

simt::counts closed_form_of_dot(std::string_view rung, std::size_t n, unsigned block) {
  simt::counts c = closed_form(tree_of(rung), n, block);
  c.global_load += c.global_load;  // two vectors
  const std::uint64_t grid = blocks_of(tree_of(rung), n, block), warps = block / warp;
  if (rung == "dot/serial") {
    c.shared_load = {grid * block, grid * block, 0, 1};
    c.shared_store = {grid * warps, grid * warps, 0, 1};
    c.divergent_branches = grid + (n % warp != 0);
    c.barriers = grid * warps;
  }
  if (rung == "dot/kahan" || rung == "dot/two-product") {
    // Each lane has its own sum in registers: a step loads one operand, not two; then twice all,
    // for sums and losses.
    const std::uint64_t steps = (c.shared_load.requests - grid) / 2;
    c.shared_load = {2 * steps, 2 * steps, 0, steps == 0 ? 0u : 1u};
    c.shared_store += c.shared_store;
    c.global_store += c.global_store;
  }
  return c;
}

constexpr std::string_view counted[] = {"dot/serial",   "dot/tree",  "dot/conflict-free",
                                        "dot/unrolled", "dot/kahan", "dot/two-product"};

TEST(dot_counts, equal_their_closed_forms) {
  for (const std::string_view name : counted) {
    for (const unsigned block : {32u, 64u, 256u, 1024u}) {
      for (const std::size_t n : {0, 1, 96, 1000, 5000, 10240}) {
        for (const simt::schedule order : simt::all_schedules) {
          const trial_options options{n, block, element::float32, order};
          EXPECT_EQ(try_rung(*find_rung(name), options).counts, closed_form_of_dot(name, n, block))
              << where(*find_rung(name), options);
        }
      }
    }
  }
}

// A step of distance s has s lanes: more than a warp meet at the block's barrier, fewer at the
// warp's own.
TEST(dot_counts, of_the_last_warp_trade_barriers_for_syncwarps) {
  for (const unsigned block : {64u, 256u, 1024u}) {
    const trial t = try_rung(*find_rung("dot/last-warp"), {4096, block, element::float32});
    unsigned wide = 0, narrow = 0;
    for (unsigned s = block / 2; s > 0; s /= 2) ++(s > warp ? wide : narrow);
    EXPECT_EQ(t.counts.barriers, t.grid * (1 + wide) * (block / warp)) << block;
    EXPECT_EQ(t.counts.syncwarps, t.grid * narrow) << block;
  }
}

// Two products of significands: 48 bits shifted by up to 31 for float, 106 for double. One atomic
// more for each warp tells what it has seen.
TEST(dot_counts, of_the_exact_dot_are_its_digits) {
  static_assert(exact_format<float>::digits == 3 && exact_format<double>::digits == 5);
  for (const element type : {element::float32, element::float64}) {
    const unsigned digits = type == element::float32 ? 3 : 5;
    for (const unsigned block : {32u, 256u}) {
      const trial t = try_rung(*find_rung("dot/exact"), {4096, block, type});
      EXPECT_EQ(t.counts.shared_atomics, 4096 / warp * (digits + 1));
      EXPECT_EQ(t.counts.barriers, 2 * 4096 / warp);
    }
  }
}

TEST(dot_twins, show_what_their_claims_say_at_every_size) {
  for (const char* name : {"published/dot-serial", "published/dot-unguarded", "published/dot-kahan",
                           "published/dot-last-warp"}) {
    for (const std::size_t n : {0, 1, 300, 512, 513, 1024}) {
      for (const unsigned block : {1u, 32u, 256u, 512u, 1024u}) {
        for (const auto order : {simt::schedule::shuffled, simt::schedule::lockstep}) {
          const trial_options options{n, block, element::float32, order};
          EXPECT_TRUE(climb({{find_rung(name), options}})[0].claims_hold)
              << where(*find_rung(name), options);
        }
      }
    }
  }
}

TEST(dot_serial_as_published, adds_the_products_once_more_in_every_launch) {
  const trial_options options{.n = 4096, .block = 512, .type = element::int32};
  executor_backend backend(options);
  const auto work = make_problem(*find_rung("published/dot-serial"), options, backend);
  const auto answer = [&] { return std::stoll(work->check().got); };
  work->run();
  const long long once = answer(), right = std::stoll(work->check().expected);
  EXPECT_NE(once, right);
  for (int more = 1; more <= 3; ++more) {
    work->run();
    EXPECT_EQ(answer(), once + more * right);
  }
}

}  // namespace
}  // namespace onefold::ladder::test
