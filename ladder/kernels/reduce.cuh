// SPDX-License-Identifier: Apache-2.0
// The table of the reduce rungs and their published twins, for whichever engine compiles it.
#pragma once

#include "ladder/kernels/reduce_starts.cuh"
#include "ladder/published/block_96.cuh"
#include "ladder/published/cascading_step.cuh"
#include "ladder/published/cascading_unguarded.cuh"
#include "ladder/published/cascading_variable.cuh"
#include "ladder/published/first_add.cuh"
#include "ladder/published/identity_zero.cuh"
#include "ladder/published/last_warp_plain.cuh"
#include "ladder/published/last_warp_unbraced.cuh"
#include "ladder/published/last_warp_volatile.cuh"
#include "ladder/published/two_stage_swapped.cuh"
#include "ladder/published/two_stage_threads.cuh"
#include "ladder/published/unguarded.cuh"
#include "ladder/published/unrolled_global_index.cuh"
#include "ladder/published/unrolled_limits.cuh"

namespace onefold::ladder::ONEFOLD_LADDER_ENGINE {
namespace {

ONEFOLD_START_SIZED(start_last_warp_volatile, published::reduce_last_warp_volatile)
ONEFOLD_START_SIZED(start_last_warp_plain, published::reduce_last_warp_plain)
ONEFOLD_START_SIZED(start_unrolled_global_index, published::reduce_unrolled_global_index)
ONEFOLD_START_SIZED(start_unrolled_limits, published::reduce_unrolled_limits)
ONEFOLD_START_SIZED(start_cascading_step, published::reduce_cascading_step)
ONEFOLD_START_SIZED(start_cascading_variable, published::reduce_cascading_variable)
ONEFOLD_START_SIZED(start_cascading_unguarded, published::reduce_cascading_unguarded)

// A row for each element type, and so for each operator.
#define ONEFOLD_EACH_TYPE(row, op, ...)                                                            \
  row(int, int32, op, __VA_ARGS__), row(float, float32, op, __VA_ARGS__),                          \
      row(double, float64, op, __VA_ARGS__)
#define ONEFOLD_EACH(row, ...)                                                                     \
  ONEFOLD_EACH_TYPE(row, sum, __VA_ARGS__), ONEFOLD_EACH_TYPE(row, product, __VA_ARGS__),          \
      ONEFOLD_EACH_TYPE(row, maximum, __VA_ARGS__), ONEFOLD_EACH_TYPE(row, minimum, __VA_ARGS__)

// A start function gets its kernel as an argument, or names it itself.
#define ONEFOLD_ROW(T, type, op, rung, start, kernel)                                              \
  { rung, element::type, operation::op, start<T, kernel<T, op<T>>> }
#define ONEFOLD_START_ROW(T, type, op, rung, start)                                                \
  { rung, element::type, operation::op, start<T, op<T>> }
#define ONEFOLD_ROWS(...) ONEFOLD_EACH(ONEFOLD_ROW, __VA_ARGS__)
#define ONEFOLD_START_ROWS(...) ONEFOLD_EACH(ONEFOLD_START_ROW, __VA_ARGS__)

const kernel_entry entries[] = {
    ONEFOLD_ROWS("reduce/atomic", start_plain, reduce_atomic),
    ONEFOLD_ROWS("reduce/global", start_global, reduce_global),
    ONEFOLD_ROWS("reduce/modulo", start_tree, reduce_modulo),
    ONEFOLD_ROWS("reduce/mask", start_tree, reduce_mask),
    ONEFOLD_ROWS("reduce/strided", start_tree, reduce_strided),
    ONEFOLD_ROWS("reduce/sequential", start_tree, reduce_sequential),
    ONEFOLD_ROWS("reduce/first-add", start_tree, reduce_first_add),
    ONEFOLD_ROWS("reduce/last-warp", start_tree, reduce_last_warp),
    ONEFOLD_START_ROWS("reduce/unrolled", start_unrolled),
    ONEFOLD_START_ROWS("reduce/cascading", start_cascading),
    ONEFOLD_ROWS("reduce/two-stage", start_tree, reduce_two_stage),
    ONEFOLD_ROWS("reduce/shuffle", start_tree, reduce_shuffle),
    ONEFOLD_ROWS("reduce/redux", start_tree, reduce_redux),
    ONEFOLD_ROWS("reduce/vector", start_tree, reduce_vector),
    ONEFOLD_ROWS("reduce/async-copy", start_copies, reduce_async_copy),
    ONEFOLD_ROWS("reduce/bulk-copy", start_tiles, reduce_bulk_copy),
    ONEFOLD_START_ROWS("reduce/dependent-launch", start_dependent),
    ONEFOLD_ROWS("reduce/one-launch", start_ticket, reduce_one_launch),
    ONEFOLD_ROWS("reduce/cluster", start_clustered, reduce_cluster),
    {"reduce/pairwise", element::float32, operation::sum, start_ticket<float, reduce_pairwise>},
    {"reduce/pairwise", element::float64, operation::sum, start_ticket<double, reduce_pairwise>},
    {"reduce/kahan", element::float32, operation::sum, start_kahan<float>},
    {"reduce/kahan", element::float64, operation::sum, start_kahan<double>},
    {"reduce/interval", element::float32, operation::sum, start_interval},
    {"reduce/integers", element::float32, operation::sum, start_integers},
    {"reduce/exact", element::float32, operation::sum, start_exact<float>},
    {"reduce/exact", element::float64, operation::sum, start_exact<double>},
    ONEFOLD_ROWS("published/unguarded", start_tree, published::reduce_unguarded),
    ONEFOLD_ROWS("published/first-add", start_tree, published::reduce_first_add),
    ONEFOLD_START_ROWS("published/last-warp-volatile", start_last_warp_volatile),
    ONEFOLD_START_ROWS("published/last-warp-plain", start_last_warp_plain),
    ONEFOLD_ROWS("published/last-warp-unbraced", start_tree, published::reduce_last_warp_unbraced),
    ONEFOLD_START_ROWS("published/unrolled-global-index", start_unrolled_global_index),
    ONEFOLD_START_ROWS("published/unrolled-limits", start_unrolled_limits),
    ONEFOLD_START_ROWS("published/cascading-step", start_cascading_step),
    ONEFOLD_START_ROWS("published/cascading-variable", start_cascading_variable),
    ONEFOLD_START_ROWS("published/cascading-unguarded", start_cascading_unguarded),
    ONEFOLD_ROWS("published/block-96", start_tree, published::reduce_block_96),
    ONEFOLD_START_ROWS("published/two-stage-swapped", published::start_two_stage_swapped),
    ONEFOLD_START_ROWS("published/two-stage-threads", published::start_two_stage_threads),
    ONEFOLD_ROWS("published/identity-zero", start_tree, published::reduce_identity_zero),
};

}  // namespace

const kernel_table reduce = {entries, sizeof entries / sizeof entries[0]};

}  // namespace onefold::ladder::ONEFOLD_LADDER_ENGINE
