// SPDX-License-Identifier: Apache-2.0
#include "onefold/segments.hpp"

#include <string>

#include "cpu/engine.hpp"
#include "cpu/segments.hpp"
#include "split/choose.hpp"

namespace onefold {
namespace {

// The first offset that is wrong, looked for where one is.
status check_offsets(std::span<const std::int64_t> offsets, std::int64_t items, int threads) {
  if (!offsets.empty() && cpu::offsets_are_sound(offsets, items, threads)) return {};
  if (offsets.empty()) return {status_code::mismatch, "there is no offset; n segments have n + 1"};
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    const std::int64_t least = k == 0 ? 0 : offsets[k - 1];
    if (offsets[k] < least || offsets[k] > items)
      return {status_code::mismatch, "offset " + std::to_string(k) + " is " +
                                         std::to_string(offsets[k]) + "; it lies within " +
                                         std::to_string(least) + " … " + std::to_string(items)};
  }
  return {};
}

status check_shapes(op what, const array_view& x, std::size_t count, const output_view& output) {
  if (x.rank() != 1)
    return {status_code::mismatch,
            "segments are of one axis; the view has " + std::to_string(x.rank())};
  const auto& axes = output.axes();
  const auto item_bytes = std::int64_t(size_bytes(output.type()));
  const bool fits = axes.size() == (answers_of(what) > 1 ? 2 : 1) &&
                    axes[0].extent == std::int64_t(count) &&
                    (axes.size() == 1 || axes[1] == axis_layout{2, item_bytes});
  if (fits) return {};
  return {status_code::mismatch, "the output has another shape than one answer for each of " +
                                     std::to_string(count) + " segments"};
}

}  // namespace

status reduce_segments(const executor& on, op what, const array_view& x,
                       std::span<const std::int64_t> offsets, const output_view& output,
                       const options& how) {
  options flat = how;
  flat.over = axis_set();
  flat.keepdims = false;
  const auto machine = cpu::this_machine(beside(on, {x.data()}), "segments");
  if (!machine) return machine.why();
  if (inputs_of(what) != 1)
    return {status_code::unsupported, "segments of " + std::string(name(what)) +
                                          " are not there; multiply first (reduce_mapped)"};
  const auto decided = make_segments_plan(*machine, what, x, flat);
  if (!decided) return decided.why();
  if (auto fine = check_offsets(offsets, decided->items, decided->threads); !fine) return fine;
  if (auto fine = check_shapes(what, x, offsets.size() - 1, output); !fine) return fine;
  return cpu::reduce_segments(cpu::reduction(*decided, std::span(&x, 1), flat), offsets,
                              std::span(&output, 1));
}

}  // namespace onefold
