// SPDX-License-Identifier: Apache-2.0
// onefold::nccl: the checks of a request.
#include "onefold/nccl.hpp"

#include <string>

#include "api/choose.hpp"
#include "api/prepare.hpp"
#include "cpu/engine.hpp"
#include "cuda/kernels/ranks/ranks.hpp"

namespace onefold::nccl {
namespace {

// The request of one rank, passed to `work`.
template <class Work>
auto prepared(const executor::cuda& device, const op_list& ops, std::span<const array_view> views,
              std::span<const output_view> outputs, const options& options, const Work& work)
    -> decltype(work(std::declval<cuda::request>())) {
  const auto here = cpu::this_machine(0);
  if (!here) return here.why();
  plan plan;
  if (auto fine = check_and_plan(*here, ops, views, outputs, options, plan); !fine) return fine;
  const onefold::plan own = planned_for(device, plan, views);
  const reduction reduction(own, views, options);
  return work(request_of(reduction));
}

bool is_contiguous(const output_view& x, std::int64_t& n) {
  const auto item = std::int64_t(size_bytes(x.type()));
  n = 1;
  for (int i = x.axes().size(); i-- > 0;) {
    const axis_layout& axis = x.axes()[i];
    if (axis.extent != 1 && axis.stride_bytes != n * item) return false;
    n *= axis.extent;
  }
  return reinterpret_cast<std::uintptr_t>(x.data()) % std::size_t(item) == 0;
}

status check_elements(op op, const output_view& x, std::int64_t& n) {
  const bool gaps = !is_contiguous(x, n);
  if ((op != op::sum && op != op::mean) || !is_floating(x.type()))
    return {status_code::unsupported, "element by element there are sum and mean of floats, not " +
                                          std::string(name(op)) + " of " +
                                          std::string(name(x.type())) +
                                          "; NCCL's own of integers, min and max are "
                                          "exact"};
  if (gaps)
    return {status_code::mismatch, "there are gaps between the elements, or they are not aligned "
                                   "to their type; copy them to a contiguous array"};
  return {};
}

}  // namespace

status all_reduce(const executor::cuda& device, const op_list& ops,
                  std::initializer_list<array_view> views,
                  std::initializer_list<output_view> outputs, ncclComm* comm,
                  const options& options) try {
  const std::span<const output_view> list(outputs.begin(), outputs.size());
  return prepared(
      device, ops, {views.begin(), views.size()}, list, options,
      [&](const cuda::request& request) { return cuda::all_reduce(device, request, list, comm); });
} catch (...) {
  return detail::memory_refused();
}

result<std::size_t> all_reduce_workspace_size(const executor::cuda& device, const op_list& ops,
                                              std::initializer_list<array_view> views,
                                              std::initializer_list<output_view> outputs,
                                              const options& options, int ranks) try {
  const std::span<const output_view> list(outputs.begin(), outputs.size());
  return prepared(device, ops, {views.begin(), views.size()}, list, options,
                  [&](const cuda::request& request) {
                    return cuda::all_reduce_bytes(device, request, list, ranks);
                  });
} catch (...) {
  return detail::memory_refused();
}

status all_reduce_elements(const executor::cuda& device, op op, const output_view& x,
                           ncclComm* comm, const options& options, bool same_on_all_ranks) try {
  cuda::element_block block = {x.data(), x.type(), 0, op == op::mean};
  return cuda::all_reduce_elements(device, block, comm, options.workspace,
                                   {check_elements(op, x, block.n), same_on_all_ranks});
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold::nccl
