// SPDX-License-Identifier: Apache-2.0
// The table of the reduce rungs and their published twins, for whichever engine compiles it.
#pragma once

#include "ladder/kernels/kernels.hpp"
#include "ladder/published/first_add.cuh"
#include "ladder/reduce/first_add.cuh"
#include "ladder/reduce/modulo.cuh"
#include "ladder/reduce/sequential.cuh"
#include "ladder/reduce/strided.cuh"

namespace onefold::ladder::ONEFOLD_LADDER_ENGINE {
namespace {

template <class T>
using tree_kernel = void (*)(const T* in, std::size_t n, T* partials);

/// A kernel that keeps one item a lane in dynamic shared memory.
template <class T, tree_kernel<T> Kernel>
void start_tree(engine& where, const kernel_arguments& a) {
  start(where, {{a.grid}, {a.block}, a.block * sizeof(T)}, Kernel, static_cast<const T*>(a.in), a.n,
        static_cast<T*>(a.out));
}

// One row for each element type and operator.
#define ONEFOLD_ROW(rung, start, kernel, T, type, op, operator_type)                               \
  { rung, element::type, operation::op, start<T, kernel<T, operator_type<T>>> }
#define ONEFOLD_ROWS_OF(rung, start, kernel, op, operator_type)                                    \
  ONEFOLD_ROW(rung, start, kernel, int, int32, op, operator_type),                                 \
      ONEFOLD_ROW(rung, start, kernel, float, float32, op, operator_type),                         \
      ONEFOLD_ROW(rung, start, kernel, double, float64, op, operator_type)
#define ONEFOLD_ROWS(rung, start, kernel)                                                          \
  ONEFOLD_ROWS_OF(rung, start, kernel, sum, sum),                                                  \
      ONEFOLD_ROWS_OF(rung, start, kernel, product, product),                                      \
      ONEFOLD_ROWS_OF(rung, start, kernel, maximum, maximum),                                      \
      ONEFOLD_ROWS_OF(rung, start, kernel, minimum, minimum)

const kernel_entry entries[] = {
    ONEFOLD_ROWS("reduce/modulo", start_tree, reduce_modulo),
    ONEFOLD_ROWS("reduce/strided", start_tree, reduce_strided),
    ONEFOLD_ROWS("reduce/sequential", start_tree, reduce_sequential),
    ONEFOLD_ROWS("reduce/first-add", start_tree, reduce_first_add),
    ONEFOLD_ROWS("published/first-add", start_tree, published::reduce_first_add),
};

}  // namespace

const kernel_table reduce = {entries, sizeof entries / sizeof entries[0]};

}  // namespace onefold::ladder::ONEFOLD_LADDER_ENGINE
