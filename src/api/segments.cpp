// SPDX-License-Identifier: Apache-2.0
// onefold::reduce_segments: checks shapes and offsets and calls the engine of the executor.
#include "onefold/segments.hpp"

#include <string>

#include "api/choose.hpp"
#include "cpu/drivers/empty_answers.hpp"
#include "cpu/drivers/segments.hpp"
#include "cpu/engine.hpp"
#include "cuda/engine.hpp"
#include "request/offsets.hpp"
#include "request/reach.hpp"
#include "request/request.hpp"

namespace onefold {
namespace {

status check_shapes(op op, const array_view& x, std::size_t count, const output_view& output) {
  if (x.rank() != 1)
    return {status_code::mismatch,
            "segments are of one axis; the view has " + std::to_string(x.rank())};
  const auto& axes = output.axes();
  const auto item_bytes = std::int64_t(size_bytes(output.type()));
  const bool fits = axes.size() == (answers_of(op) > 1 ? 2 : 1) &&
                    axes[0].extent == std::int64_t(count) &&
                    (axes.size() == 1 || axes[1] == axis_layout{2, item_bytes});
  if (fits && !lies_apart(axes, item_bytes)) return {status_code::mismatch, elements_share_bytes};
  if (fits) return {};
  return {status_code::mismatch, "the output has another shape than one answer for each of " +
                                     std::to_string(count) + " segments"};
}

}  // namespace

status reduce_segments(const executor& requested, op op, const array_view& x,
                       std::span<const std::int64_t> offsets, const output_view& output,
                       const options& options) try {
  if (auto fine = check_no_device_options(options); !fine) return fine;
  if (!options.axes.all() || options.keepdims)
    return {status_code::unsupported,
            "segments are of one axis and have one answer each; leave out options::axes and "
            "options::keepdims"};
  const executor executor = beside(requested, {x.data()});
  const auto machine = cpu::this_machine(executor.threads());
  if (!machine) return machine.why();
  if (inputs_of(op) != 1)
    return {status_code::unsupported, "segments of " + std::string(name(op)) +
                                          " are not there; multiply first (reduce_mapped)"};
  const auto made = make_segments_plan(*machine, op, x, options);
  if (!made) return made.why();
  const plan plan = planned_for(executor, *made, std::span(&x, 1));
  const bool sound =
      !offsets.empty() &&
      (executor.gpu() || cpu::offsets_are_sound(offsets, plan.items, plan.threads, options.stop));
  if (!sound) return check_offsets(offsets, plan.items);
  if (auto fine = check_shapes(op, x, offsets.size() - 1, output); !fine) return fine;
  const reduction reduction(plan, std::span(&x, 1), options);
  if (!executor.gpu())
    return cpu::reduce_counted(reduction, offsets, output, [&](const cpu::few_answers& few) {
      return cpu::reduce_segments(reduction, offsets, std::span(&output, 1), few);
    });
  if (auto fine = check_no_counts(options, "on a GPU"); !fine) return fine;
  return cuda::reduce_segments(*executor.gpu(), {plan, options, reduction.x}, offsets, output);
} catch (...) {
  return detail::memory_refused();
}

}  // namespace onefold
