// SPDX-License-Identifier: Apache-2.0
// Exact reductions over the GPUs of an NCCL communicator, on a stream: the host waits for nothing,
// and a CUDA graph can capture it.
//
//   ncclComm_t comm;                                       from ncclCommInitRank
//   onefold::executor::cuda gpu{.stream = stream};
//   onefold::nccl::all_reduce(gpu, onefold::op::sum, mine, answer, comm);
//
// Every rank gets the same bits, those of one process that has all elements. A kernel writes the
// words of this rank's states, ncclAllReduce adds them as 64-bit integers, of extrema it takes
// their maximum, and a kernel rounds (docs/numerics/additive.md); of logsumexp the ranks first take
// the maximum of their bands. Calls are collective: all ranks
// make them, in the same order. A rank whose call fails on the host does not take part, and the
// others wait: abort the communicator. A process with several communicators calls for each from a
// thread of its own, and gives them options::workspace: cudaMalloc may wait for another GPU, which
// waits for this one. all_reduce_elements first compares the calls of all ranks, for which the host
// waits, unless the caller knows that they are the same. Between ncclGroupStart and ncclGroupEnd no
// call is allowed, since the last kernel would not wait for the exchange. With a communicator that
// does not block, a call waits until NCCL has launched the exchange.
//
// NCCL (2.7 or later) is found at run time: in the process, else libnccl.so.2, else the library
// that the environment variable ONEFOLD_NCCL names. Nothing of it is needed to compile or to link.
#pragma once

#include <cstddef>
#include <initializer_list>

#include "onefold/array_view.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/op_list.hpp"
#include "onefold/options.hpp"
#include "onefold/status.hpp"

struct ncclComm;  // ncclComm_t is ncclComm*

namespace onefold::nccl {

/// The answers over the elements of all ranks, on every rank.
/// Shape:  as reduce with answers in device memory, on the communicator's device. The reduced axes
///         are split over the ranks, anywhere, also so that a rank has no elements; each rank has
///         views of the same element types and kept axes. A whole array has to be contiguous.
///         Operators: sum, mean, norm1, norm2, sumsq, dot, var, std, any, all, count,
///         count_nonzero, bit_and, bit_or, bit_xor, min, max, minmax, norminf, argmin, argmax,
///         logsumexp.
///         Positions count over the ranks, from options::first_index, which all ranks give alike.
/// Error:  as reduce: each answer is rounded once.
/// Order:  none: the same bits for any number of ranks, cut and algorithm of NCCL.
/// Fails:  as reduce; unsupported (no NCCL; another operator, a mask, an initial value, fast
///         reductions, answers in host memory; answers that are no floats, and min, max and minmax,
///         which no elements may have, without options::status_out), mismatch (another device),
///         device_error (NCCL's errors). On the device, in options::status_out: mismatch, where
///         ranks asked for different operators or types of as many words, or gave another
///         nan_policy or correction (those beyond -4 … 4 may go unnoticed); float answers are NaN
///         then.
/// Cost:   one ncclAllReduce of additive_word_count words an answer, for each accumulator that the
///         operators share; of extrema one of 6 words an answer and one a rank, and for positions
///         another of 3 words an answer; for logsumexp another of a word an answer.
ONEFOLD_API status all_reduce(const executor::cuda& device, const op_list& ops,
                              std::initializer_list<array_view> views,
                              std::initializer_list<output_view> outputs, ncclComm* comm,
                              const options& options = {});

/// One operator of one view.
inline status all_reduce(const executor::cuda& device, op op, const array_view& x,
                         const output_view& output, ncclComm* comm, const options& options = {}) {
  return all_reduce(device, op_list(op), {x}, {output}, comm, options);
}

/// The bytes of options::workspace that this call of all_reduce needs; workspace_init clears them.
/// ranks: the most that the communicator has; a word each for positions.
/// Fails: unsupported, as all_reduce.
ONEFOLD_API result<std::size_t> all_reduce_workspace_size(
    const executor::cuda& device, const op_list& ops, std::initializer_list<array_view> views,
    std::initializer_list<output_view> outputs, const options& options = {}, int ranks = 1024);

/// Element by element: x[i] of every rank becomes the answer over the x[i] of all ranks, rounded
/// once to x's type. Gradients of data-parallel training, for one.
/// Shape:  x is contiguous in device memory, as many elements of one type on each rank; op is sum
///         or mean, and x's type floating.
/// Error:  each element is rounded once.
/// Order:  none: the same bits for any order of the ranks, and any algorithm of NCCL.
/// Fails:  unsupported (no NCCL, another operator or type), mismatch (another device, gaps between
///         elements), usage (a workspace that is too small), as reduce; on all ranks the same, with
///         the number of the rank, and mismatch where operator, type or number differ.
/// same_on_all_ranks: the ranks know that their calls are right and the same. The host then waits
///         for nothing, and a rank that is wrong all the same leaves the others waiting. So it is
///         while the stream is captured into a graph, which cannot compare.
/// Cost:   as a reduce-scatter and an all-gather of the elements: each is sent and received twice,
///         in blocks of half of options::workspace, at least 8 KiB a rank; without one, of 64 MiB.
ONEFOLD_API status all_reduce_elements(const executor::cuda& device, op op, const output_view& x,
                                       ncclComm* comm, const options& options = {},
                                       bool same_on_all_ranks = false);

}  // namespace onefold::nccl
