// SPDX-License-Identifier: Apache-2.0
#include "ladder/rung/hardware.hpp"
#include "ladder/rung/rung.hpp"
#include "tests/ladder/closed_forms.hpp"

#include <gtest/gtest.h>

namespace onefold::ladder::test {
namespace {

struct size {
  std::size_t n;
  unsigned block;
};

constexpr size sizes[] = {{65536, 256}, {1000, 64}, {5000, 1024}, {4096, 128},
                          {1, 32},      {0, 512},   {96, 32},     {10240, 1024}};
constexpr std::string_view rungs[] = {"reduce/modulo", "reduce/strided", "reduce/sequential",
                                      "reduce/first-add"};

trial run_at(std::string_view rung, const size& at, simt::schedule order) {
  trial_options options;
  options.n = at.n;
  options.block = at.block;
  options.order = order;
  return try_rung(*find_rung(rung), options);
}

void expect_equal(const simt::counts& got, const simt::counts& want, const std::string& where) {
  const auto same_shared = [&](const simt::shared_counts& g, const simt::shared_counts& w) {
    EXPECT_EQ(g.requests, w.requests) << where;
    EXPECT_EQ(g.wavefronts, w.wavefronts) << where;
    EXPECT_EQ(g.conflicts, w.conflicts) << where;
    EXPECT_EQ(g.worst_ways, w.worst_ways) << where;
  };
  const auto same_global = [&](const simt::global_counts& g, const simt::global_counts& w) {
    EXPECT_EQ(g.requests, w.requests) << where;
    EXPECT_EQ(g.sectors, w.sectors) << where;
    EXPECT_EQ(g.lines, w.lines) << where;
  };
  same_shared(got.shared_load, want.shared_load);
  same_shared(got.shared_store, want.shared_store);
  same_global(got.global_load, want.global_load);
  same_global(got.global_store, want.global_store);
  EXPECT_EQ(got.divergent_branches, want.divergent_branches) << where;
  EXPECT_EQ(got.barriers, want.barriers) << where;
}

TEST(counts, of_every_rung_equal_their_closed_forms) {
  for (const std::string_view rung : rungs) {
    for (const size& at : sizes) {
      const std::string where =
          std::string(rung) + " n " + std::to_string(at.n) + " block " + std::to_string(at.block);
      const trial t = run_at(rung, at, simt::schedule::forward);
      EXPECT_EQ(t.grid, blocks_of(rung, at.n, at.block)) << where;
      expect_equal(t.counts, closed_form(rung, at.n, at.block), where);
    }
  }
}

TEST(counts, do_not_depend_on_the_schedule) {
  for (const std::string_view rung : rungs) {
    for (const auto order :
         {simt::schedule::reverse, simt::schedule::shuffled, simt::schedule::lockstep}) {
      expect_equal(run_at(rung, {5000, 256}, order).counts, closed_form(rung, 5000, 256),
                   std::string(rung) + " " + to_string(order));
    }
  }
}

// The closed forms themselves, against numbers that were written down before this program: LDS
// and STS wavefronts, conflicts, divergent branches, BAR, for n = 65536 and blocks of 256.
TEST(counts, closed_forms_give_the_published_table) {
  struct row {
    std::string_view rung;
    std::uint64_t load, load_conflicts, store, store_conflicts, divergent, barriers;
    unsigned ways;
  };
  for (const row& r : {row{"reduce/modulo", 24320, 0, 14080, 0, 12288, 18432, 1},
                       row{"reduce/strided", 24320, 17920, 14080, 8960, 1536, 18432, 8},
                       row{"reduce/sequential", 6400, 0, 5120, 0, 1536, 18432, 1},
                       row{"reduce/first-add", 3200, 0, 2560, 0, 768, 9216, 1}}) {
    const simt::counts c = closed_form(r.rung, 65536, 256);
    EXPECT_EQ(c.shared_load.wavefronts, r.load) << r.rung;
    EXPECT_EQ(c.shared_load.conflicts, r.load_conflicts) << r.rung;
    EXPECT_EQ(c.shared_store.wavefronts, r.store) << r.rung;
    EXPECT_EQ(c.shared_store.conflicts, r.store_conflicts) << r.rung;
    EXPECT_EQ(c.divergent_branches, r.divergent) << r.rung;
    EXPECT_EQ(c.barriers, r.barriers) << r.rung;
    EXPECT_EQ(c.worst_ways(), r.ways) << r.rung;
    EXPECT_EQ(c.global_load.requests, 2048u) << r.rung;
    EXPECT_EQ(c.global_load.sectors, 4 * c.global_load.requests) << r.rung;
  }
}

TEST(counts, equal_the_recorded_hardware_counters) {
  for (const std::string_view rung : rungs) {
    const hardware_counters* h = recorded_counters(rung);
    if (h == nullptr) continue;
    const size at{recorded().n, recorded().block};
    const simt::counts c = run_at(rung, at, simt::schedule::forward).counts;
    EXPECT_EQ(c.shared_load.wavefronts, h->load_wavefronts) << rung;
    EXPECT_EQ(c.shared_load.conflicts, h->load_conflicts) << rung;
    EXPECT_EQ(c.shared_store.wavefronts, h->store_wavefronts) << rung;
    EXPECT_EQ(c.shared_store.conflicts, h->store_conflicts) << rung;
    EXPECT_EQ(c.global_load.requests, h->global_load_requests) << rung;
    EXPECT_EQ(c.global_load.sectors, h->global_load_sectors) << rung;
  }
}

}  // namespace
}  // namespace onefold::ladder::test
