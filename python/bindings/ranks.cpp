// SPDX-License-Identifier: Apache-2.0
// Exact all-reduces over the communicators of other packages.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>

#include <onefold/nccl.hpp>

#include "arguments.hpp"
#include "reduce.hpp"
#include "run.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

// communicator: an ncclComm_t of the NCCL that this process has loaded. The caller has compared the
// calls of all ranks.
void all_reduce_elements(int number, nb::handle elements, std::uintptr_t communicator,
                         nb::handle memory, std::uintptr_t stream) {
  const array x = array_of(elements, true), workspace = array_of(memory, true);
  const executor::cuda gpu = {.stream = reinterpret_cast<void*>(stream), .device = x.device()};
  options options;
  options.workspace = {workspace.data(), std::size_t(workspace.bytes())};
  auto* const comm = reinterpret_cast<ncclComm*>(communicator);
  // The first exchange of two ranks waits for both: other threads of Python run meanwhile. Work is
  // only launched here, and no thread is needed to watch it.
  constexpr std::int64_t released = std::int64_t(1) << 20;
  run(released, [&](const std::stop_token&) {
    return nccl::all_reduce_elements(gpu, op(number), {x.data(), x.type(), x.axes()}, comm, options,
                                     true);
  });
}

}  // namespace

void add_ranks(nb::module_& module) {
  using nb::arg;
  module.def("nccl_all_reduce_elements", &all_reduce_elements, arg("op"), arg("x"),
             arg("communicator"), arg("workspace"), arg("stream"));
}

}  // namespace onefold::python
