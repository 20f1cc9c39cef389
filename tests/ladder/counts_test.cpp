// SPDX-License-Identifier: Apache-2.0
#include "ladder/rung/hardware.hpp"
#include "ladder/rung/rung.hpp"
#include "ladder/trial/try_rung.hpp"
#include "tests/ladder/closed_forms.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace onefold::ladder::test {
namespace {

struct size {
  std::size_t n;
  unsigned block;
};

constexpr size sizes[] = {{65536, 256}, {1000, 64}, {5000, 1024},  {4096, 128}, {1, 32},
                          {0, 512},     {96, 32},   {10240, 1024}, {4099, 128}};

// Sums of floats do as their elements ask, so no form is closed; exact_test.cpp and
// float_sums_test.cpp have what must hold.
bool follows_its_elements(const rung& r) {
  return r.floats_only;
}

std::vector<const rung*> right_rungs() {
  std::vector<const rung*> list;
  for (const rung& r : all_rungs()) {
    if (r.published || !r.under_executor() || follows_its_elements(r)) continue;
    if (r.kind == work::reduce) list.push_back(&r);
  }
  return list;
}

trial run_at(const rung& r, const size& at, simt::schedule order) {
  return try_rung(r, {.n = at.n, .block = at.block, .type = usual_type(r), .order = order});
}

void expect_same_shared(const simt::shared_counts& got, const simt::shared_counts& want,
                        const std::string& where) {
  EXPECT_EQ(got.requests, want.requests) << where;
  EXPECT_EQ(got.wavefronts, want.wavefronts) << where;
  EXPECT_EQ(got.conflicts, want.conflicts) << where;
  EXPECT_EQ(got.worst_ways, want.worst_ways) << where;
}

void expect_same_global(const simt::global_counts& got, const simt::global_counts& want,
                        const std::string& where) {
  EXPECT_EQ(got.requests, want.requests) << where;
  EXPECT_EQ(got.sectors, want.sectors) << where;
  EXPECT_EQ(got.lines, want.lines) << where;
}

/// The closed form, with the divergent branches that were counted where each compiler groups those
/// of a cluster's blocks in its own way.
simt::counts wanted_counts(const rung& r, const size& at, const simt::counts& got) {
  simt::counts want = closed_form(r.name, at.n, at.block);
  if (r.name == "reduce/cluster") want.divergent_branches = got.divergent_branches;
  return want;
}

void expect_equal(const simt::counts& got, const simt::counts& want, const std::string& where) {
  expect_same_shared(got.shared_load, want.shared_load, where + " shared load");
  expect_same_shared(got.shared_store, want.shared_store, where + " shared store");
  expect_same_global(got.global_load, want.global_load, where + " global load");
  expect_same_global(got.global_store, want.global_store, where + " global store");
  expect_same_global(got.global_atomic, want.global_atomic, where + " global atomic");
  EXPECT_EQ(got.divergent_branches, want.divergent_branches) << where;
  EXPECT_EQ(got.barriers, want.barriers) << where;
  EXPECT_EQ(got.shuffles, want.shuffles) << where;
  EXPECT_EQ(got.syncwarps, want.syncwarps) << where;
  EXPECT_EQ(got.fences, want.fences) << where;
  EXPECT_EQ(got, want) << where << ": a count that this test does not name";
}

TEST(counts, of_every_rung_equal_their_closed_forms) {
  for (const rung* r : right_rungs()) {
    for (const size& at : sizes) {
      const std::string where = std::string(r->name) + " n " + std::to_string(at.n) + " block " +
                                std::to_string(at.block);
      const trial t = run_at(*r, at, simt::schedule::forward);
      EXPECT_EQ(t.grid, blocks_of(r->name, at.n, at.block)) << where;
      expect_equal(t.counts, wanted_counts(*r, at, t.counts), where);
    }
  }
}

TEST(counts, do_not_depend_on_the_schedule) {
  for (const rung* r : right_rungs()) {
    for (const auto order :
         {simt::schedule::reverse, simt::schedule::shuffled, simt::schedule::lockstep}) {
      const simt::counts got = run_at(*r, {5000, 256}, order).counts;
      expect_equal(got, wanted_counts(*r, {5000, 256}, got),
                   std::string(r->name) + " " + to_string(order));
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

void expect_recorded_global(const simt::counts& c, const hardware_counters& h,
                            std::string_view rung) {
  EXPECT_EQ(c.global_load.requests, h.global_load_requests) << rung;
  EXPECT_EQ(c.global_load.sectors, h.global_load_sectors) << rung;
  EXPECT_EQ(c.global_store.requests, h.global_store_requests) << rung;
  EXPECT_EQ(c.global_store.sectors, h.global_store_sectors) << rung;
  EXPECT_EQ(c.global_atomic.requests, h.global_atomic_requests) << rung;
  EXPECT_EQ(c.global_atomic.sectors, h.global_atomic_sectors) << rung;
}

void expect_recorded_shared(const simt::counts& c, const hardware_counters& h,
                            std::string_view rung) {
  EXPECT_EQ(c.shared_load.wavefronts, h.load_wavefronts) << rung;
  EXPECT_EQ(c.shared_load.conflicts, h.load_conflicts) << rung;
  EXPECT_EQ(c.shared_store.wavefronts, h.store_wavefronts) << rung;
  EXPECT_EQ(c.shared_store.conflicts, h.store_conflicts) << rung;
  EXPECT_EQ(c.shared_atomic.wavefronts, h.shared_atomic_wavefronts) << rung;
}

// nvcc loads four neighbouring products at once, and the last two words of reduce/unrolled; it
// makes a loop of a 64-bit atomic update of shared memory. See docs/ladder/agreement.md.
constexpr std::string_view compiled_otherwise[] = {"dot/serial", "dot/exact", "reduce/unrolled"};

// Newer than the newest records of bench/results/.
constexpr std::string_view not_recorded[] = {
    "reduce/redux",    "reduce/async-copy", "reduce/bulk-copy", "reduce/dependent-launch",
    "reduce/cluster",  "reduce/pairwise",   "reduce/kahan",     "reduce/interval",
    "reduce/integers", "reduce/exact"};

TEST(counts, equal_the_recorded_hardware_counters) {
  for (const rung& r : all_rungs()) {
    const hardware_counters* h = recorded_counters(r.name);
    const bool counted = !r.published && r.under_executor() &&
                         std::ranges::find(not_recorded, r.name) == std::end(not_recorded);
    EXPECT_EQ(h != nullptr, counted) << r.name;
    if (h == nullptr) continue;
    const simt::counts c =
        run_at(r, {recorded().n, recorded().block}, simt::schedule::forward).counts;
    expect_recorded_global(c, *h, r.name);
    if (std::ranges::count(compiled_otherwise, r.name) == 0) {
      expect_recorded_shared(c, *h, r.name);
    } else {
      EXPECT_NE(c.shared_load.wavefronts, h->load_wavefronts) << r.name << ": no exception";
    }
  }
}

TEST(recorded_counters, are_those_of_a_launch_only_where_all_of_it_is_the_same) {
  constexpr std::string_view rung = "image/columns";
  const trial_options same{recorded().n, recorded().block, element::uint8};
  ASSERT_NE(recorded_counters(rung, same), nullptr);
  for (auto change : std::initializer_list<void (*)(trial_options&)>{
           [](trial_options& o) { o.n += 1; }, [](trial_options& o) { o.block = 128; },
           [](trial_options& o) { o.type = element::int32; }, [](trial_options& o) { o.warp = 16; },
           [](trial_options& o) { o.height = 100; }, [](trial_options& o) { o.width = 100; },
           [](trial_options& o) { o.padding = 0; }}) {
    trial_options changed = same;
    change(changed);
    EXPECT_EQ(recorded_counters(rung, changed), nullptr);
  }
  trial_options reordered = same;
  reordered.order = simt::schedule::shuffled;
  reordered.seed = 7;
  EXPECT_NE(recorded_counters(rung, reordered), nullptr);
}

// Lanes of block 0 that store, between two barriers: all load, 2^k apart or the lower half of those
// before add, and after the last barrier only global memory is stored to.
TEST(working_lanes, halve_from_step_to_step_of_a_tree) {
  for (const char* name : {"reduce/modulo", "reduce/sequential"}) {
    for (const simt::schedule order : simt::all_schedules) {
      EXPECT_EQ(run_at(*find_rung(name), {1000, 64}, order).working,
                (std::vector<unsigned>{64, 32, 16, 8, 4, 2, 1, 0}))
          << name << " " << to_string(order);
    }
  }
}

}  // namespace
}  // namespace onefold::ladder::test
