// SPDX-License-Identifier: Apache-2.0
#include "cuda/resident.hpp"

#include <algorithm>
#include <new>

#include "cuda/device.hpp"
#include "cuda/nested/describe.hpp"
#include "cuda/operands.hpp"
#include "cuda/workspace.hpp"
#include "plan/request.hpp"
#include "view/dense.hpp"

namespace onefold::cuda {
namespace {

// Whether the operator has answers of this type at all: the host has the sentence where not.
bool has_form(op what, dtype input, dtype output) {
  if (what == op::any || what == op::all || is_floating(output)) return true;
  const family of = family_of(what);
  const bool keeps_type = of == family::bits || (of == family::extrema && what != op::norminf);
  const bool position = what == op::argmin || what == op::argmax;
  if (output == dtype::boolean) return keeps_type && !position && input == dtype::boolean;
  if (position || of == family::tally) return true;
  if (what == op::mean || what == op::norm2 || of == family::moments) return false;
  return !is_floating(input);
}

std::string of_type(op what, dtype type) {
  return std::string(name(what)) + " of " + std::string(name(type));
}

// What of the request alone keeps its answers from staying.
std::string reason_of_request(const request& of) {
  const plan& decided = of.decided;
  if (decided.mapped) return "functions of the elements";
  if (decided.masked) return "a mask";
  if (of.how.initial) return "an initial value";
  if (decided.outputs == 0) return "no answer";
  return {};
}

std::string reason_of_output(const request& of, op what, const output_view& to) {
  const plan& decided = of.decided;
  if (!lies_on_device(to.data())) return "an output in host memory";
  if (!is_dense(to)) return "answers with gaps between them, or not aligned to their type";
  const bool empty = decided.items == 0 && family_of(what) == family::extrema;
  if ((empty && what != op::norminf) || !has_form(what, decided.input, to.type()))
    return of_type(what, decided.input) + ", which has no such answer";
  if (of.how.status_out == nullptr && depends_on_data(what, decided, of.how, to.type()))
    return "a status that depends on the data (" + of_type(what, decided.input) + " to " +
           std::string(name(to.type())) + ") without options::status_out";
  return {};
}

// Moments stand in for sums beside them.
family serving(op what, std::span<const family> families) {
  const family own = family_of(what);
  const bool there = std::find(families.begin(), families.end(), own) != families.end();
  return there ? own : family::moments;
}

// The answers of one family; what keeps them from being listed.
std::string list_answers(const request& of, family each, std::span<const family> families,
                         std::span<const output_view> outputs, finish_list& list) {
  const plan& decided = of.decided;
  list.nan = decided.nan, list.correction = of.how.correction;
  list.first_index = of.how.first_index;
  list.status = of.how.status_out, list.count = of.how.count;
  for (int i = 0; i < decided.what.size(); ++i) {
    const op what = decided.what[i];
    if (serving(what, families) != each) continue;
    if (list.size == finish_list::most) return "an operator twice";
    list.answers[list.size++] = {outputs[std::size_t(i)].data(), what,
                                 outputs[std::size_t(i)].type()};
  }
  return {};
}

std::string add_family(const request& of, family each, std::span<const family> families,
                       std::span<const output_view> outputs, resident_work& to) {
  const plan& decided = of.decided;
  full_request asked = {each, decided.input, of.x, of.y, decided.items};
  if (auto why = list_answers(of, each, families, outputs, asked.finish); !why.empty()) return why;
  asked.finish.is_first = to.full.empty();
  if (!full_serves(each, decided.input))
    return of_type(asked.finish.answers[0].what, decided.input);
  to.full.push_back(asked);
  const std::size_t words = std::size_t(state_words(each, decided.input)) * sizeof(std::int64_t);
  to.workspace_bytes = std::max(to.workspace_bytes, cleared_bytes + words);
  return {};
}

std::string add_whole_array(const request& of, std::span<const family> families,
                            std::span<const output_view> outputs, resident_work& to) {
  const plan& decided = of.decided;
  if (decided.reading == path::packed) return "scattered elements";
  if (decided.how == accuracy::fast) return "fast reductions";
  for (const family each : families)
    if (auto why = add_family(of, each, families, outputs, to); !why.empty()) return why;
  return {};
}

void need_scratch(std::size_t bytes, resident_work& to) {
  if (bytes > 0) to.workspace_bytes = std::max(to.workspace_bytes, cleared_bytes + bytes);
}

bool add_many(const request& of, op what, const output_view& out, resident_work& to) {
  auto work = many_work_of(of.decided, what, of.x, out.type());
  if (!work) return false;
  work->block.out = out.data();
  work->block.multiprocessors = multiprocessors_of(to.device);
  need_scratch(many_workspace_bytes(work->request, work->block), to);
  to.many.push_back(*work);
  return true;
}

// What the kernels find goes nowhere, so there must be nothing to find.
bool add_rows(const request& of, op what, const output_view& out, resident_work& to) {
  if (depends_on_data(what, of.decided, of.how, out.type())) return false;
  auto work = rows_work_of(of.decided, what, of.x, out.type());
  if (!work) return false;
  work->block.out = out.data(), work->block.first_index = of.how.first_index;
  need_scratch(segments_workspace_bytes(work->request, work->block), to);
  to.rows.push_back(*work);
  return true;
}

bool add_columns(const request& of, op what, const output_view& out, resident_work& to) {
  if (depends_on_data(what, of.decided, of.how, out.type())) return false;
  auto work = columns_work_of(of.decided, what, of.x, out.type());
  if (!work) return false;
  work->block.out = out.data(), work->block.first_index = of.how.first_index;
  work->block.multiprocessors = multiprocessors_of(to.device);
  need_scratch(selected_columns_bytes(work->block), to);
  to.columns.push_back(*work);
  return true;
}

std::string add_rows_or_columns(const request& of, std::span<const output_view> outputs,
                                resident_work& to) {
  const plan& decided = of.decided;
  if (of.how.count != nullptr) return "options::count with several answers";
  for (int i = 0; i < decided.what.size(); ++i) {
    const op what = decided.what[i];
    const output_view& out = outputs[std::size_t(i)];
    if (!add_many(of, what, out, to) && !add_rows(of, what, out, to) &&
        !add_columns(of, what, out, to))
      return of_type(what, decided.input) + " of several answers of this shape";
  }
  return {};
}

// Several answers of any plan, where a warp is enough for each.
bool add_nests(const request& of, std::span<const family> families,
               std::span<const output_view> outputs, resident_work& to) {
  std::vector<nested_request> made;
  for (const family each : families) {
    auto nest = finished_nest(of, each);
    if (!nest) return false;
    if (!list_answers(of, each, families, outputs, nest->finish).empty()) return false;
    made.push_back(*nest);
  }
  to.nested = std::move(made);
  to.many.clear(), to.rows.clear(), to.columns.clear(), to.workspace_bytes = 0;
  return true;
}

std::string add_several_answers(const request& of, std::span<const family> families,
                                std::span<const output_view> outputs, resident_work& to) {
  auto why = add_rows_or_columns(of, outputs, to);
  if (why.empty() || of.how.count != nullptr) return why;
  return add_nests(of, families, outputs, to) ? std::string() : why;
}

// All outputs, and the elements if there are any, are in the memory of one device.
std::string find_device(const executor::cuda& on, const request& of,
                        std::span<const output_view> outputs, resident_work& to) {
  to.device = memory_of(outputs[0].data()).device;
  for (const output_view& each : outputs)
    if (memory_of(each.data()).device != to.device) return "outputs on two devices";
  if (of.decided.items > 0) {
    const where data = place_of(on, of);
    if (data.kind != memory::device) return "data in host memory";
    if (data.device != to.device) return "an output on another device than the data";
  }
  if (on.device >= 0 && on.device != to.device) return "outputs on another device";
  return {};
}

void launch_full_requests(const resident_work& work, const workspace_lease& in,
                          cudaStream_t stream) {
  auto* const words = reinterpret_cast<std::int64_t*>(in.scratch());
  const unsigned multiprocessors = multiprocessors_of(work.device);
  const sum_lanes lanes = suited_lanes(float32_per_float64_of(work.device));
  for (full_request each : work.full) {
    each.lanes = lanes;
    const grid_shape grid = suited_grid(each.of, each.input, each.n, multiprocessors, lanes);
    check(cudaError_t(launch_full(each, grid, in.cleared(), words, stream)), "launching a kernel");
  }
}

void launch_rows_and_columns(const resident_work& work, const workspace_lease& in,
                             cudaStream_t stream) {
  for (const many_work& each : work.many)
    check(cudaError_t(launch_many(each.request, each.block, in.scratch(), stream)),
          "launching a kernel");
  for (const rows_work& each : work.rows) {
    const std::size_t bytes = segments_workspace_bytes(each.request, each.block);
    check(cudaMemsetAsync(in.scratch(), 0, bytes, stream), "clearing the workspace");
    check(cudaError_t(launch_segments(each.request, each.block, in.scratch(), stream)),
          "launching a kernel");
  }
  for (const columns_work& each : work.columns)
    check(cudaError_t(launch_selected_columns(each.request, each.block, in.scratch(), stream)),
          "launching a kernel");
}

void enqueue(const executor::cuda& on, const request& of, const resident_work& work) {
  auto* const stream = static_cast<cudaStream_t>(on.stream);
  workspace_lease in(on, of.how.workspace, work.device, work.workspace_bytes);
  launch_full_requests(work, in, stream);
  if (work.full.empty() && of.how.status_out != nullptr)
    check(cudaMemsetAsync(of.how.status_out, 0, sizeof(std::int32_t), stream),
          "writing the status");
  launch_rows_and_columns(work, in, stream);
  for (const nested_request& each : work.nested)
    check(cudaError_t(launch_nested(each, blocks_of(each, multiprocessors_of(work.device)), nullptr,
                                    stream)),
          "launching a kernel");
  in.pass_on();
}

// What a kernel would touch of host memory ends the process' use of the device.
void check_place(const void* address, const char* what) {
  if (address != nullptr && memory_of(address).kind == memory::pageable)
    throw error({status_code::usage,
                 std::string(what) + " lies in memory of the host; give it device memory"});
}

status refused(const std::string& why, const char* remedy) {
  return {status_code::unsupported,
          "the CUDA engine would have to wait or to allocate for " + why + remedy};
}

}  // namespace

bool is_capturing(const executor::cuda& on) {
  cudaStreamCaptureStatus now = cudaStreamCaptureStatusNone;
  const cudaError_t code = cudaStreamIsCapturing(static_cast<cudaStream_t>(on.stream), &now);
  if (code == cudaSuccess) return now != cudaStreamCaptureStatusNone;
  cudaGetLastError();
  return code == cudaErrorStreamCaptureImplicit;  // the default stream, beside one that captures
}

resident_work resident_work_of(const executor::cuda& on, const request& of,
                               std::span<const family> families,
                               std::span<const output_view> outputs) {
  resident_work made;
  made.why_not = reason_of_request(of);
  for (int i = 0; i < of.decided.what.size() && made.why_not.empty(); ++i)
    made.why_not = reason_of_output(of, of.decided.what[i], outputs[std::size_t(i)]);
  if (made.why_not.empty()) made.why_not = find_device(on, of, outputs, made);
  if (made.why_not.empty())
    made.why_not = of.decided.form == shape::full
                       ? add_whole_array(of, families, outputs, made)
                       : add_several_answers(of, families, outputs, made);
  return made;
}

std::optional<status> reduce_resident(const executor::cuda& on, const request& of,
                                      std::span<const family> families,
                                      std::span<const output_view> outputs) try {
  const resident_work work = resident_work_of(on, of, families, outputs);
  if (!work.why_not.empty()) {
    if (is_capturing(on))
      return refused(work.why_not, ", which no graph can hold; do it outside the capture");
    if (of.how.count != nullptr)
      return refused(work.why_not, ", and options::count is for answers that stay on the device; "
                                   "copy the number to the host and give a view of so many "
                                   "elements");
    return std::nullopt;
  }
  if (of.how.stop.stop_requested())
    return status(status_code::cancelled, "the caller asked to stop");
  if (work.workspace_bytes > 0 && of.how.workspace.data == nullptr && is_capturing(on))
    return refused("a workspace", ", and the stream is being captured; give options::workspace");
  check_place(of.how.count, "options::count");
  check_place(of.how.status_out, "options::status_out");
  check_place(of.how.workspace.data, "options::workspace");
  const device_guard here(work.device);
  enqueue(on, of, work);
  const std::int64_t all = of.decided.outputs * of.decided.items;
  if (of.how.progress) of.how.progress(all, all);
  return status();
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return status(status_code::out_of_memory, "no memory for the CUDA engine's own lists");
}

result<std::size_t> resident_bytes(const executor::cuda& on, const request& of,
                                   std::span<const family> families,
                                   std::span<const output_view> outputs) try {
  if (auto fine = check_device(on); !fine) return fine;
  const resident_work work = resident_work_of(on, of, families, outputs);
  if (work.why_not.empty()) return work.workspace_bytes;
  return refused(work.why_not, "; such a request has no workspace to give");
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return status(status_code::out_of_memory, "no memory for the CUDA engine's own lists");
}

status clear_workspace(const executor::cuda& on, void* buffer, std::size_t bytes) try {
  if (bytes == 0) return {};
  if (buffer == nullptr)
    return {status_code::usage, "workspace_init was given no buffer; give it device memory"};
  if (auto fine = check_device(on); !fine) return fine;
  const memory_facts found = memory_of(buffer);
  if (found.kind != memory::device)
    return {status_code::usage,
            "the workspace is not in device memory; allocate it with cudaMalloc"};
  const device_guard here(found.device);
  check(cudaMemsetAsync(buffer, 0, bytes, static_cast<cudaStream_t>(on.stream)),
        "clearing the workspace");
  return {};
} catch (const error& failed) {
  return failed.why();
}

}  // namespace onefold::cuda
