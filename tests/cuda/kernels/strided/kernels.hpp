// SPDX-License-Identifier: Apache-2.0
// The kernels of any plan, compiled for the executor.
#pragma once

#include "cuda/kernels/strided/exponentials/exponential_columns.hpp"
#include "cuda/kernels/strided/moments/moment_columns.hpp"
#include "cuda/kernels/strided/strided.hpp"
#include "simt/launch.hpp"

namespace onefold::cuda::test {

/// As launch_strided.
void launch_strided(simt::executor& gpu, const simt::launch_config& config,
                    const strided_request& request, std::int64_t* words);

/// One launch of the kernel of moment_rows, whose interval allows for m additions one after
/// another.
void launch_rows(simt::executor& gpu, simt::launch_config config, const strided_request& request,
                 double m);

/// What a mutant of rows of f64 does not ask for.
enum class double_row_mutant { none, far_distances, no_errors };

/// The same of rows of f64.
void launch_double_rows(simt::executor& gpu, simt::launch_config config,
                        const strided_request& request,
                        double_row_mutant mutant = double_row_mutant::none);

/// One launch of the kernel of exponential_rows. certain: a mutant whose answers allow for no
/// error.
void launch_exponential_rows(simt::executor& gpu, simt::launch_config config,
                             const strided_request& request, bool certain = false);

/// One launch of the kernels of columns.
void launch_columns(simt::executor& gpu, const simt::launch_config& config,
                    const moment_columns& columns);
void launch_columns(simt::executor& gpu, const simt::launch_config& config,
                    const exponential_columns& columns);

}  // namespace onefold::cuda::test
