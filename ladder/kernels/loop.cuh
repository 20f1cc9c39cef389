// SPDX-License-Identifier: Apache-2.0
// The table of the loop rungs and their published twin, for whichever engine compiles it.
//
// `in` and `other` are the vectors, `out` their sum.
#pragma once

#include "ladder/kernels/kernels.hpp"
#include "ladder/loop/x1.cuh"
#include "ladder/loop/x2.cuh"
#include "ladder/loop/x4.cuh"
#include "ladder/published/loop_x2.cuh"

namespace onefold::ladder::ONEFOLD_LADDER_ENGINE {
namespace {

template <class T, void (*Kernel)(const T* a, const T* b, std::size_t n, T* sums)>
void start_loop(engine& where, const kernel_arguments& a) {
  start(where, {{a.grid}, {a.block}}, Kernel, static_cast<const T*>(a.in),
        static_cast<const T*>(a.other), a.n, static_cast<T*>(a.out));
}

// clang-format off
#define ONEFOLD_ROW(rung, type, T, kernel) \
  {rung, element::type, operation::sum, start_loop<T, kernel<T>>}
#define ONEFOLD_NUMBERS(rung, kernel)                 \
  ONEFOLD_ROW(rung, int32, int, kernel),       \
  ONEFOLD_ROW(rung, float32, float, kernel),   \
  ONEFOLD_ROW(rung, float64, double, kernel)

const kernel_entry entries[] = {
    ONEFOLD_NUMBERS("loop/x1", loop_x1),
    ONEFOLD_NUMBERS("loop/x2", loop_x2),
    ONEFOLD_NUMBERS("loop/x4", loop_x4),
    ONEFOLD_NUMBERS("published/loop-x2", published::loop_x2),
};
// clang-format on

#undef ONEFOLD_ROW
#undef ONEFOLD_NUMBERS

}  // namespace

const kernel_table loop = {entries, sizeof entries / sizeof entries[0]};

}  // namespace onefold::ladder::ONEFOLD_LADDER_ENGINE
