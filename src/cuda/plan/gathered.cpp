// SPDX-License-Identifier: Apache-2.0
#include "cuda/plan/gathered.hpp"

#include <algorithm>
#include <cstdlib>

#include "cuda/plan/launch.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/device_block.hpp"
#include "request/layout.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t most_items = (std::int64_t(1) << 31) - 1;  // of a gather_launch
// Windows cut across neighbours hold so many of them: whole vectors of any type.
constexpr std::int64_t neighbours_together = 32;

std::size_t padded(std::int64_t bytes) {
  return (std::size_t(bytes) + device_alignment - 1) / device_alignment * device_alignment;
}

std::int64_t width_of(const plan& plan) {
  return std::int64_t(size_bytes(plan.input));
}

std::int64_t answer_bytes(const gathered_launch& launch, int i) {
  return answers_of(launch.request->plan.ops[i]) *
         std::int64_t(size_bytes(launch.outputs[std::size_t(i)].type()));
}

/// The plan of contiguous elements that the kernels of the form take.
plan contiguous_plan(const plan& from, std::int64_t answers, std::int64_t inner) {
  plan made = from;
  const std::int64_t width = width_of(from), items = from.items;
  made.outputs = answers, made.origin = {}, made.reading = path::in_place;
  made.kept.resize(0), made.reduced.resize(0);
  if (made.form != shape::full) made.form = inner > 1 ? shape::columns : shape::rows;
  if (answers > inner) made.kept.push_back({answers / inner, items * inner * width, 0, 0, inner});
  if (inner > 1) made.kept.push_back({inner, width, 0, 0, 1});
  if (items > 1) made.reduced.push_back({items, inner * width, 0, 0, 0});
  return made;
}

/// The same elements in place, and their answers in the order of the loops.
plan plan_in_loop_order(const plan& from) {
  plan made = from;
  made.origin.index = 0;
  std::int64_t step = 1;
  for (int i = made.kept.size() - 1; i >= 0; step *= made.kept[i--].extent)
    made.kept[i].index_items = step;
  return made;
}

std::int64_t inner_of(const gathered_launch& launch, const answer_window& window) {
  const bool columns = launch.form == gathered_form::columns && !window.kept.empty();
  return columns ? window.kept[window.kept.size() - 1].extent : 1;
}

/// The copy of a window's elements; nothing where it has too many axes.
std::optional<gather_copy> copy_of(const gathered_launch& launch, const answer_window& window,
                                   std::byte* to) {
  const request& request = *launch.request;
  gather_copy copy(static_cast<const std::byte*>(request.x) + window.x_bytes, to,
                   width_of(request.plan));
  const int last = window.kept.size() - (inner_of(launch, window) > 1 ? 1 : 0);
  bool fits = true;
  const auto add = [&](const loop_axis& axis) {
    fits = fits && copy.add_axis({axis.extent, axis.x_bytes});
  };
  std::for_each(window.kept.begin(), window.kept.begin() + last, add);
  std::for_each(request.plan.reduced.begin(), request.plan.reduced.end(), add);
  std::for_each(window.kept.begin() + last, window.kept.end(), add);
  return fits ? std::optional(copy) : std::nullopt;
}

/// Where the answers are computed.
std::vector<std::byte*> places_of(const gathered_launch& launch, std::byte* scratch) {
  std::vector<std::byte*> places;
  for (std::size_t i = 0; i < launch.outputs.size(); ++i) {
    places.push_back(launch.permutes ? scratch : static_cast<std::byte*>(launch.outputs[i].data()));
    scratch += padded(answer_bytes(launch, int(i)) * launch.request->plan.outputs);
  }
  return places;
}

/// The kernels of a window, or of all answers in place. elements: where the window is.
launch_list plan_window(const gathered_launch& launch, const answer_window& window,
                        std::byte* scratch, const std::byte* elements, int device) {
  const request& request = *launch.request;
  const bool in_place = launch.form == gathered_form::in_place;
  const plan inner =
      in_place ? plan_in_loop_order(request.plan)
               : contiguous_plan(request.plan, window.kept.items(), inner_of(launch, window));
  const cuda::request contiguous = {inner,   request.options, in_place ? request.x : elements,
                                    nullptr, request.before,  request.all,
                                    nullptr, request.x_type,  request.y_type};
  const std::vector<std::byte*> places = places_of(launch, scratch);
  std::vector<output_view> outputs;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const dtype type = launch.outputs[i].type();
    const std::int64_t extents[] = {inner.outputs, answers_of(inner.ops[int(i)])};
    outputs.emplace_back(places[i] + window.first * answer_bytes(launch, int(i)), type,
                         row_major(extents, std::int64_t(size_bytes(type))));
  }
  launch_list list;
  list.device = device;
  list.why_not = plan_in_place(contiguous, outputs, list);
  return list;
}

std::vector<answer_window> windows_of(const gathered_launch& launch) {
  const plan& plan = launch.request->plan;
  if (launch.form == gathered_form::in_place) return {{plan.kept, 0, 0}};
  return cuda::windows_of(plan.kept, plan.items * width_of(plan), launch.limits.window_bytes);
}

