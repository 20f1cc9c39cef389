// SPDX-License-Identifier: Apache-2.0
// onefold::reduce_segments: checks shapes and offsets and calls the engine of the executor.
#include "onefold/segments.hpp"

#include <string>

#include "api/choose.hpp"
#include "cpu/drivers/segments.hpp"
#include "cpu/engine.hpp"
#include "cuda/engine.hpp"
#include "request/offsets.hpp"
#include "request/reach.hpp"
#include "request/request.hpp"

namespace onefold {
namespace {

status check_shapes(op what, const array_view& x, std::size_t count, const output_view& output) {
  if (x.rank() != 1)
    return {status_code::mismatch,
            "segments are of one axis; the view has " + std::to_string(x.rank())};
  const auto& axes = output.axes();
  const auto item_bytes = std::int64_t(size_bytes(output.type()));
  const bool fits = axes.size() == (answers_of(what) > 1 ? 2 : 1) &&
                    axes[0].extent == std::int64_t(count) &&
                    (axes.size() == 1 || axes[1] == axis_layout{2, item_bytes});
  if (fits && !lies_apart(axes, item_bytes)) return {status_code::mismatch, elements_share_bytes};
  if (fits) return {};
  return {status_code::mismatch, "the output has another shape than one answer for each of " +
                                     std::to_string(count) + " segments"};
}

}  // namespace

status reduce_segments(const executor& asked, op what, const array_view& x,
                       std::span<const std::int64_t> offsets, const output_view& output,
                       const options& how) try {
  if (auto fine = check_no_device_options(how); !fine) return fine;
  if (!how.axes.all() || how.keepdims)
    return {status_code::unsupported,
            "segments are of one axis and have one answer each; leave out options::axes and "
            "options::keepdims"};
  const executor on = beside(asked, {x.data()});
  const auto machine = cpu::this_machine(on.threads());
  if (!machine) return machine.why();
  if (inputs_of(what) != 1)
    return {status_code::unsupported, "segments of " + std::string(name(what)) +
                                          " are not there; multiply first (reduce_mapped)"};
  const auto plan = make_segments_plan(*machine, what, x, how);
  if (!plan) return plan.why();
  const bool sound =
      !offsets.empty() && (on.gpu() || cpu::offsets_are_sound(offsets, plan->items, plan->threads));
  if (!sound) return check_offsets(offsets, plan->items);
  if (auto fine = check_shapes(what, x, offsets.size() - 1, output); !fine) return fine;
  const reduction of(*plan, std::span(&x, 1), how);
  if (!on.gpu()) return cpu::reduce_segments(of, offsets, std::span(&output, 1));
  return cuda::reduce_segments(*on.gpu(), {*plan, how, of.x}, offsets, output);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
