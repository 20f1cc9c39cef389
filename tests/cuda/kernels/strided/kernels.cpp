// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "cuda/kernels/strided/exponentials/exponential_columns.cuh"
#include "cuda/kernels/strided/exponentials/exponential_rows.cuh"
#include "cuda/kernels/strided/exponentials/shared_exponentials.cuh"
#include "cuda/kernels/strided/exponentials/strided_exponentials.cuh"
#include "cuda/kernels/strided/moments/ambiguous_columns.cuh"
#include "cuda/kernels/strided/moments/double_rows.cuh"
#include "cuda/kernels/strided/moments/moment_columns.cuh"
#include "cuda/kernels/strided/moments/moment_rows.cuh"
#include "cuda/kernels/strided/moments/packed_moments.cuh"
#include "cuda/kernels/strided/moments/strided_moments.cuh"
#include "cuda/kernels/strided/ordered/strided_products.cuh"
#include "cuda/kernels/strided/strided_folds.cuh"
#include "cuda/kernels/strided/strided_sums.cuh"

#include <array>
#include <bit>

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

void launch_exponential_rows(executor& gpu, launch_config config, const nested_request& of,
                             bool certain) {
  const strided_rows rows = exponential_rows_of(of).value();
  const exponential_rows_kernel run =
      exponential_rows_kernel_of(of.x_kind.type, are_packed_exponentials(of, rows));
  const exponential_answers answers =
      certain ? std::bit_cast<exponential_answers>(
                    std::array<double, 3>{std::bit_cast<double>(std::int64_t(1))})
              : exponential_answers_of(of, rows);
  config.dynamic_shared_bytes = std::size_t(row_tile_warps * row_stages_bytes);
  simt::launch(gpu, config, [=] { run(of, rows, answers); });
}

void launch_columns(executor& gpu, const launch_config& config, const moment_columns& of) {
  const auto run = of.step <= column_step::join ? nested_moment_columns : ambiguous_moment_columns;
  simt::launch(gpu, config, [=] { run(of); });
}

void launch_columns(executor& gpu, const launch_config& config, const exponential_columns& of) {
  const auto run = of.step <= exponential_step::join
                       ? exponential_columns_kernel_of(of.request.x_kind.type)
                       : shared_exponentials;
  simt::launch(gpu, config, [=] { run(of); });
}

void launch_nested(executor& gpu, const launch_config& config, const nested_request& of,
                   std::int64_t* words) {
  if (of.shape != order::none && is_floating(of.input))
    return simt::launch(gpu, config, [=] { nested_products(of, words); });
  if (of.shape != order::none) return launch_folds<folds::any_product>(gpu, config, of, words);
  if (exponential_rows_of(of)) return launch_exponential_rows(gpu, config, of);
  if (of.accumulator == accumulator::moments && of.finish.size > 0)
    return launch_moments(gpu, config, of);
  switch (of.accumulator) {
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
  case accumulator::exponentials:
    return simt::launch(gpu, config, [=] { nested_exponentials(of, words); });
  case accumulator::counts:
    return launch_folds<folds::any_counts>(gpu, config, of, words);
  default:
    return launch_folds<folds::any_bits>(gpu, config, of, words);
  }
}

}  // namespace onefold::cuda::test
