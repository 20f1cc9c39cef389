// SPDX-License-Identifier: Apache-2.0
#pragma once
// The image of a trial: its size, and how long its sums may be.

#include "ladder/image/tiles.hpp"
#include "ladder/rung/trial.hpp"

namespace onefold::ladder {

/// So many pixels are summed exactly in a float, in any order: 255 * 65,793 = 2^24 - 1.
inline constexpr unsigned longest_exact_pixel_sum = ((1u << 24) - 1) / 255;

/// What is not given follows from n: a width of sqrt(n), a height of n / width, rounded down.
image_shape shape_of(const trial_options& options);

}  // namespace onefold::ladder
