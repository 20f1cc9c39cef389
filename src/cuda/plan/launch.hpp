// SPDX-License-Identifier: Apache-2.0
// The kernel launches of a request whose answers are computed asynchronously on the device. The
// list is made once; its memory, its refusal and the calls of kernels are read from it.
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
#include "cuda/plan/kernel_table.hpp"
#include "cuda/plan/request.hpp"

namespace onefold::cuda {

struct whole_launch {
  full_request request;
  grid_shape grid;
};

struct batched_launch {
  many_request request;
  many_block block;
};

struct row_folds_launch {
  row_folds rows;
  unsigned blocks;
};

struct strided_launch {
  nested_request request;
  unsigned blocks;
};

/// A kernel, or a few that belong together, and its arguments.
struct kernel_launch {
  kernel_family kernel;
  std::size_t scratch = 0;  ///< bytes of device memory besides the data; launches share them
  bool is_zeroed = false;   ///< whether the scratch bytes are set to zero before
  std::variant<whole_launch, batched_launch, segments_launch, row_folds_launch, column_folds_launch,
               moment_columns, exponential_columns, strided_launch>
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

/// The launch over a whole array, by the lanes and the grid that suit the device.
kernel_launch plan_whole_array(full_request request, int device);
/// The launch of a strided kernel. words: of the states that it writes; 0: answers.
kernel_launch plan_strided(const nested_request& request, std::int64_t words, int device);

/// Enqueues the launches, one after another. cleared, scratch: of a workspace_lease of their bytes.
/// Precondition: the device is current. Fails: throws onefold::error.
void enqueue(std::span<const kernel_launch> launches, int device, void* cleared, std::byte* scratch,
             cudaStream_t stream);

/// Why a request needs the host whatever kernels there are, in words; empty: it does not. Sets the
/// device of the outputs where they are in the memory of one. is_part: other ranks have elements of
/// the answers too. Fails: throws onefold::error.
std::string reason_for_host(const executor::cuda& on, const request& request,
                            std::span<const output_view> outputs, int& device,
                            bool is_part = false);

/// Lists the answers of one accumulator; returns why that is impossible, or nothing.
std::string list_answers(const request& request, accumulator kind,
                         std::span<const accumulator> accumulators,
                         std::span<const output_view> outputs, finish_list& list);

/// Fails: throws onefold::error (usage), where an option's address is in host memory: a kernel that
/// accesses it would make the device unusable for the rest of the process.
void check_device_options(const options& options);

/// "sum of f32".
std::string of_type(op op, dtype type);

/// Whether the status of an operator depends on the elements, and not on the request alone: an
/// integer output may be too narrow, there may be no element that counts, NaNs may be refused.
/// Precondition: the operator has this output type, and elements.
bool depends_on_data(op op, const plan& plan, const options& options, dtype output);

}  // namespace onefold::cuda
