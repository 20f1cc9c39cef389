// SPDX-License-Identifier: Apache-2.0
// Requests whose elements are not contiguous, or whose answers are in another order than their
// elements.
//
//   elements ──gather──► contiguous window ──kernels──► its answers        window by window
//   answers in the order of the elements ──gather──► answers in theirs     at the end
//
// The kernels are those that a request of the window's shape has in any case. A window is smaller
// than the second cache. The kernels' arguments hold addresses of the workspace: they are planned
// when it is leased.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cuda/kernels/gather/gather.hpp"
#include "cuda/plan/request.hpp"
#include "onefold/array_view.hpp"

namespace onefold::cuda {

struct launch_list;

/// How a gathered window is laid out: each as kernels of this form take it.
enum class gathered_form : unsigned char {
  in_place,  ///< no element is copied: the answers' order alone is another one
  whole,     ///< one answer
  rows,      ///< the elements of an answer after each other
  columns,   ///< those of neighbouring answers, the last kept axis
};

struct gather_limits {
  std::int64_t window_bytes = std::int64_t(32) << 20;    ///< of elements, where answers are shorter
  std::int64_t longest_bytes = std::int64_t(256) << 20;  ///< of an answer
};

/// Precondition: the request and its outputs outlive it.
struct gathered_launch {
  const cuda::request* request;
  std::span<const output_view> outputs;
  gathered_form form;
  bool permutes;  ///< answers are computed in scratch memory and copied to their places
  gather_limits limits;
  std::size_t answers_bytes = 0, elements_bytes = 0, kernels_bytes = 0;  ///< of scratch memory
};

/// A part of the answers: those of a range of the loops over the kept axes.
struct answer_window {
  loop_nest kept;
  std::int64_t x_bytes;  ///< from the first element of all to its first
  std::int64_t first;    ///< answer, in the order of the loops
};

/// The windows of a plan in the order of the loops: as many answers each as `most_bytes` hold, of
/// answer_bytes each, at least one; all of them along whole inner axes.
std::vector<answer_window> windows_of(const loop_nest& kept, std::int64_t answer_bytes,
                                      std::int64_t most_bytes);

/// Whether the elements are those of one view, as a copy takes them.
bool has_one_view(const request& request);

/// Nothing where no kernels take the contiguous windows, or they would take as long as those of the
/// elements in place.
std::optional<gathered_launch> plan_gathered(const request& request,
                                             std::span<const output_view> outputs, int device,
                                             const gather_limits& limits = {});

/// Enqueues the copies and the kernels; scratch: as many bytes as the launch says, at a multiple of
/// device_alignment. Precondition: the device is current. Fails: throws onefold::error.
void enqueue_gathered(const gathered_launch& launch, int device, void* cleared, std::byte* scratch,
                      cudaStream_t stream);

}  // namespace onefold::cuda
