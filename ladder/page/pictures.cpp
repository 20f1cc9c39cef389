// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/pictures.hpp"

#include "ladder/page/fold_recorder.hpp"
#include "ladder/trial/try_rung.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace onefold::ladder {
namespace {

constexpr std::size_t drawable_elements = 128;
constexpr std::size_t recordable_elements = 4096;
constexpr unsigned image_width = 16, image_height = 8;

/// The first block of the first launch that reads past an end, else the last one.
unsigned telling_block(const grid_picture& picture) {
  const auto strays = [](const lane_access& a) { return a.launch == 0 && !a.inside; };
  const auto found = std::ranges::find_if(picture.accesses, strays);
  return found != picture.accesses.end() ? found->block : picture.grids.front() - 1;
}

double folded(operation op, double a, double b) {
  switch (op) {
  case operation::sum:
    return a + b;
  case operation::product:
    return a * b;
  case operation::maximum:
    return std::max(a, b);
  case operation::minimum:
    return std::min(a, b);
  }
  return a;
}

/// What the elements that a fold holds should give; nothing where it holds more, or none.
std::optional<double> right_value(const fold& f, operation op,
                                  const std::map<std::size_t, double>& elements) {
  if (f.unknown || f.holds.empty()) return {};
  std::optional<double> value;
  for (const std::size_t e : f.holds) {
    const auto found = elements.find(e);
    if (found == elements.end()) return {};
    value = value ? folded(op, *value, found->second) : found->second;
  }
  return value;
}

grid_picture recorded_grid(const rung& r, const trial_options& options) {
  fold_recorder recorder(options.type, fold_recorder::extent::all_launches);
  const trial t = try_rung(r, options, nullptr, &recorder);
  grid_picture picture;
  picture.options = options;
  picture.verdict = t.verdict();
  picture.answer = t.answer;
  picture.expected = t.expected;
  picture.grids = recorder.grids();
  picture.buffers = recorder.buffers();
  picture.accesses = recorder.accesses();
  if (!folds_elements(r)) return picture;
  picture.telling = {options, {}, recorder.in_registers()};
  const unsigned telling = telling_block(picture);
  std::vector<fold> recorded = recorder.folds();
  for (fold& f : recorded) {
    if (r.kind == work::reduce) f.right = right_value(f, options.op, recorder.elements());
    if (f.to.memory != "shared") picture.results.push_back(f);
    if (f.launch == 0 && f.block == telling) picture.telling.folds.push_back(f);
  }
  const unsigned first = picture.telling.folds.empty() ? 0 : picture.telling.folds.front().step;
  for (fold& f : picture.telling.folds) f.step -= first;
  return picture;
}

fold_tree recorded_tree(const rung& r, const trial_options& options) {
  fold_tree tree{options, {}, false};
  fold_recorder recorder(options.type);
  try {
    try_rung(r, options, nullptr, &recorder);
  } catch (const std::invalid_argument&) {
    return tree;
  }
  tree.in_registers = recorder.in_registers();
  if (!tree.in_registers) tree.folds = recorder.folds();
  return tree;
}

trial_options small_launch(const rung& r, trial_options options) {
  options.warp = 4;
  options.padding = 4;
  if (is_image(r)) {
    options.width = image_width;
    options.height = image_height;
    options.n = std::size_t{image_width} * image_height;
    options.block = 16;
    return options;
  }
  options.width = options.height = 0;
  options.block = r.grid_stride ? 4 : 8;
  options.max_grid = r.grid_stride ? 2 : 8;
  const unsigned blocks = r.grid_stride ? 2 : 4;
  options.n = std::min(std::size_t{blocks} * options.block * r.items_per_lane, drawable_elements);
  return options;
}

/// The launches to draw a rung at, the best first.
std::vector<trial_options> small_launches(const rung& r, const trial_options& launch) {
  std::vector<trial_options> list;
  const trial_options small = small_launch(r, launch);
  for (const driver drive : {driver::second_launch, driver::host}) {
    if (r.one_value && drive != driver::host) continue;
    for (const unsigned block : {small.block, 8u, 64u, 128u}) {
      list.push_back(small);
      list.back().drive = drive;
      list.back().block = block;
      if (block > small.block && r.kind == work::reduce) list.back().warp = simt::max_warp_lanes;
    }
  }
  return list;
}

/// The launches at which a published defect may show, the smallest first.
std::vector<trial_options> defect_launches(const trial_options& shown_at) {
  struct shape {
    unsigned block, warp, grid;
  };
  constexpr shape shapes[] = {{8, 4, 2},   {4, 4, 2},   {6, 4, 2}, {8, 32, 2},
                              {16, 32, 2}, {64, 32, 2}, {4, 4, 8}};
  std::vector<trial_options> list;
  if (shown_at.n <= drawable_elements) list.push_back(shown_at);
  for (const shape& s : shapes) {
    for (const std::size_t n : {32, 29, 64, 61, 128}) {
      list.push_back(shown_at);
      list.back().block = s.block;
      list.back().warp = s.warp;
      list.back().max_grid = s.grid;
      list.back().n = n;
    }
  }
  if (shown_at.n <= recordable_elements) list.push_back(shown_at);
  return list;
}

grid_picture grid_of(const rung& r, const trial_options& launch) {
  // The printed dot products have a block of their own, and a launch without it has other defects.
  const auto launches = !r.published          ? small_launches(r, launch)
                        : r.kind == work::dot ? std::vector{r.shown_at}
                                              : defect_launches(r.shown_at);
  for (const trial_options& options : launches) {
    try {
      validate_here(r, options);
      grid_picture picture = recorded_grid(r, options);
      if (!r.published || picture.verdict == r.verdict) return picture;
    } catch (const std::invalid_argument&) {
      continue;
    }
  }
  return {};
}

trial_options one_block(const rung& r, trial_options options, std::size_t n, unsigned most_items) {
  options.n = n;
  options.block = static_cast<unsigned>(n) / std::min(r.items_per_lane, most_items);
  options.warp = simt::max_warp_lanes;
  options.drive = driver::host;
  return options;
}

/// Two warps, or as few more as the rung takes.
fold_tree tree_of_two_warps(const rung& r, const trial_options& launch) {
  const std::size_t n = std::size_t{64} * std::min(r.items_per_lane, 2u);
  fold_tree tree = recorded_tree(r, one_block(r, launch, n, 2));
  if (tree.folds.empty() && !tree.in_registers && r.published) {
    tree = recorded_tree(r, r.shown_at);
  }
  if (!steps_without_barrier(tree)) tree.folds.clear();
  return tree;
}

}  // namespace

bool folds_elements(const rung& r) {
  return r.kind != work::transpose && r.kind != work::vector_add &&
         r.partial != partial_form::exact;
}

bool steps_without_barrier(const fold_tree& tree) {
  const auto follows = [](const fold& a, const fold& b) {
    return a.interval == b.interval && a.step != b.step && a.to.memory == "shared" &&
           b.to.memory == "shared";
  };
  return std::ranges::adjacent_find(tree.folds, follows) != tree.folds.end();
}

page_pictures pictures_of(const rung& r, const trial_options& launch) {
  page_pictures pictures;
  pictures.grid = grid_of(r, launch);
  const bool ends = pictures.grid.verdict.find("no progress") == std::string::npos;
  if (!folds_elements(r) || is_image(r) || !ends) return pictures;
  trial_options usual = launch;
  usual.width = usual.height = 0;
  pictures.eight = recorded_tree(r, one_block(r, usual, 8, 2));
  pictures.two_warps = tree_of_two_warps(r, usual);
  return pictures;
}

}  // namespace onefold::ladder
