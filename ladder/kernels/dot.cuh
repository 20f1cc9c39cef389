// SPDX-License-Identifier: Apache-2.0
// The table of the dot rungs and their published twins, for whichever engine compiles it.
//
// `in` and `other` are the vectors, `out` the partials: one value for each block; sums and then
// losses (compensated.cuh); or an exact_partial for each block, as the rung's data say.
#pragma once

#include "ladder/dot/conflict_free.cuh"
#include "ladder/dot/exact.cuh"
#include "ladder/dot/kahan.cuh"
#include "ladder/dot/last_warp.cuh"
#include "ladder/dot/serial.cuh"
#include "ladder/dot/tree.cuh"
#include "ladder/dot/two_product.cuh"
#include "ladder/dot/unrolled.cuh"
#include "ladder/kernels/kernels.hpp"
#include "ladder/published/dot_kahan.cuh"
#include "ladder/published/dot_last_warp.cuh"
#include "ladder/published/dot_serial.cuh"
#include "ladder/published/dot_unguarded.cuh"
#include "ladder/published/dot_unrolled.cuh"

#include <utility>

namespace onefold::ladder::ONEFOLD_LADDER_ENGINE {
namespace {

template <class T, class Partial = T>
using dot_kernel = void (*)(const T* a, const T* b, std::size_t n, Partial* partials);

template <class T, class Partial>
void start_dot(engine& where, const kernel_arguments& a, dot_kernel<T, Partial> kernel,
               std::size_t shared_bytes = 0) {
  start(where, {{a.grid}, {a.block}, shared_bytes}, kernel, static_cast<const T*>(a.in),
        static_cast<const T*>(a.other), a.n, static_cast<Partial*>(a.out));
}

/// A kernel that keeps this many elements a lane in dynamic shared memory.
template <class T, dot_kernel<T> Kernel, unsigned ItemsPerLane>
void start_dynamic(engine& where, const kernel_arguments& a) {
  start_dot(where, a, Kernel, std::size_t{a.block} * ItemsPerLane * sizeof(T));
}

template <class T, dot_kernel<T> Kernel>
void start_tree(engine& where, const kernel_arguments& a) {
  start_dynamic<T, Kernel, 1>(where, a);
}

template <class T, dot_kernel<T> Kernel>
void start_compensated(engine& where, const kernel_arguments& a) {
  start_dynamic<T, Kernel, 2>(where, a);
}

template <class T, dot_kernel<T> Kernel>
void start_static(engine& where, const kernel_arguments& a) {
  start_dot(where, a, Kernel);
}

template <class T>
void start_exact(engine& where, const kernel_arguments& a) {
  start_dot<T>(where, a, dot_exact<T>);
}

// A kernel for each block, 1, 2, 4, ..., 1024.
using block_sizes = std::integer_sequence<unsigned, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024>;

template <class T>
dot_kernel<T> of_size(const dot_kernel<T>* kernels, unsigned block) {
  while (block > 1) block /= 2, ++kernels;
  return *kernels;
}

template <class T, unsigned... Block>
void start_unrolled_of(engine& where, const kernel_arguments& a,
                       std::integer_sequence<unsigned, Block...>) {
  const dot_kernel<T> kernels[] = {dot_unrolled<T, Block>...};
  start_dot(where, a, of_size(kernels, a.block), a.block * sizeof(T));
}

template <class T, unsigned... Block>
void start_last_warp_of(engine& where, const kernel_arguments& a,
                        std::integer_sequence<unsigned, Block...>) {
  const dot_kernel<T> kernels[] = {dot_last_warp<T, Block>...};
  start_dot(where, a, of_size(kernels, a.block), a.block * sizeof(T));
}

template <class T>
void start_unrolled(engine& where, const kernel_arguments& a) {
  start_unrolled_of<T>(where, a, block_sizes{});
}

template <class T>
void start_last_warp(engine& where, const kernel_arguments& a) {
  start_last_warp_of<T>(where, a, block_sizes{});
}

// clang-format off
#define ONEFOLD_ROW(rung, type, ...) \
  {rung, element::type, operation::sum, __VA_ARGS__}
#define ONEFOLD_FLOATS(rung, start, kernel)                        \
  ONEFOLD_ROW(rung, float32, start<float, kernel<float>>),  \
  ONEFOLD_ROW(rung, float64, start<double, kernel<double>>)
#define ONEFOLD_NUMBERS(rung, start, kernel)                       \
  ONEFOLD_ROW(rung, int32, start<int, kernel<int>>),          \
  ONEFOLD_FLOATS(rung, start, kernel)

const kernel_entry entries[] = {
    ONEFOLD_NUMBERS("dot/serial", start_tree, dot_serial),
    ONEFOLD_NUMBERS("dot/tree", start_tree, dot_tree),
    ONEFOLD_NUMBERS("dot/conflict-free", start_tree, dot_conflict_free),
    ONEFOLD_ROW("dot/unrolled", int32, start_unrolled<int>),
    ONEFOLD_ROW("dot/unrolled", float32, start_unrolled<float>),
    ONEFOLD_ROW("dot/unrolled", float64, start_unrolled<double>),
    ONEFOLD_ROW("dot/last-warp", int32, start_last_warp<int>),
    ONEFOLD_ROW("dot/last-warp", float32, start_last_warp<float>),
    ONEFOLD_ROW("dot/last-warp", float64, start_last_warp<double>),
    ONEFOLD_FLOATS("dot/kahan", start_compensated, dot_kahan),
    ONEFOLD_FLOATS("dot/two-product", start_compensated, dot_two_product),
    ONEFOLD_ROW("dot/exact", float32, start_exact<float>),
    ONEFOLD_ROW("dot/exact", float64, start_exact<double>),
    ONEFOLD_NUMBERS("published/dot-serial", start_static, published::dot_serial),
    ONEFOLD_NUMBERS("published/dot-unguarded", start_static, published::dot_unguarded),
    ONEFOLD_FLOATS("published/dot-kahan", start_static, published::dot_kahan),
    ONEFOLD_NUMBERS("published/dot-unrolled", start_tree, published::dot_unrolled),
    ONEFOLD_NUMBERS("published/dot-last-warp", start_static, published::dot_last_warp),
};
// clang-format on

#undef ONEFOLD_ROW
#undef ONEFOLD_FLOATS
#undef ONEFOLD_NUMBERS

}  // namespace

const kernel_table dot = {entries, sizeof entries / sizeof entries[0]};

}  // namespace onefold::ladder::ONEFOLD_LADDER_ENGINE
