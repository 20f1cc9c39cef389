// SPDX-License-Identifier: Apache-2.0
// The kernels of any plan, compiled for the executor.
#pragma once

#include <utility>

#include <span>
#include <vector>

#include "cuda/nested/moments/columns.hpp"
#include "cuda/nested/nested.hpp"
#include "cuda/nested/ordered/log_columns.hpp"
#include "simt/launch.hpp"

namespace onefold::cuda::test {

/// As launch_nested.
void launch_nested(simt::executor& gpu, const simt::launch_config& config, const nested_request& of,
                   std::int64_t* words);

/// One launch of the kernel of moment_rows, whose interval allows for m additions one after
/// another.
void launch_rows(simt::executor& gpu, simt::launch_config config, const nested_request& of,
                 double m);

/// What a mutant of rows of f64 does not ask for.
enum class double_row_mutant { none, far_distances, no_errors };

/// The same of rows of f64.
void launch_double_rows(simt::executor& gpu, simt::launch_config config, const nested_request& of,
                        double_row_mutant mutant = double_row_mutant::none);

/// One launch of the kernels of columns.
void launch_columns(simt::executor& gpu, const simt::launch_config& config,
                    const moment_columns& of);
void launch_columns(simt::executor& gpu, const simt::launch_config& config, const log_columns& of);

/// The sums of terms of elements, at most 2^16 of them, for each binade of a window above the
/// guess.
std::vector<std::uint64_t> window_sums(float guess, std::span<const float> x);
/// The same of any terms below 2^56.
std::vector<std::uint64_t> window_sums(std::span<const std::uint64_t> terms);
/// The place of the sum for a largest element, or -1.
int place_in_window(float guess, float top);

/// The interval that certifies log(sum) + shift, and the logarithm in it.
std::pair<double, double> interval_of_logarithm(double shift, double sum);
double quick_logarithm_of(double sum);

}  // namespace onefold::cuda::test
