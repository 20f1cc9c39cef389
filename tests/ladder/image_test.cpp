// SPDX-License-Identifier: Apache-2.0
// The image rungs: right for every size, block, padding and schedule; what they cost; what they
// refuse; how long their sums are exact.

#include "ladder/commands/climb.hpp"
#include "ladder/image/shape.hpp"
#include "ladder/page/trials.hpp"
#include "ladder/trial/executor_backend.hpp"
#include "ladder/trial/problem.hpp"
#include "ladder/trial/try_rung.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace onefold::ladder::test {
namespace {

constexpr image_shape sizes[] = {{0, 0},   {1, 1},   {1, 300},  {300, 1},   {17, 33},  {31, 64},
                                 {64, 31}, {4, 257}, {100, 77}, {255, 257}, {256, 256}};
constexpr unsigned paddings[] = {0, 1, 2, 4, 8};

trial_options options_for(image_shape shape, unsigned block,
                          simt::schedule order = simt::schedule::forward) {
  trial_options options;
  options.n = shape.pixels();
  options.width = shape.width;
  options.height = shape.height;
  options.block = block;
  options.type = element::uint8;
  options.order = order;
  return options;
}

bool takes(const rung& r, const trial_options& options) {
  return r.refuses == nullptr || r.refuses(options).empty();
}

/// Rungs whose predecessor takes the options too, as claims compare with it.
std::vector<climb_step> image_steps(const trial_options& options) {
  std::vector<climb_step> steps;
  for (const rung& r : all_rungs()) {
    if (is_image(r) && !r.published && takes(r, options)) steps.push_back({&r, options});
  }
  return steps;
}

std::string where(const rung& r, const trial_options& options) {
  const image_shape shape = shape_of(options);
  return std::string(r.name) + " " + std::to_string(shape.width) + " x " +
         std::to_string(shape.height) + " block " + std::to_string(options.block) + " padding " +
         std::to_string(options.padding) + " warp " + std::to_string(options.warp) + " " +
         to_string(options.order);
}

void expect_right(const trial_options& options) {
  for (const climb_result& result : climb(image_steps(options))) {
    const trial& t = result.outcome;
    const std::string here = where(*result.step, options);
    EXPECT_EQ(t.verdict(), "right") << here << ": " << t.answer;
    EXPECT_EQ(t.reads.once, shape_of(options).pixels()) << here;
    EXPECT_TRUE(result.claims_hold) << here;
  }
}

trial run_image(std::string_view rung, const trial_options& options) {
  return try_rung(*find_rung(rung), options);
}

TEST(every_image_rung, is_right_for_odd_sizes_in_every_block) {
  for (const image_shape shape : sizes) {
    for (unsigned block = 1; block <= 1024; block *= 2) expect_right(options_for(shape, block));
  }
}

TEST(every_image_rung, is_right_in_every_schedule) {
  for (const image_shape shape : sizes) {
    if (shape.pixels() > 10000) continue;
    for (const simt::schedule order : simt::all_schedules) {
      for (const unsigned block : {64u, 256u, 1024u})
        expect_right(options_for(shape, block, order));
    }
  }
}

TEST(every_image_rung, is_right_with_toy_warps) {
  for (const unsigned warp : {1u, 2u, 4u, 8u, 16u}) {
    for (const unsigned block : {8u, 64u}) {
      trial_options options = options_for({37, 21}, block, simt::schedule::shuffled);
      options.warp = warp;
      expect_right(options);
    }
  }
}

TEST(every_image_rung, is_right_without_pixels) {
  for (const image_shape shape : {image_shape{0, 5}, image_shape{5, 0}}) {
    trial_options options = options_for(shape, 64);
    ASSERT_EQ(shape_of(options).width, shape.width);
    ASSERT_EQ(shape_of(options).height, shape.height);
    expect_right(options);
  }
}

TEST(transpose_padded, is_right_with_every_padding) {
  for (const unsigned padding : paddings) {
    for (const image_shape shape : {image_shape{100, 77}, image_shape{128, 128}}) {
      for (const unsigned block : {64u, 256u, 1024u}) {
        trial_options options = options_for(shape, block, simt::schedule::shuffled);
        options.padding = padding;
        expect_right(options);
      }
    }
  }
}

// A claim about a padding is about that one, whatever the launch.
TEST(transpose_padded, shows_each_claim_at_a_launch_that_shows_it) {
  const rung& r = *find_rung("image/transpose-padded");
  for (const unsigned padding : paddings) {
    trials done;
    trial_options options = usual_options(r);
    options.padding = padding;
    for (const claim& c : r.claims) {
      const claim_state state = judge(c, done.compared(r, options, c));
      EXPECT_EQ(state, c.true_here ? claim_state::holds : claim_state::does_not_hold) << c.says;
    }
  }
}

// 256 x 256 pixels are 2,048 warps of 32 lanes with a pixel each; bytes, sectors of 32, lines of
// 128, so a row of the image is two lines.
constexpr std::uint64_t pixel_warps = 256 * 256 / 32;

// A block of s x s lanes puts 32 / s rows of s lanes into a warp. A run of s bytes is one sector,
// as s divides 32; going down, s columns get 32 / s neighbouring bytes each: one sector a column.
TEST(image_counts, of_the_naive_transpose_show_how_a_block_folds_into_warps) {
  for (const unsigned s : {8u, 16u, 32u}) {
    const simt::counts c =
        run_image("image/transpose-naive", options_for({256, 256}, s * s)).counts;
    const std::uint64_t rows = pixel_warps * 32 / s, columns = pixel_warps * s;
    EXPECT_EQ(c.global_load, (simt::global_counts{pixel_warps, rows, rows})) << s;
    EXPECT_EQ(c.global_store, (simt::global_counts{pixel_warps, columns, columns})) << s;
    EXPECT_EQ(c.divergent_branches, 0u);
    EXPECT_EQ(c.barriers, 0u);
  }
}

struct tile_conflicts {
  unsigned side, padding;
  unsigned in_a_tile;  ///< over the loads of its s^2 / 32 warps
  unsigned ways;
};

// A load walks down the tile, in columns that share words in fours; rows are s + p bytes apart.
//   s 8    64 bytes of 128: nothing to conflict with; nor when padded, up to 128
//   s 16   +0: 16 words, 4 banks apart, in 8 banks; +1, +2: drift over 272 and 288 bytes, where the
//          first words' banks come round again; +4: 5 banks apart; +8: 6, and 16 of them fit
//   s 32   +0: 32 words, 8 banks apart, in 4 banks: 7 conflicts in each of 32 loads; +1: drifts
//          through all banks, and meets the first again unless it starts a word: 24 of 32 loads;
//          +2: meets in all; +4: 9 banks apart; +8: 10, so 16 banks: 1 conflict a load
constexpr tile_conflicts conflicts[] = {
    {8, 0, 0, 1},       {8, 1, 0, 1},   {8, 2, 0, 1},   {8, 4, 0, 1},  {8, 8, 0, 1},
    {16, 0, 8, 2},      {16, 1, 8, 2},  {16, 2, 8, 2},  {16, 4, 0, 1}, {16, 8, 0, 1},
    {32, 0, 7 * 32, 8}, {32, 1, 24, 2}, {32, 2, 32, 2}, {32, 4, 0, 1}, {32, 8, 32, 2},
};

simt::counts tile_counts(const tile_conflicts& at) {
  const std::uint64_t tiles = 256 / at.side * (256 / at.side);
  const std::uint64_t rows = pixel_warps * 32 / at.side;
  simt::counts c;
  c.shared_store = {pixel_warps, pixel_warps, 0, 1};
  c.shared_load = {pixel_warps, pixel_warps + tiles * at.in_a_tile, tiles * at.in_a_tile, at.ways};
  c.global_load = c.global_store = {pixel_warps, rows, rows};
  c.barriers = pixel_warps;
  return c;
}

TEST(image_counts, of_tiles_of_bytes_depend_on_side_and_padding) {
  for (const tile_conflicts& at : conflicts) {
    trial_options options = options_for({256, 256}, at.side * at.side);
    options.padding = at.padding;
    const std::string here = where(*find_rung("image/transpose-padded"), options);
    EXPECT_EQ(run_image("image/transpose-padded", options).counts, tile_counts(at)) << here;
    if (at.padding != 0) continue;
    EXPECT_EQ(run_image("image/transpose-tile", options).counts, tile_counts(at)) << here;
  }
}

// 512 requests of 32 words in each direction, each one line of four sectors; one word a lane and a
// wavefront in shared memory; four tiles with one barrier.
TEST(image_counts, of_packed_bytes_are_those_of_words) {
  for (const unsigned block : {64u, 256u, 1024u}) {
    const simt::counts c =
        run_image("image/transpose-packed", options_for({256, 256}, block)).counts;
    constexpr std::uint64_t requests = 256 * 256 / 128;
    EXPECT_EQ(c.global_load, (simt::global_counts{requests, 4 * requests, requests}));
    EXPECT_EQ(c.global_store, c.global_load);
    EXPECT_EQ(c.shared_load, (simt::shared_counts{requests, requests, 0, 1}));
    EXPECT_EQ(c.shared_store, c.shared_load);
    EXPECT_EQ(c.barriers, 4 * block / 32);
    EXPECT_EQ(c.divergent_branches, 0u);
  }
}

// Column sums: 8 warps of 32 columns; each reads a sector of each of 256 rows and stores 32 floats,
// four sectors.
TEST(image_counts, of_the_column_sums_are_coalesced) {
  const simt::counts c = run_image("image/columns", options_for({256, 256}, 256)).counts;
  EXPECT_EQ(c.global_load, (simt::global_counts{pixel_warps, pixel_warps, pixel_warps}));
  EXPECT_EQ(c.global_store, (simt::global_counts{8, 32, 8}));
  EXPECT_EQ(c.divergent_branches, 0u);
}

// Row sums by chunks: 8 warps of 32 rows by 2 chunks of 128 columns; each column is a request for a
// byte in each of 32 rows.
TEST(image_counts, of_the_row_sums_by_chunks_are_a_sector_a_lane) {
  const simt::counts c = run_image("image/rows-atomic", options_for({256, 256}, 256)).counts;
  EXPECT_EQ(c.global_load, (simt::global_counts{pixel_warps, 32 * pixel_warps, 32 * pixel_warps}));
  EXPECT_EQ(c.divergent_branches, 0u);
}

// A row: 256 / 32 requests of one sector, whatever the block; in a block of W warps, a store a
// warp, one load of all W sums by the first, one barrier. Branches: lane 0 of every warp, the W
// lanes of the first warp that load, lane 0 of the block.
TEST(image_counts, of_the_row_sums_by_blocks_are_coalesced) {
  for (const unsigned warps : {2u, 8u}) {
    const simt::counts c =
        run_image("image/rows-block", options_for({256, 256}, 32 * warps)).counts;
    EXPECT_EQ(c.global_load, (simt::global_counts{pixel_warps, pixel_warps, pixel_warps}));
    EXPECT_EQ(c.global_store, (simt::global_counts{256, 256, 256}));
    EXPECT_EQ(c.shared_store, (simt::shared_counts{256 * warps, 256 * warps, 0, 1}));
    EXPECT_EQ(c.shared_load, (simt::shared_counts{256, 256, 0, 1}));
    EXPECT_EQ(c.barriers, 256 * warps);
    EXPECT_EQ(c.divergent_branches, 256 * (warps + 1 + 1));
  }
}

TEST(image_counts, do_not_depend_on_the_schedule) {
  for (const climb_step& step : image_steps(options_for({100, 77}, 256))) {
    const simt::counts forward = try_rung(*step.step, step.options).counts;
    for (const simt::schedule order : simt::all_schedules) {
      trial_options options = step.options;
      options.order = order;
      EXPECT_EQ(try_rung(*step.step, options).counts, forward) << where(*step.step, options);
    }
  }
}

// The launches of a rung on an image that is white all over; the sums start at `start`.
struct white_image {
  image_shape shape;
  simt::schedule order = simt::schedule::forward;
  unsigned runs = 1;
  float start = 0;
};

std::vector<float> sums_of(std::string_view rung, const white_image& white) {
  executor_backend where({.block = 256, .order = white.order});
  const std::vector<unsigned char> pixels(white.shape.pixels(), 255);
  const bool columns = rung == "image/columns";
  std::vector<float> sums(columns ? white.shape.width : white.shape.height, white.start);
  void* in = where.allocate(pixels.size(), "in");
  void* out = where.allocate(sums.size() * sizeof(float), "out");
  where.upload(in, pixels.data(), pixels.size());
  where.upload(out, sums.data(), sums.size() * sizeof(float));
  kernel_arguments arguments{.in = in, .out = out, .n = pixels.size()};
  arguments.width = white.shape.width;
  arguments.height = white.shape.height;
  const kernel_entry* kernel = find_kernel(where, rung, element::uint8, operation::sum);
  for (unsigned i = 0; i < white.runs; ++i) kernel->start(where, arguments);
  EXPECT_TRUE(where.findings().empty()) << rung;
  where.download(sums.data(), out, sums.size() * sizeof(float));
  return sums;
}

// 255 * 65,793 = 16,777,215 = 2^24 - 1, so every partial sum is an integer that a float holds.
// 255 * 65,795 is odd and above 2^24, where floats are even: no order of additions gets it.
TEST(sums_of_bytes, are_exact_up_to_65793_of_them_in_any_order) {
  static_assert(longest_exact_pixel_sum == 65793);
  for (const simt::schedule order : simt::all_schedules) {
    if (order == simt::schedule::lockstep) continue;
    for (const std::string_view rung : {"image/rows-atomic", "image/rows-block"}) {
      EXPECT_EQ(sums_of(rung, {{65793, 2}, order}), std::vector(2, 16777215.0f)) << rung;
      EXPECT_NE(double{sums_of(rung, {{65795, 1}, order})[0]}, 255.0 * 65795) << rung;
    }
  }
  EXPECT_EQ(sums_of("image/columns", {{2, 65793}}), std::vector(2, 16777215.0f));
  EXPECT_NE(double{sums_of("image/columns", {{1, 65795}})[0]}, 255.0 * 65795);
}

TEST(rows_atomic, adds_to_what_the_output_holds) {
  const std::vector<float> once(3, 255 * 200), twice(3, 2 * 255 * 200);
  EXPECT_EQ(sums_of("image/rows-atomic", {{200, 3}}), once);
  EXPECT_EQ(sums_of("image/rows-atomic", {.shape = {200, 3}, .runs = 2}), twice);
  EXPECT_EQ(sums_of("image/rows-block", {.shape = {200, 3}, .runs = 2, .start = 7}), once);
}

TEST(rows_atomic, is_right_in_a_second_run_because_its_output_is_cleared) {
  const rung& r = *find_rung("image/rows-atomic");
  const trial_options options = options_for({300, 40}, 64);
  executor_backend where(options);
  const auto work = make_problem(r, options, where);
  for (int i = 0; i < 3; ++i) {
    work->run();
    EXPECT_EQ(work->check().got, "all 40 sums right");
  }
}

TEST(rows_atomic_as_published, adds_to_memory_that_nothing_has_cleared) {
  const rung& twin = *find_rung("published/rows-atomic");
  for (const simt::schedule order : simt::all_schedules) {
    trial_options options = twin.shown_at;
    options.order = order;
    const climb_result result = climb({{&twin, options}})[0];
    EXPECT_EQ(result.outcome.verdict(), twin.verdict) << to_string(order);
    EXPECT_TRUE(result.claims_hold);
    // Poison reads as NaN, and NaN plus anything is NaN.
    EXPECT_NE(result.outcome.answer.find("256 of 256 sums wrong"), std::string::npos);
  }
}

TEST(rows_512_as_published, is_right_with_its_block_and_refuses_what_no_grid_has) {
  const rung& twin = *find_rung("published/rows-512");
  EXPECT_EQ(try_rung(twin, options_for({700, 40}, 512)).verdict(), "right");
  EXPECT_EQ(try_rung(twin, options_for({700, 40}, 256)).verdict(), twin.verdict);
  EXPECT_EQ(twin.refuses(options_for({1, 65535}, 512)), "");
  EXPECT_EQ(
      twin.refuses(options_for({1, 65536}, 512)),
      "--height 65536: a row is blockIdx.y, of which a grid has 65535; image/rows-block takes "
      "any height");
  EXPECT_EQ(find_rung("image/rows-block")->refuses(options_for({1, 65536}, 512)), "");
}

TEST(image_shape, follows_from_n_where_it_is_not_given) {
  const auto shape = [](std::size_t n, unsigned width, unsigned height) {
    trial_options options;
    options.n = n;
    options.width = width;
    options.height = height;
    const image_shape s = shape_of(options);
    return std::pair(s.width, s.height);
  };
  using pair = std::pair<unsigned, unsigned>;
  EXPECT_EQ(shape(65536, 0, 0), (pair{256, 256}));
  EXPECT_EQ(shape(1000, 0, 0), (pair{31, 32}));
  EXPECT_EQ(shape(1, 0, 0), (pair{1, 1}));
  EXPECT_EQ(shape(0, 0, 0), (pair{0, 0}));
  EXPECT_EQ(shape(1000, 10, 0), (pair{10, 100}));
  EXPECT_EQ(shape(1000, 0, 10), (pair{100, 10}));
  EXPECT_EQ(shape(1000, 30, 20), (pair{30, 20}));
}

void expect_refused(std::string_view rung, const trial_options& options, const std::string& why) {
  try {
    run_image(rung, options);
    FAIL() << where(*find_rung(rung), options);
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), std::string(rung) + ": " + why);
  }
}

