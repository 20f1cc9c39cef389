// SPDX-License-Identifier: Apache-2.0
// Exact reductions over the ranks of a communicator: a kernel reduces, one writes the words of the
// states, NCCL adds them or takes their maximum, and one rounds. The host waits for none of it.
#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cuda/kernels/ranks/additive.hpp"
#include "cuda/kernels/ranks/nccl.hpp"
#include "cuda/kernels/ranks/rank_extrema.hpp"
#include "cuda/kernels/ranks/ranks.hpp"
#include "cuda/kernels/strided/describe.hpp"
#include "cuda/plan/launch.hpp"
#include "cuda/runtime/device.hpp"
#include "cuda/runtime/devices.hpp"
#include "cuda/runtime/workspace.hpp"
#include "onefold/detail/additive.hpp"
#include "runtime/accumulation.hpp"
#include "state/states.hpp"

namespace onefold::cuda {
namespace {

// A warp reduces a piece of an answer. More of them than fill a device, or shorter ones, take
// longer.
constexpr std::int64_t warps_of_a_multiprocessor = 32, least_piece_items = 2048;

constexpr std::int64_t merged_words = sizeof(detail::extrema) / sizeof(std::int64_t);

/// The states of one accumulator, their exchange and the answers.
struct shared_state {
  group_request group;
  std::optional<kernel_launch> launch;  ///< of this rank's elements; none where there are none
  std::int64_t pieces = 1;
  std::int64_t group_words = 0;  ///< 0: extrema
  bool positions = false;

