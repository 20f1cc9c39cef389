// SPDX-License-Identifier: Apache-2.0
// Every published twin shows the defect it was printed with: its verdict, under every schedule, at
// the line where it is; or the compilers' words where there is nothing to run.

#include "ladder/commands/climb.hpp"
#include "ladder/trial/executor_backend.hpp"
#include "ladder/trial/try_rung.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

namespace onefold::ladder::test {
namespace {

using simt::defect;

std::vector<const rung*> twins(bool compile) {
  std::vector<const rung*> list;
  for (const rung& r : all_rungs()) {
    if (r.published && r.compiles() == compile) list.push_back(&r);
  }
  return list;
}

trial run(const rung& r, trial_options options, simt::schedule order) {
  options.order = order;
  return try_rung(r, options);
}

/// A verdict without its last word on the value.
std::string defects_in(std::string_view verdict) {
  return std::regex_replace(std::string(verdict), std::regex("(, )?wrong value$|^right$"), "");
}

TEST(every_twin, gives_its_verdict_where_it_is_shown) {
  for (const rung* r : twins(true)) {
    EXPECT_EQ(try_rung(*r, r->shown_at).verdict(), r->verdict) << r->name;
  }
}

// A race may end in the right value by luck; that there is a race is no luck.
TEST(every_twin, gives_it_under_every_schedule) {
  for (const rung* r : twins(true)) {
    for (const simt::schedule order : simt::all_schedules) {
      const trial t = run(*r, r->shown_at, order);
      EXPECT_EQ(defects_in(t.verdict()), defects_in(r->verdict)) << r->name << to_string(order);
      if (t.places(defect::race) != 0) continue;
      EXPECT_EQ(t.verdict(), r->verdict) << r->name << " " << to_string(order);
    }
  }
}

/// What stands on the line that a finding names.
std::string line_of(const simt::location& place) {
  std::ifstream file(std::string(ONEFOLD_SOURCE_ROOT) + "/" + place.file);
  std::string line;
  for (unsigned i = 0; i < place.line; ++i) std::getline(file, line);
  return line;
}

// A loop without end is left at whichever of its lines the step limit is reached.
struct culprit {
  defect kind;
  std::string_view text;  ///< part of the line
};

const std::multimap<std::string_view, culprit> culprits = {
    {"published/unguarded", {defect::bounds, "items[tid] = in[std::size_t{blockIdx.x}"}},
    {"published/last-warp-volatile", {defect::race, "last[tid] = Operator::fold(last[tid]"}},
    {"published/last-warp-plain", {defect::race, "items[tid] = Operator::fold(items[tid]"}},
    {"published/last-warp-unbraced", {defect::race, "items[tid] = Operator::fold(items[tid]"}},
    {"published/last-warp-unbraced", {defect::bounds, "    items[tid] = Operator::fold("}},
    {"published/unrolled-limits", {defect::bounds, "value = Operator::fold(items[tid], items[tid"}},
    {"published/cascading-variable", {defect::no_progress, "i = i + round;"}},
    {"published/cascading-variable", {defect::no_progress, "const T first = in[at];"}},
    {"published/cascading-variable", {defect::no_progress, "second = in[at + Block];"}},
    {"published/cascading-unguarded", {defect::bounds, "Operator::fold(in[at], in[at + Block])"}},
    {"published/two-stage-swapped", {defect::uninitialised, "fold(value, in[at])"}},
    {"published/two-stage-threads", {defect::bounds, "Operator::fold(items[tid], items[tid + s])"}},
    {"published/dot-serial", {defect::uninitialised, "partials[blockIdx.x] += "}},
    {"published/dot-unguarded", {defect::bounds, "items[tid] = a[at] * b[at];"}},
    {"published/dot-unrolled", {defect::bounds, "items[tid] += items[tid + s];"}},
    {"published/dot-last-warp", {defect::race, "items[tid] += items[tid + "}},
    {"published/rows-512", {defect::uninitialised, "items[tid] += items[tid + s]"}},
    {"published/rows-atomic", {defect::uninitialised, "atomicAdd("}},
    {"published/loop-x2", {defect::bounds, "sums[at + 1] = a[at + 1] + b[at + 1];"}},
};

bool is_named(const rung& r, const simt::finding& f) {
  const auto [first, last] = culprits.equal_range(r.name);
  return std::any_of(first, last, [&](const auto& entry) {
    return entry.second.kind == f.kind &&
           line_of(f.place).find(entry.second.text) != std::string::npos;
  });
}

TEST(every_twin, is_found_at_its_line) {
  for (const rung* r : twins(true)) {
    for (const simt::finding& f : try_rung(*r, r->shown_at).findings) {
      EXPECT_EQ(f.place.file, r->file) << r->name << ": " << f.text();
      EXPECT_TRUE(is_named(*r, f)) << r->name << ": " << f.text() << ": " << line_of(f.place);
    }
  }
}

// Sizes below and above a warp, blocks that fit and that do not: a claim says where it speaks.
TEST(every_twin, shows_what_its_claims_say_at_every_size) {
  for (const rung* r : twins(true)) {
    const bool ends = r->verdict.find("no progress") == std::string_view::npos;
    for (const std::size_t n : {0, 1, 5, 300, 512, 1000, 4096, 5001}) {
      if (!ends && n > 1) continue;  // every block runs to its step limit
      for (const unsigned block : {1u, 4u, 32u, 64u, 256u, 1024u}) {
        trial_options options = r->shown_at;
        options.n = n;
        options.block = block;
        EXPECT_TRUE(climb({{r, options}})[0].claims_hold) << r->name << " " << n << " " << block;
      }
    }
  }
}

// What every compiler that there is says of a file; empty where it says nothing.

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  for (int c; pipe != nullptr && (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  if (pipe != nullptr) pclose(pipe);
  return text;
}

std::vector<std::string> compilers() {
  const std::string host = " -x c++ -std=c++20 -w -fsyntax-only";
  // nvcc removes its output when it fails, so that is no place to name /dev/null.
  const std::string device =
      " -std=c++20 -w -ptx -o " + (std::filesystem::temp_directory_path() / "twin.ptx").string();
  std::vector<std::string> found;
  for (const auto& [name, flags] : {std::pair{"g++", host}, {"clang++", host}, {"nvcc", device}}) {
    if (output_of(std::string("command -v ") + name).empty()) continue;
    found.push_back("LC_ALL=C " + (name + flags) + " -I" + ONEFOLD_SOURCE_ROOT + " ");
  }
  return found;
}

TEST(every_twin, that_does_not_compile_is_refused_by_every_compiler) {
  const auto all = compilers();
  EXPECT_FALSE(all.empty()) << "apt install g++";
  for (const rung* r : twins(false)) {
    EXPECT_EQ(r->verdict, "does not compile") << r->name;
    const std::string file = std::filesystem::path(r->file).filename().string();
    const std::regex words(file + ".*error.*(" + std::string(r->compiler_says) + ")");
    for (const std::string& compiler : all) {
      const std::string said =
          output_of(compiler + ONEFOLD_SOURCE_ROOT + "/" + std::string(r->file));
      EXPECT_TRUE(std::regex_search(said, words)) << compiler << r->file << "\n" << said;
    }
    EXPECT_THROW(try_rung(*r, {}), std::invalid_argument) << r->name;
  }
}

// Single facts that the pages quote.

trial run_first_add(const trial_options& options) {
  return try_rung(*find_rung("published/first-add"), options);
}

TEST(first_add_as_published, sums_0_to_65535_to_the_wrong_value_it_is_known_for) {
  for (const simt::schedule order : simt::all_schedules) {
    const trial t = run_first_add({65536, 256, element::int32, order});
    EXPECT_EQ(t.answer, "1082097664");
    EXPECT_EQ(t.expected, "2147450880");
  }
}

TEST(first_add_as_published, reads_32512_elements_twice_and_as_many_never) {
  const trial t = run_first_add({});
  EXPECT_EQ(t.reads.repeatedly, 32512u);
  EXPECT_EQ(t.reads.never, 32512u);
  EXPECT_EQ(t.reads.once, 65536u - 2 * 32512u);
}

TEST(first_add_as_published, reads_past_the_end_when_n_is_no_multiple) {
  for (const simt::schedule order : simt::all_schedules) {
    for (const element type : number_types) {
      const trial t = run_first_add({300, 256, type, order});
      EXPECT_EQ(t.verdict(), "bounds, wrong value");
      ASSERT_EQ(t.findings.size(), 1u);
      EXPECT_EQ(t.findings[0].place.file, "ladder/published/first_add.cuh");
      EXPECT_NE(line_of(t.findings[0].place).find("in[at + blockDim.x]"), std::string::npos);
      EXPECT_EQ(t.findings[0].times, 512u - 300u);
    }
  }
}

TEST(first_add_as_published, is_right_for_the_one_block_that_hides_the_defect) {
  EXPECT_EQ(run_first_add({512, 256}).verdict(), "right");
}

TEST(volatile_for_syncwarp, gives_the_right_sum_only_where_lanes_run_in_step) {
  const rung& twin = *find_rung("published/last-warp-volatile");
  for (const simt::schedule order : simt::all_schedules) {
    EXPECT_EQ(run(twin, {}, order).right, order == simt::schedule::lockstep) << to_string(order);
  }
}

// What main() does before the launch is not printed.
TEST(dot0_as_published, is_right_onto_cleared_partials_and_adds_once_more_in_every_launch) {
  constexpr std::size_t n = 1024, block = 512;
  executor_backend where(trial_options{});
  const std::vector<float> ones(n, 1);
  float partials[n / block];
  void *const a = where.allocate(sizeof(float) * n, "a"), *const out = where.allocate(
                                                              sizeof partials, "partials");
  where.upload(a, ones.data(), sizeof(float) * n);
  where.clear(out, sizeof partials);
  kernel_arguments arguments{.in = a, .other = a, .out = out};
  arguments.n = n;
  arguments.grid = n / block;
  arguments.block = block;
  const kernel_entry* const kernel =
      find_kernel(where, "published/dot-serial", element::float32, operation::sum);
  for (const float launches : {1, 2, 3}) {
    kernel->start(where, arguments);
    where.download(partials, out, sizeof partials);
    for (const float partial : partials) EXPECT_EQ(partial, launches * block);
  }
  EXPECT_TRUE(where.findings().empty());
}

TEST(dot4_as_published, overruns_its_shared_array_for_every_block_below_512) {
  for (const unsigned block : {1u, 2u, 32u, 128u, 256u, 512u}) {
    const trial t = try_rung(*find_rung("published/dot-unrolled"),
                             {.n = 1024, .block = block, .type = element::float32});
    EXPECT_EQ(t.places(defect::bounds) != 0, block < 512) << block;
  }
}

TEST(a_block_of_96, has_64_of_its_96_elements_summed) {
  const trial t = try_rung(*find_rung("published/block-96"), {.n = 96, .block = 96});
  EXPECT_EQ(t.reads.once, 96u);
  int summed = 0;
  for (int i = 0; i < 96; ++i) summed += i % 3 == 2 ? 0 : i;
  EXPECT_EQ(t.answer, std::to_string(summed));
}

}  // namespace
}  // namespace onefold::ladder::test