TEST(image_refusal, names_the_option_and_the_remedy) {
  for (const std::string_view rung :
       {"image/transpose-tile", "image/transpose-padded", "image/transpose-packed"}) {
    expect_refused(rung, options_for({8, 8}, 128),
                   "--block 128: a tile has 8 x 8, 16 x 16 or 32 x 32 lanes; use 64, 256 or 1024");
  }
  trial_options options = options_for({8, 8}, 64);
  options.padding = 3;
  expect_refused("image/transpose-padded", options, "--padding 3: use 0, 1, 2, 4 or 8 bytes");
  expect_refused("image/transpose-naive", options_for({1, 65536}, 1),
                 "--height 65536: a grid is at most 65535 blocks high, of 1 rows here; use fewer "
                 "rows or a larger --block");
  const std::string limit =
      ": sums of bytes are checked exactly, which a float allows up to 65793 of them; use fewer";
  expect_refused("image/rows-block", options_for({65794, 1}, 64), "--width 65794" + limit);
  expect_refused("image/columns", options_for({1, 65794}, 64), "--height 65794" + limit);
  expect_refused("image/columns", options_for({1u << 15, 1u << 14}, 64),
                 "32768 x 16384: an image has at most 268435456 pixels; use a smaller one");
}

TEST(image_refusal, of_other_types_names_those_there_are) {
  trial_options options = options_for({8, 8}, 64);
  options.type = element::float32;
  EXPECT_THROW(run_image("image/columns", options), std::invalid_argument);
}

}  // namespace
}  // namespace onefold::ladder::test
