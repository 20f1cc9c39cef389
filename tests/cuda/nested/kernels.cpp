// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "cuda/nested/floats.cuh"
#include "cuda/nested/folds.cuh"
#include "cuda/nested/moments/ambiguous_columns.cuh"
#include "cuda/nested/moments/columns.cuh"
#include "cuda/nested/moments/double_rows.cuh"
#include "cuda/nested/moments/moments.cuh"
#include "cuda/nested/moments/packed_rows.cuh"
#include "cuda/nested/moments/rows.cuh"
#include "cuda/nested/ordered/log_columns.cuh"
#include "cuda/nested/ordered/log_row_blocks.cuh"
#include "cuda/nested/ordered/log_row_tiles.cuh"
#include "cuda/nested/ordered/log_sums.cuh"
#include "cuda/nested/ordered/log_tiles.cuh"
#include "cuda/nested/ordered/products.cuh"

namespace onefold::cuda::test {
namespace {

using simt::executor;
using simt::launch_config;

template <accumulator Family, class T>
void launch_floats(executor& gpu, const launch_config& config, const nested_request& of,
                   std::int64_t* words) {
  simt::launch(gpu, config, [=] { nested_floats<Family, T>(of, words); });
}

template <class Fold>
void launch_folds(executor& gpu, const launch_config& config, const nested_request& of,
                  std::int64_t* words) {
  simt::launch(gpu, config, [=] { folds::nested_folds<Fold>(of, words); });
}

template <accumulator Family>
void launch_sums(executor& gpu, const launch_config& config, const nested_request& of,
                 std::int64_t* words) {
  switch (of.input) {
  case dtype::f16:
    return launch_floats<Family, f16>(gpu, config, of, words);
  case dtype::bf16:
    return launch_floats<Family, bf16>(gpu, config, of, words);
  case dtype::f32:
    return launch_floats<Family, float>(gpu, config, of, words);
  case dtype::f64:
    return launch_floats<Family, double>(gpu, config, of, words);
  default:
    return launch_folds<folds::any_integers<Family>>(gpu, config, of, words);
  }
}

using kernel = void (*)(nested_request, std::int64_t*);

kernel ordered_kernel_of(const nested_request& of) {
  const bool floats = is_floating(of.input);
  if (of.of == accumulator::product)
    return floats ? nested_products : folds::nested_folds<folds::any_product>;
  return floats ? nested_log_sums : folds::nested_integer_log_sums;
}

int words_of_total(dtype input) {
  switch (input) {
  case dtype::f16:
    return terms<accumulator::total, f16>::words;
  case dtype::bf16:
    return terms<accumulator::total, bf16>::words;
  case dtype::f32:
    return terms<accumulator::total, float>::words;
  case dtype::f64:
    return terms<accumulator::total, double>::words;
  default:
    return folds::any_integers<accumulator::total>::partial_words;
  }
}

void launch_moments(executor& gpu, const launch_config& config, const nested_request& of) {
  const auto rows = moment_rows_of(of);
  if (rows && of.x_kind.type == dtype::f64) return launch_double_rows(gpu, config, of);
  if (rows) return launch_rows(gpu, config, of, row_tile_additions(rows->rows.shape, of.items));
  simt::launch(gpu, config, [=] { nested_moments(of); });
}

void launch_tiles(executor& gpu, launch_config config, const nested_request& of,
                  const strided_rows& rows) {
  config.dynamic_shared_bytes = std::size_t(row_tile_warps * row_stages_bytes);
  simt::launch(gpu, config, [=] { nested_log_tiles(of, rows); });
}

void launch_row_tiles(executor& gpu, launch_config config, const nested_request& of,
                      const strided_rows& rows) {
  config.block = {row_tile_warps * warp_lanes};
  config.dynamic_shared_bytes = row_tile_warps * row_stages_bytes;
  simt::launch(gpu, config, [=] { nested_log_row_tiles(of, rows); });
}

void launch_row_blocks(executor& gpu, launch_config config, const nested_request& of) {
  config.block = {log_row_lanes_of(of)};
  simt::launch(gpu, config, [=] { nested_log_row_blocks(of); });
}

}  // namespace

void launch_rows(executor& gpu, launch_config config, const nested_request& of, double m) {
  const moment_rows_kernel run = moment_rows_kernel_of(of.x_kind.type);
  const moment_rows rows = moment_rows_of(of).value();
  const quick_moments quick(of.items, of.finish.correction, m);
  config.dynamic_shared_bytes = std::size_t(row_tile_warps * row_stages_bytes);
  if (rows.packed)
    return simt::launch(gpu, config, [=] { nested_packed_moments(of, rows.rows, quick); });
  simt::launch(gpu, config, [=] { run(of, rows, quick); });
}

namespace {

struct far_distances : double_row_proof {
  static constexpr bool bounds_distances = false;
};
struct no_errors : double_row_proof {
  static constexpr bool bounds_errors = false;
};

auto double_rows_of(double_row_mutant mutant) {
  if (mutant == double_row_mutant::far_distances) return nested_double_moment_rows<far_distances>;
  if (mutant == double_row_mutant::no_errors) return nested_double_moment_rows<no_errors>;
  return nested_double_moment_rows<double_row_proof>;
}

}  // namespace

void launch_double_rows(executor& gpu, launch_config config, const nested_request& of,
                        double_row_mutant mutant) {
  const moment_rows rows = moment_rows_of(of).value();
  const double_moments_answers answers(of.items, of.finish.correction);
  const auto run = double_rows_of(mutant);
  config.dynamic_shared_bytes = std::size_t(row_tile_warps * row_stages_bytes);
  simt::launch(gpu, config, [=] { run(of, rows, answers); });
}

std::pair<double, double> interval_of_logarithm(double shift, double sum) {
  const log_interval ends = interval_about(shift + quick_logarithm_of(sum), 0x1p-42);
  return {ends.low, ends.high};
}
double quick_logarithm_of(double sum) {
  log_tables tables = {};
  for (int i = 0; i < log_nodes; ++i) tables.nodes[i] = log_node_of(i);
  return quick_logarithm(sum, tables);
}

int place_in_window(float guess, float top) {
  return window_place(guess, top);
}
std::vector<std::uint64_t> window_sums(float guess, std::span<const float> x) {
  term_powers powers;
  for (int i = 0; i < exponential::term_steps; ++i)
    powers.of[i] = exponential::term_powers[exponential::term_steps - 1 - i];
  const chunk_exponentials<float> about(guess, powers);
  std::vector<std::uint64_t> terms;
  for (const float each : x) terms.push_back(about.term_without_origin(each));
  return window_sums(terms);
}
std::vector<std::uint64_t> window_sums(std::span<const std::uint64_t> terms) {
  term_window window;
  for (std::size_t i = 0; i < terms.size(); i += term_window::items) {
    float places[term_window::items];
    for (std::size_t j = 0; j < term_window::items; ++j) places[j] = float(i + j);
    window.add(places, [&](float place) {
      return std::size_t(place) < terms.size() ? terms[std::size_t(place)] : 0;
    });
  }
  std::vector<std::uint64_t> sums;
  for (int place = 0; place <= window_reach; ++place) sums.push_back(window.at(place));
  return sums;
}

void launch_columns(executor& gpu, const launch_config& config, const moment_columns& of) {
  const auto run = of.step <= column_step::join ? nested_moment_columns : ambiguous_moment_columns;
  simt::launch(gpu, config, [=] { run(of); });
}

void launch_columns(executor& gpu, const launch_config& config, const log_columns& of) {
  simt::launch(gpu, config, [=] { nested_log_columns(of); });
}

void launch_nested(executor& gpu, const launch_config& config, const nested_request& of,
                   std::int64_t* words) {
  if (const auto tiles = log_tiles_of(of)) return launch_tiles(gpu, config, of, *tiles);
  if (const auto rows = shared_log_rows_of(of)) return launch_row_tiles(gpu, config, of, *rows);
  if (log_row_lanes_of(of) > 0) return launch_row_blocks(gpu, config, of);
  if (of.shape != order::none) {
    const kernel run = ordered_kernel_of(of);
    return simt::launch(gpu, config, [=] { run(of, words); });
  }
  if (of.of == accumulator::moments && of.finish.size > 0) return launch_moments(gpu, config, of);
  switch (of.of) {
  case accumulator::total:
    return launch_sums<accumulator::total>(gpu, config, of, words);
  case accumulator::magnitudes:
    return launch_sums<accumulator::magnitudes>(gpu, config, of, words);
  case accumulator::squares:
    return launch_sums<accumulator::squares>(gpu, config, of, words);
  case accumulator::products:
    return launch_sums<accumulator::products>(gpu, config, of, words);
  case accumulator::moments:
    launch_sums<accumulator::total>(gpu, config, of, words);
    return launch_sums<accumulator::squares>(gpu, config, of, words + words_of_total(of.input));
  case accumulator::extrema:
    return launch_folds<folds::any_extrema>(gpu, config, of, words);
  case accumulator::counts:
    return launch_folds<folds::any_counts>(gpu, config, of, words);
  default:
    return launch_folds<folds::any_bits>(gpu, config, of, words);
  }
}

}  // namespace onefold::cuda::test
