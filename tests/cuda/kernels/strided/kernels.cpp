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
void launch_floats(executor& gpu, const launch_config& config, const strided_request& request,
                   std::int64_t* words) {
  simt::launch(gpu, config, [=] { strided_floats<Family, T>(request, words); });
}

template <class Fold>
void launch_folds(executor& gpu, const launch_config& config, const strided_request& request,
                  std::int64_t* words) {
  simt::launch(gpu, config, [=] { folds::strided_folds<Fold>(request, words); });
}

template <accumulator Family>
void launch_sums(executor& gpu, const launch_config& config, const strided_request& request,
                 std::int64_t* words) {
  switch (request.input) {
  case dtype::f16:
    return launch_floats<Family, f16>(gpu, config, request, words);
  case dtype::bf16:
    return launch_floats<Family, bf16>(gpu, config, request, words);
  case dtype::f32:
    return launch_floats<Family, float>(gpu, config, request, words);
  case dtype::f64:
    return launch_floats<Family, double>(gpu, config, request, words);
  default:
    return launch_folds<folds::any_integers<Family>>(gpu, config, request, words);
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

void launch_moments(executor& gpu, const launch_config& config, const strided_request& request) {
  const auto rows = moment_rows_of(request);
  if (rows && request.x_kind.type == dtype::f64) return launch_double_rows(gpu, config, request);
  if (rows)
    return launch_rows(gpu, config, request, row_tile_additions(rows->rows.shape, request.items));
  simt::launch(gpu, config, [=] { strided_moments(request); });
}

}  // namespace

void launch_rows(executor& gpu, launch_config config, const strided_request& request, double m) {
  const moment_rows_kernel run = moment_rows_kernel_of(request.x_kind.type);
  const moment_rows rows = moment_rows_of(request).value();
  const quick_moments quick(request.items, request.finish.correction, m);
  config.dynamic_shared_bytes = std::size_t(row_tile_warps * row_stages_bytes);
  if (rows.packed)
    return simt::launch(gpu, config, [=] { strided_packed_moments(request, rows.rows, quick); });
  simt::launch(gpu, config, [=] { run(request, rows, quick); });
}

namespace {

struct far_distances : double_row_proof {
  static constexpr bool bounds_distances = false;
};
struct no_errors : double_row_proof {
  static constexpr bool bounds_errors = false;
};

auto double_rows_of(double_row_mutant mutant) {
  if (mutant == double_row_mutant::far_distances) return strided_double_moment_rows<far_distances>;
  if (mutant == double_row_mutant::no_errors) return strided_double_moment_rows<no_errors>;
  return strided_double_moment_rows<double_row_proof>;
}

}  // namespace

void launch_double_rows(executor& gpu, launch_config config, const strided_request& request,
                        double_row_mutant mutant) {
  const moment_rows rows = moment_rows_of(request).value();
  const double_moments_answers answers(request.items, request.finish.correction);
  const auto run = double_rows_of(mutant);
  config.dynamic_shared_bytes = std::size_t(row_tile_warps * row_stages_bytes);
  simt::launch(gpu, config, [=] { run(request, rows, answers); });
}

void launch_exponential_rows(executor& gpu, launch_config config, const strided_request& request,
                             bool certain) {
  const strided_rows rows = exponential_rows_of(request).value();
  const exponential_rows_kernel run =
      exponential_rows_kernel_of(request.x_kind.type, are_packed_exponentials(request, rows));
  const exponential_answers answers =
      certain ? std::bit_cast<exponential_answers>(
                    std::array<double, 3>{std::bit_cast<double>(std::int64_t(1))})
              : exponential_answers_of(request, rows);
  config.dynamic_shared_bytes = std::size_t(row_tile_warps * row_stages_bytes);
  simt::launch(gpu, config, [=] { run(request, rows, answers); });
}

void launch_columns(executor& gpu, const launch_config& config, const moment_columns& columns) {
  const auto run =
      columns.step <= column_step::join ? strided_moment_columns : ambiguous_moment_columns;
  simt::launch(gpu, config, [=] { run(columns); });
}

void launch_columns(executor& gpu, const launch_config& config,
                    const exponential_columns& columns) {
  const auto run = columns.step <= exponential_step::join
                       ? exponential_columns_kernel_of(columns.request.x_kind.type)
                       : shared_exponentials;
  simt::launch(gpu, config, [=] { run(columns); });
}

void launch_strided(executor& gpu, const launch_config& config, const strided_request& request,
                    std::int64_t* words) {
  if (request.shape != order::none && is_floating(request.input))
    return simt::launch(gpu, config, [=] { strided_products(request, words); });
  if (request.shape != order::none)
    return launch_folds<folds::any_product>(gpu, config, request, words);
  if (exponential_rows_of(request)) return launch_exponential_rows(gpu, config, request);
  if (request.accumulator == accumulator::moments && request.finish.size > 0)
    return launch_moments(gpu, config, request);
  switch (request.accumulator) {
  case accumulator::total:
    return launch_sums<accumulator::total>(gpu, config, request, words);
  case accumulator::magnitudes:
    return launch_sums<accumulator::magnitudes>(gpu, config, request, words);
  case accumulator::squares:
    return launch_sums<accumulator::squares>(gpu, config, request, words);
  case accumulator::products:
    return launch_sums<accumulator::products>(gpu, config, request, words);
  case accumulator::moments:
    launch_sums<accumulator::total>(gpu, config, request, words);
    return launch_sums<accumulator::squares>(gpu, config, request,
                                             words + words_of_total(request.input));
  case accumulator::extrema:
    return launch_folds<folds::any_extrema>(gpu, config, request, words);
  case accumulator::exponentials:
    return simt::launch(gpu, config, [=] { strided_exponentials(request, words); });
  case accumulator::counts:
    return launch_folds<folds::any_counts>(gpu, config, request, words);
  default:
    return launch_folds<folds::any_bits>(gpu, config, request, words);
  }
}

}  // namespace onefold::cuda::test
