// SPDX-License-Identifier: Apache-2.0
// Sums of rows by key, on a device.
#include "cuda/kernels/keys/scatter/scatter.hpp"

#include "cuda/kernels/keys/scatter/scatter_launch.hpp"
#include "cuda/kernels/keys/sort.hpp"
#include "cuda/plan/operands.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/devices.hpp"
#include "cuda/runtime/workspace.hpp"

namespace onefold::cuda {
namespace {

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + device_alignment - 1) / device_alignment * device_alignment;
}

// Where what a launch needs is in scratch memory; returns its bytes.
std::size_t place(scatter_launch& launch, std::byte* memory) {
  std::size_t at = 0;
  const auto next = [&](std::size_t bytes) {
    std::byte* const here = memory == nullptr ? nullptr : memory + at;
    at += aligned(bytes);
    return here;
  };
  const auto rows = std::size_t(launch.request.rows), answers = std::size_t(launch.request.answers);
  if (launch.request.keys != nullptr) {
    launch.counts = reinterpret_cast<std::uint32_t*>(next((answers + 1) * 4));
    launch.offsets = reinterpret_cast<std::int64_t*>(next((answers + 1) * 8));
    launch.ranks = reinterpret_cast<std::uint32_t*>(next(rows * 4));
    launch.places = reinterpret_cast<std::uint32_t*>(next(rows * 4));
    launch.scan = next(launch.scan_bytes);
    if (launch.request.rows >= table_rows && has_column(launch.request)) {
      std::byte* const zeros = next(column_bytes);
      if (zeros != nullptr) set_column(launch, zeros);
    }
  }
  launch.partials = reinterpret_cast<std::int64_t*>(next(launch.partials_bytes()));
  launch.long_answers =
      reinterpret_cast<std::int64_t*>(next(std::size_t(launch.parts()) * sizeof(std::int64_t)));
  return at;
}

}  // namespace

status scatter(const executor::cuda& on, const row_scatter& request) try {
  if (request.answers == 0 || request.n == 0) return device_of(on), status();
  if (request.rows >= most_scattered || request.answers >= most_scattered)
    return {status_code::unsupported, "the CUDA engine does not serve sums of 2^31 rows or answers "
                                      "by key; give fewer at a time"};
  const bool empty = request.rows == 0;
  const int device = device_of_all(on, {empty ? nullptr : request.x, empty ? nullptr : request.keys,
                                        request.offsets, request.initial, request.out});
  const device_guard here(device);
  scatter_launch launch = scatter_launch_of(request);
  if (request.keys != nullptr) check_launch(ask_offsets(request.answers + 1, launch.scan_bytes));
  const std::size_t scratch = place(launch, nullptr);
  workspace_lease memory(on, {}, device, scratch == 0 ? 0 : cleared_bytes + scratch);
  place(launch, memory.scratch());
  if (launch.counts != nullptr)
    check(cudaMemsetAsync(launch.counts, 0, std::size_t(request.answers + 1) * 4,
                          static_cast<cudaStream_t>(on.stream)),
          "clearing the counts of keys");
  if (launch.column.table != nullptr)
    check(cudaMemsetAsync(launch.column.extents, 0, column_bytes,
                          static_cast<cudaStream_t>(on.stream)),
          "clearing the extents of elements");
  check_launch(launch_scatter(launch, on.stream));
  memory.pass_on();
  return {};
} catch (const error& failed) {
  return failed.why();
}

}  // namespace onefold::cuda
