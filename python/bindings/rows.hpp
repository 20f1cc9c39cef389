// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of tensors by address, and where a call on them runs.

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstdint>
#include <stop_token>
#include <tuple>

#include <onefold/array_view.hpp>
#include <onefold/executor.hpp>

#include "arguments.hpp"
#include "run.hpp"

namespace onefold::python {

/// Rows of adjacent elements of a tensor, as Python gives them: the address, rows, elements of a
/// row, and elements from a row to the next one. Addresses of 0 are none.
using rows_of_tensor = std::tuple<std::uintptr_t, std::int64_t, std::int64_t, std::int64_t>;

inline void* memory(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);
}

inline array_view view_of(const rows_of_tensor& x, dtype type) {
  const auto& [address, rows, n, apart] = x;
  const auto item = std::int64_t(size_bytes(type));
  return {memory(address), type, {{rows, apart * item}, {n, item}}};
}

/// The type, the device and its stream of a call's tensors, whose rows are x.
struct call_place {
  dtype type;
  int device;  ///< -1: a CPU
  std::uintptr_t stream;

  /// call: (executor, stop token) -> status.
  template <class Call>
  void run(const rows_of_tensor& x, const Call& call) const {
    executor on = executor::cpu{.threads = threads()};
    if (device >= 0) on = executor::cuda{.stream = memory(stream), .device = device};
    // Work on a GPU is only launched here: no thread is needed to watch it.
    const std::int64_t bytes = 2 * std::get<1>(x) * std::get<2>(x) * std::int64_t(size_bytes(type));
    python::run(device < 0 ? bytes : std::min(bytes, std::int64_t(1) << 20),
                [&](const std::stop_token& stop) { return call(on, stop); });
  }
};

}  // namespace onefold::python
