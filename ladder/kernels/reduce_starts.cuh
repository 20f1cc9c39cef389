// SPDX-License-Identifier: Apache-2.0
// How the reduce rungs are started, for whichever engine compiles it: shapes, shared memory and
// parameters. No table yet, so that a test can start the rungs with operators of its own.
#pragma once

#include "ladder/kernels/kernels.hpp"
#include "ladder/reduce/atomic.cuh"
#include "ladder/reduce/cascading.cuh"
#include "ladder/reduce/exact.cuh"
#include "ladder/reduce/first_add.cuh"
#include "ladder/reduce/global.cuh"
#include "ladder/reduce/last_warp.cuh"
#include "ladder/reduce/mask.cuh"
#include "ladder/reduce/modulo.cuh"
#include "ladder/reduce/one_launch.cuh"
#include "ladder/reduce/sequential.cuh"
#include "ladder/reduce/shuffle.cuh"
#include "ladder/reduce/strided.cuh"
#include "ladder/reduce/two_stage.cuh"
#include "ladder/reduce/unrolled.cuh"
#include "ladder/reduce/vector.cuh"

namespace onefold::ladder::ONEFOLD_LADDER_ENGINE {
namespace {

template <class T>
using tree_kernel = void (*)(const T* in, std::size_t n, T* partials);
template <class T>
using global_kernel = void (*)(const T* in, std::size_t n, T* items, T* partials);
template <class T>
using ticket_kernel = void (*)(const T* in, std::size_t n, T* partials, unsigned* ticket);

/// Room for one item a lane in dynamic shared memory.
template <class T>
launch_shape with_items(const kernel_arguments& a) {
  return {{a.grid}, {a.block}, a.block * sizeof(T)};
}

/// A kernel that keeps nothing in shared memory.
template <class T, tree_kernel<T> Kernel>
void start_plain(engine& where, const kernel_arguments& a) {
  start(where, {{a.grid}, {a.block}}, Kernel, static_cast<const T*>(a.in), a.n,
        static_cast<T*>(a.out));
}

/// A kernel that keeps its tree in a copy of the elements.
template <class T, global_kernel<T> Kernel>
void start_global(engine& where, const kernel_arguments& a) {
  start(where, {{a.grid}, {a.block}}, Kernel, static_cast<const T*>(a.in), a.n,
        static_cast<T*>(a.scratch), static_cast<T*>(a.out));
}

/// A kernel that keeps at most one item a lane in dynamic shared memory.
template <class T, tree_kernel<T> Kernel>
void start_tree(engine& where, const kernel_arguments& a) {
  start(where, with_items<T>(a), Kernel, static_cast<const T*>(a.in), a.n, static_cast<T*>(a.out));
}

/// The same, with a counter of the blocks that have ended.
template <class T, ticket_kernel<T> Kernel>
void start_ticket(engine& where, const kernel_arguments& a) {
  start(where, with_items<T>(a), Kernel, static_cast<const T*>(a.in), a.n, static_cast<T*>(a.out),
        a.ticket);
}

/// The exact sum: digits of every warp and of the block in dynamic shared memory.
template <class T>
void start_exact(engine& where, const kernel_arguments& a) {
  using parts = exact_parts<T>;
  static_assert(sizeof(typename parts::workspace) <= exact_workspace_bytes);
  constexpr std::size_t word_bytes = sizeof(std::int64_t);
  start(where, {{a.grid}, {a.block}, cuda::shared_words<parts::terms::words>(a.block) * word_bytes},
        reduce_exact<T>, static_cast<const T*>(a.in), a.n, static_cast<T*>(a.out),
        static_cast<typename parts::workspace*>(a.workspace));
}

/// A kernel for every size of block; no variable can be a template's argument.
#define ONEFOLD_START_SIZED(name, kernel)                                                          \
  template <class T, class Operator>                                                               \
  void name(engine& where, const kernel_arguments& a) {                                            \
    switch (a.block) {                                                                             \
      ONEFOLD_SIZE(kernel, 1)                                                                      \
      ONEFOLD_SIZE(kernel, 2)                                                                      \
      ONEFOLD_SIZE(kernel, 4)                                                                      \
      ONEFOLD_SIZE(kernel, 8)                                                                      \
      ONEFOLD_SIZE(kernel, 16)                                                                     \
      ONEFOLD_SIZE(kernel, 32)                                                                     \
      ONEFOLD_SIZE(kernel, 64)                                                                     \
      ONEFOLD_SIZE(kernel, 128)                                                                    \
      ONEFOLD_SIZE(kernel, 256)                                                                    \
      ONEFOLD_SIZE(kernel, 512)                                                                    \
      ONEFOLD_SIZE(kernel, 1024)                                                                   \
    }                                                                                              \
  }
#define ONEFOLD_SIZE(kernel, block)                                                                \
  case block:                                                                                      \
    return start_tree<T, kernel<T, Operator, block>>(where, a);

ONEFOLD_START_SIZED(start_unrolled, reduce_unrolled)
ONEFOLD_START_SIZED(start_cascading, reduce_cascading)

}  // namespace
}  // namespace onefold::ladder::ONEFOLD_LADDER_ENGINE
