// SPDX-License-Identifier: Apache-2.0
// The kernel launches of a request whose answers are computed asynchronously on the device. The
// list is made once: the size of the workspace, the reason of a refusal and the calls of kernels
// follow from it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cuda/kernels/batched/batched.hpp"
#include "cuda/kernels/segments/columns/column_folds.hpp"
#include "cuda/kernels/segments/rows/row_folds.hpp"
#include "cuda/kernels/strided/exponentials/exponential_columns.hpp"
#include "cuda/kernels/strided/moments/moment_columns.hpp"
#include "cuda/kernels/strided/strided.hpp"
#include "cuda/kernels/whole/whole.hpp"
#include "cuda/plan/gathered.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "cuda/plan/reasons.hpp"
#include "cuda/plan/request.hpp"

namespace onefold::cuda {

struct whole_launch {
  whole_request request;
  grid_shape grid;
};

struct batched_launch {
  batched_request request;
  batched_block block;
};

struct row_folds_launch {
  row_folds rows;
  unsigned blocks;
};

struct strided_launch {
  strided_request request;
  unsigned blocks;
};

/// A kernel, or a few that belong together, and its arguments.
struct kernel_launch {
  kernel_family kernel;
  std::size_t scratch = 0;  ///< bytes of device memory besides the data; launches share them
  bool is_zeroed = false;   ///< whether the scratch bytes are set to zero before
  std::variant<whole_launch, batched_launch, segments_launch, row_folds_launch, column_folds,
               moment_columns, exponential_columns, strided_launch, gathered_launch>
      arguments;
};

struct launch_list {
  std::string why_not;  ///< why the request needs the host, in words; empty: it does not
  int device = 0;
  std::vector<kernel_launch> launches;

  /// Of a workspace_lease; 0: the launches need none.
  std::size_t workspace_bytes() const;
};

/// Precondition: the plan has outputs. Fails: throws onefold::error.
launch_list plan_launches(const executor::cuda& on, const request& request,
                          std::span<const output_view> outputs);

/// Adds the launches that read the elements where they are; returns why there are none, or nothing.
/// Precondition: list.device is the outputs'. Fails: throws onefold::error.
std::string plan_in_place(const request& request, std::span<const output_view> outputs,
                          launch_list& list);

/// Whether its kernels compute the place of each element, as those of any layout do.
bool looks_for_elements(const kernel_launch& launch);

/// The launch over a whole array, by the lanes and the grid that suit the device.
kernel_launch plan_whole_array(whole_request request, int device);
/// The launch of a strided kernel. state_words: of all states that it writes; 0: it writes answers.
kernel_launch plan_strided(const strided_request& request, std::int64_t state_words, int device);

/// Enqueues the launches, one after another. cleared, scratch: of a workspace_lease of their bytes.
/// Precondition: the device is current. Fails: throws onefold::error.
void enqueue(std::span<const kernel_launch> launches, int device, void* cleared, std::byte* scratch,
             cudaStream_t stream);

/// Lists the answers of one accumulator; returns why that is impossible, or nothing.
std::string list_answers(const request& request, accumulator kind,
                         std::span<const accumulator> accumulators,
                         std::span<const output_view> outputs, finish_list& list);

}  // namespace onefold::cuda
