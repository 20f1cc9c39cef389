// SPDX-License-Identifier: Apache-2.0
// How the reduce rungs are started, for whichever engine compiles it: shapes, shared memory and
// parameters. No table yet, so that a test can start the rungs with operators of its own.
#pragma once

#include "ladder/kernels/kernels.hpp"
#include "ladder/reduce/async_copy.cuh"
#include "ladder/reduce/atomic.cuh"
#include "ladder/reduce/bulk_copy.cuh"
#include "ladder/reduce/cascading.cuh"
#include "ladder/reduce/cluster.cuh"
#include "ladder/reduce/dependent_launch.cuh"
#include "ladder/reduce/exact.cuh"
#include "ladder/reduce/first_add.cuh"
#include "ladder/reduce/global.cuh"
#include "ladder/reduce/integers.cuh"
#include "ladder/reduce/interval.cuh"
#include "ladder/reduce/kahan.cuh"
#include "ladder/reduce/last_warp.cuh"
#include "ladder/reduce/mask.cuh"
#include "ladder/reduce/modulo.cuh"
#include "ladder/reduce/one_launch.cuh"
#include "ladder/reduce/pairwise.cuh"
#include "ladder/reduce/redux.cuh"
#include "ladder/reduce/sequential.cuh"
#include "ladder/reduce/shuffle.cuh"
#include "ladder/reduce/strided.cuh"
#include "ladder/reduce/two_stage.cuh"
#include "ladder/reduce/unrolled.cuh"
#include "ladder/reduce/vector.cuh"

#include <numeric>

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

template <class T, class Operator>
void start_dependent(engine& where, const kernel_arguments& a) {
  auto* const partials = static_cast<T*>(a.out);
  launch_shape shape = with_items<T>(a);
  start(where, shape, reduce_dependent_launch<T, Operator>, static_cast<const T*>(a.in), a.n,
        partials);
  shape.grid = {1};
  shape.dependent = true;
  start(where, shape, fold_partials<T, Operator>, partials, a.grid);
}

/// A kernel with vectors in shared memory, so many a lane, before its items.
template <class T, tree_kernel<T> Kernel, unsigned Vectors>
void start_with_vectors(engine& where, const kernel_arguments& a) {
  launch_shape shape = with_items<T>(a);
  shape.dynamic_shared_bytes += Vectors * a.block * sizeof(vector_of<T>);
  start(where, shape, Kernel, static_cast<const T*>(a.in), a.n, static_cast<T*>(a.out));
}

template <class T, tree_kernel<T> Kernel>
void start_copies(engine& where, const kernel_arguments& a) {
  start_with_vectors<T, Kernel, copy_slots>(where, a);
}
template <class T, tree_kernel<T> Kernel>
void start_tiles(engine& where, const kernel_arguments& a) {
  start_with_vectors<T, Kernel, tiles_in_flight>(where, a);
}

/// A ticket a cluster: as many blocks as divide the grid, and of whole warps.
template <class T, ticket_kernel<T> Kernel>
void start_clustered(engine& where, const kernel_arguments& a) {
  launch_shape shape = with_items<T>(a);
  shape.cluster = a.block < 32 ? 1 : std::gcd(a.grid, most_blocks_of_a_cluster);
  start(where, shape, Kernel, static_cast<const T*>(a.in), a.n, static_cast<T*>(a.out), a.ticket);
}

/// The engine's kernel, which writes *a.out unless *decided is not 0.
template <class T>
void start_engine(engine& where, const kernel_arguments& a, exact_workspace<T>* workspace,
                  const std::int64_t* decided) {
  static_assert(sizeof(exact_workspace<T>) <= exact_workspace_bytes);
  static_assert(exact_block == cuda::whole_threads<accumulator::total, T>);
  static_assert(most_exact_blocks == cuda::most_grid_blocks);
  const auto* const in = static_cast<const T*>(a.in);
  start(where, {{a.grid}, {a.block}, exact_shared_bytes<T>(a.block)}, reduce_exact<T>, in, in,
        static_cast<std::int64_t>(a.n), workspace, nullptr, cuda::unwatched(),
        sum_in(static_cast<T*>(a.out), decided));
}

template <class T>
void start_exact(engine& where, const kernel_arguments& a) {
  start_engine<T>(where, a, static_cast<exact_workspace<T>*>(a.workspace), nullptr);
}

/// What lies that many bytes behind the workspace's begin (exact_shape.hpp).
template <class T>
T* in_workspace(const kernel_arguments& a, std::size_t bytes) {
  return reinterpret_cast<T*>(static_cast<unsigned char*>(a.workspace) + bytes);
}

template <class T>
void start_kahan(engine& where, const kernel_arguments& a) {
  start(where, {{a.grid}, {a.block}, 2 * a.block * sizeof(T)}, reduce_kahan<T>,
        static_cast<const T*>(a.in), a.n, static_cast<T*>(a.out), in_workspace<T>(a, 0), a.ticket);
}

template <class T>
void start_fallback(engine& where, const kernel_arguments& a) {
  start_engine<T>(where, a, in_workspace<exact_workspace<T>>(a, exact_at),
                  in_workspace<std::int64_t>(a, decided_at));
}

void start_interval(engine& where, const kernel_arguments& a) {
  start(where, {{a.grid}, {a.block}, 2 * a.block * sizeof(double)}, reduce_interval<float>,
        static_cast<const float*>(a.in), a.n, static_cast<float*>(a.out),
        in_workspace<double>(a, 0), a.ticket, in_workspace<std::int64_t>(a, decided_at));
  start_fallback<float>(where, a);
}

void start_integers(engine& where, const kernel_arguments& a) {
  auto* const work = in_workspace<integer_workspace>(a, integers_at);
  start(where, {{a.grid}, {a.block}}, find_largest_exponent, static_cast<const float*>(a.in), a.n,
        &work->largest);
  start(where, {{a.grid}, {a.block}}, reduce_integers<float>, static_cast<const float*>(a.in), a.n,
        static_cast<float*>(a.out), work, a.ticket, in_workspace<std::int64_t>(a, decided_at));
  start_fallback<float>(where, a);
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