/// Completes the launch: whether there are kernels for every window.
bool fits(gathered_launch& launch, int device) {
  const plan& plan = launch.request->plan;
  const bool copies = launch.form != gathered_form::in_place;
  if (copies && plan.items > launch.limits.longest_bytes / width_of(plan)) return false;
  const std::vector<answer_window> windows = windows_of(launch);
  const std::int64_t most = windows.front().kept.items() * plan.items;
  // Aligned as the workspace is.
  auto* const somewhere = reinterpret_cast<std::byte*>(device_alignment);
  if (copies && (most > most_items || !copy_of(launch, windows.front(), somewhere))) return false;
  launch.elements_bytes = copies ? padded(most * width_of(plan)) : 0;
  launch.kernels_bytes = 0;
  for (const answer_window* window : {&windows.front(), &windows.back()}) {
    const launch_list list = plan_window(launch, *window, somewhere, somewhere, device);
    if (!list.why_not.empty() ||
        std::any_of(list.launches.begin(), list.launches.end(), looks_for_elements))
      return false;
    for (const kernel_launch& each : list.launches)
      launch.kernels_bytes = std::max(launch.kernels_bytes, each.scratch);
  }
  return true;
}

void gather(const gather_copy& copy, int device, cudaStream_t stream) {
  check_launch(launch_gather(gather_launch(copy), multiprocessors_of(device), stream));
}

/// The copy of output i from the order of the loops to its own.
gather_copy permutation_of(const gathered_launch& launch, int i, const std::byte* from) {
  const plan& plan = launch.request->plan;
  const output_view& to = launch.outputs[std::size_t(i)];
  struct axis {
    std::int64_t extent, from_bytes, index_items;
  };
  std::vector<axis> axes;
  std::int64_t step = answer_bytes(launch, i);
  for (int a = plan.kept.size() - 1; a >= 0; step *= plan.kept[a--].extent) {
    const loop_axis& kept = plan.kept[a];
    const bool falls = kept.index_items < 0;
    if (falls) from += (kept.extent - 1) * step;
    axes.push_back({kept.extent, falls ? -step : step, std::llabs(kept.index_items)});
  }
  std::sort(axes.begin(), axes.end(),
            [](const axis& a, const axis& b) { return a.index_items > b.index_items; });
  const auto width = std::int64_t(size_bytes(to.type()));
  gather_copy copy(from, to.data(), width);
  for (const axis& each : axes) copy.add_axis({each.extent, each.from_bytes});
  copy.add_axis({answers_of(plan.ops[i]), width});
  return copy;
}

bool can_permute(const plan& plan) {
  return plan.kept.size() < gather_copy::most_axes && plan.outputs <= most_items / 2;
}

}  // namespace

std::vector<answer_window> windows_of(const loop_nest& kept, std::int64_t answer_bytes,
                                      std::int64_t most_bytes) {
  // Axes from `cut` on are whole in each window, the one before it is cut into runs.
  int cut = kept.size();
  std::int64_t whole = 1;
  while (cut > 0 && kept[cut - 1].extent <= most_bytes / answer_bytes / whole)
    whole *= kept[--cut].extent;
  if (cut == 0) return {{kept, 0, 0}};
  const loop_axis& axis = kept[cut - 1];
  std::int64_t run = std::max<std::int64_t>(most_bytes / answer_bytes / whole, 1);
  if (run > neighbours_together) run = run / neighbours_together * neighbours_together;
  std::int64_t outer = 1;
  for (int a = 0; a + 1 < cut; ++a) outer *= kept[a].extent;

  std::vector<answer_window> windows;
  for (std::int64_t o = 0; o < outer; ++o) {
    std::int64_t place = 0, rest = o;
    for (int a = cut - 2; a >= 0; rest /= kept[a--].extent)
      place += rest % kept[a].extent * kept[a].x_bytes;
    for (std::int64_t begin = 0; begin < axis.extent; begin += run) {
      answer_window window = {{}, place + begin * axis.x_bytes, (o * axis.extent + begin) * whole};
      window.kept.push_back(axis);
      window.kept[0].extent = std::min(run, axis.extent - begin);
      for (int a = cut; a < kept.size(); ++a) window.kept.push_back(kept[a]);
      windows.push_back(window);
    }
  }
  return windows;
}

bool has_one_view(const request& request) {
  return !request.plan.masked && request.y == nullptr && request.x_type == request.plan.input;
}

std::optional<gathered_launch> plan_gathered(const request& request,
                                             std::span<const output_view> outputs, int device,
                                             const gather_limits& limits) {
  const auto& plan = request.plan;
  if (!has_one_view(request) || plan.items == 0) return std::nullopt;
  const layout elements = layout_of(plan, request.x, request.x_type, nullptr, {});
  gathered_launch made = {&request, outputs, gathered_form::whole, !elements.in_order, limits};
  if (made.permutes) {
    if (!can_permute(plan)) return std::nullopt;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      made.answers_bytes += padded(answer_bytes(made, int(i)) * plan.outputs);
  }
  using enum gathered_form;
  for (const gathered_form form : {in_place, whole, columns, rows}) {
    const bool suits = form == in_place  ? made.permutes
                       : form == whole   ? plan.form == shape::full
                       : form == columns ? plan.form == shape::columns
                                         : plan.form != shape::full;
    made.form = form;
    if (suits && fits(made, device)) return made;
  }
  return std::nullopt;
}

void enqueue_gathered(const gathered_launch& launch, int device, void* cleared, std::byte* scratch,
                      cudaStream_t stream) {
  std::byte* const elements = scratch + launch.answers_bytes;
  std::byte* const rest = elements + launch.elements_bytes;
  for (const answer_window& window : windows_of(launch)) {
    if (launch.form != gathered_form::in_place)
      gather(*copy_of(launch, window, elements), device, stream);
    const launch_list list = plan_window(launch, window, scratch, elements, device);
    enqueue(list.launches, device, cleared, rest, stream);
  }
  if (!launch.permutes) return;
  const std::vector<std::byte*> places = places_of(launch, scratch);
  for (std::size_t i = 0; i < places.size(); ++i)
    gather(permutation_of(launch, int(i), places[i]), device, stream);
}

}  // namespace onefold::cuda