  extrema_request extrema(int ranks, int rank) const {
    return {group.input, group.signature, group.answers, ranks, rank, positions, group.finish};
  }
  /// Of this rank's states.
  std::int64_t words() const {
    return group.answers * pieces * state_words(group.accumulator, group.input);
  }
  std::size_t bytes(int ranks) const {
    const extrema_request request = extrema(ranks, 0);
    const std::int64_t exchanged =
        group_words > 0
            ? group.answers * (group_words + has_bands(group.accumulator))
            : group.answers * merged_words + key_words(request) + position_words(request);
    return std::size_t(words() + exchanged) * sizeof(std::int64_t);
  }
};

struct shared_work {
  std::string why_not;  ///< what is not served, in words; empty: it is
  int device = 0;
  std::vector<shared_state> states;
  std::size_t workspace_bytes = 0;
};

// The answers of another rank may be too large where this rank's are not, and there may be no
// element on any.
std::string reason_of_status(const request& request, std::span<const output_view> outputs) {
  const auto& plan = request.plan;
  if (request.options.status_out != nullptr) return {};
  for (const output_view& output : outputs)
    if (!is_floating(output.type()))
      return "answers that are no floats without options::status_out";
  for (const op op : plan.ops)
    if (accumulator_of(op) == accumulator::extrema && op != op::norminf)
      return of_type(op, plan.input) + ", which no elements have, without options::status_out";
  return {};
}

bool has_positions(const finish_list& list) {
  return std::any_of(list.answers, list.answers + list.size, [](const finish_item& each) {
    return each.op == op::argmin || each.op == op::argmax;
  });
}

std::int64_t pieces_of(const plan& plan, unsigned multiprocessors) {
  const std::int64_t warps = warps_of_a_multiprocessor * multiprocessors;
  const std::int64_t wanted =
      std::min(warps / std::max<std::int64_t>(plan.outputs, 1), plan.items / least_piece_items);
  const std::int64_t piece = (plan.items - 1) / std::max<std::int64_t>(wanted, 1) + 1;
  return plan.items == 0 ? 1 : (plan.items - 1) / piece + 1;
}

// Ranks that round differently are a mismatch, as ranks of other operators are. A signature has 5
// bits above those of operator and type, which hold the NaN policy and the correction, an integer
// on a device: those from -4 to 4 differ, and of others the remainders by 5.
std::int64_t signature_of(op op, dtype input, const options& options) {
  constexpr int kinds = 9;
  const auto rest = std::int64_t(std::fmod(options.correction, 5));
  const std::int64_t kind = rest < 0 ? rest + kinds : rest;
  return detail::additive_signature(op, input) +
         ((std::int64_t(options.nan_policy) * kinds + kind) << 10);
}
static_assert(detail::additive_signature(op(63), dtype(15)) + (26 << 10) <=
              detail::most_additive_signature);

kernel_launch launch_of_pieces(const request& request, const shared_state& state, int device) {
  strided_request nest = described(request, static_cast<const std::byte*>(request.x),
                                   static_cast<const std::byte*>(request.y), nullptr);
  nest.accumulator = state.group.accumulator;
  nest.outputs = request.plan.outputs;
  nest.pieces = state.pieces, nest.piece_items = (request.plan.items - 1) / state.pieces + 1;
  nest.state_words = state_words(nest.accumulator, nest.input);
  return plan_strided(nest, state.words(), device);
}

kernel_launch launch_of_whole(const request& request, const shared_state& state, int device) {
  const auto& plan = request.plan;
  whole_request whole = {state.group.accumulator, plan.input, request.x, request.y, plan.items};
  whole.finish.count = request.options.count;
  return plan_whole_array(whole, device);
}

std::string add_state(const request& request, accumulator kind,
                      std::span<const accumulator> accumulators,
                      std::span<const output_view> outputs, int ranks, shared_work& work) {
  const auto& plan = request.plan;
  shared_state state;
  state.group = {kind, plan.input, 0, plan.outputs, {}};
  if (auto why = list_answers(request, kind, accumulators, outputs, state.group.finish);
      !why.empty())
    return why;
  const op first = state.group.finish.answers[0].op;
  state.group.signature = signature_of(first, plan.input, request.options);
  state.group_words = group_words(kind, plan.input);
  const bool whole = plan.form == shape::full;
  const kernel_family family = whole ? kernel_family::full : kernel_family::strided;
  if (plan.accuracy == accuracy::fast) return "fast reductions";
  const bool combines = state.group_words > 0 || kind == accumulator::extrema;
  if (!combines || !has_kernel(family, kind, plan.accuracy, plan.input))
    return of_type(first, plan.input);
  state.positions = has_positions(state.group.finish);
  if (!whole) state.pieces = pieces_of(plan, multiprocessors_of(work.device));
  if (plan.items > 0)
    state.launch = (whole ? launch_of_whole : launch_of_pieces)(request, state, work.device);
  work.workspace_bytes = std::max(work.workspace_bytes, cleared_bytes + state.bytes(ranks));
  work.states.push_back(std::move(state));
  return {};
}

shared_work shared_work_of(const executor::cuda& on, const request& request,
                           std::span<const output_view> outputs, int ranks) {
  shared_work work;
  work.why_not = reason_for_host(on, request, outputs, work.device, true);
  if (work.why_not.empty()) work.why_not = reason_of_status(request, outputs);
  const auto accumulators = accumulators_of(request.plan.ops, request.plan.accuracy);
  for (const accumulator kind : accumulators)
    if (work.why_not.empty())
      work.why_not = add_state(request, kind, accumulators, outputs, ranks, work);
  return work;
}

void all_reduce_words(std::int64_t* words, std::int64_t count, int op, const communicator& ranks,
                      cudaStream_t stream) {
  ranks.check(
      nccl().all_reduce(words, words, std::size_t(count), nccl_int64, op, ranks.handle, stream),
      "ncclAllReduce");
}

void share_sums(const shared_state& each, const std::int64_t* words, std::int64_t* groups,
                const communicator& ranks, cudaStream_t stream) {
  std::int64_t* bands = nullptr;
  if (has_bands(each.group.accumulator)) {
    bands = groups + each.group.answers * each.group_words;
    check_launch(launch_write_group_bands(each.group, words, each.pieces, bands, stream));
    all_reduce_words(bands, each.group.answers, nccl_max, ranks, stream);
  }
  check_launch(launch_write_groups(each.group, words, each.pieces, bands, groups, stream));
  all_reduce_words(groups, each.group.answers * each.group_words, nccl_sum, ranks, stream);
  check_launch(launch_round_groups(each.group, groups, stream));
}

void share_extrema(const shared_state& each, const std::int64_t* words, std::int64_t* storage,
                   const communicator& ranks, cudaStream_t stream) {
  const extrema_request request = each.extrema(ranks.ranks, ranks.rank);
  std::int64_t* const keys = storage + request.answers * merged_words;
  const extrema_words to = {reinterpret_cast<detail::extrema*>(storage), keys,
                            keys + key_words(request)};
  check_launch(launch_write_extrema_keys(request, words, each.pieces, to, stream));
  all_reduce_words(keys, key_words(request), nccl_max, ranks, stream);
  if (request.positions) {
    check_launch(launch_write_extrema_positions(request, to, stream));
    all_reduce_words(to.positions, position_words(request), nccl_max, ranks, stream);
  }
  check_launch(launch_round_extrema(request, to, stream));
}

void share(const shared_state& state, const workspace_lease& workspace, const communicator& ranks,
           cudaStream_t stream) {
  auto* const words = reinterpret_cast<std::int64_t*>(workspace.scratch());
  if (state.launch)
    enqueue({&*state.launch, 1}, ranks.device, workspace.cleared(), workspace.scratch(), stream);
  (state.group_words > 0 ? share_sums : share_extrema)(state, state.launch ? words : nullptr,
                                                       words + state.words(), ranks, stream);
}

void enqueue_work(const executor::cuda& on, const options& options, const shared_work& work,
                  const communicator& ranks) {
  auto* const stream = static_cast<cudaStream_t>(on.stream);
  workspace_lease workspace(on, options.workspace, work.device, work.workspace_bytes);
  if (options.status_out != nullptr)
    check(cudaMemsetAsync(options.status_out, 0, sizeof(std::int32_t), stream),
          "writing the status");
  for (const shared_state& state : work.states) share(state, workspace, ranks, stream);
  workspace.pass_on();
}

status refused(const std::string& why) {
  return {status_code::unsupported,
          "the exact all-reduce on a stream does not serve " + why +
              "; states that are made outside it (try_partial) combine by to_additive, or by "
              "merge_gathered"};
}

}  // namespace

int group_words(accumulator kind, dtype input) {
  return std::visit(
      []<class Known>(const Known&) {
        if constexpr (requires { Known::additive_words; })
          return detail::additive_header + Known::additive_words;
        else
          return 0;
      },
      empty_state(kind, input));
}

status all_reduce(const executor::cuda& on, const request& request,
                  std::span<const output_view> outputs, ncclComm* comm) try {
  if (auto fine = check_device(on); !fine) return fine;
  const communicator ranks(comm);
  const shared_work work = shared_work_of(on, request, outputs, ranks.ranks);
  if (!work.why_not.empty()) return refused(work.why_not);
  if (work.device != ranks.device)
    return {status_code::mismatch,
            "the answers are in the memory of device " + std::to_string(work.device) +
                ", and the communicator's device is " + std::to_string(ranks.device)};
  if (request.options.stop.stop_requested())
    return {status_code::cancelled, "the caller asked to stop"};
  check_device_options(request.options);
  const device_guard here(work.device);
  enqueue_work(on, request.options, work, ranks);
  return {};
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the CUDA engine's own lists"};
}

result<std::size_t> all_reduce_bytes(const executor::cuda& on, const request& request,
                                     std::span<const output_view> outputs, int ranks) try {
  if (auto fine = check_device(on); !fine) return fine;
  const shared_work work = shared_work_of(on, request, outputs, ranks);
  if (!work.why_not.empty()) return refused(work.why_not);
  return work.workspace_bytes;
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return status(status_code::out_of_memory, "no memory for the CUDA engine's own lists");
}

}  // namespace onefold::cuda
