// SPDX-License-Identifier: Apache-2.0
// Exact reductions over the ranks of a communicator: a kernel reduces, one writes the words of the
// states, NCCL adds them or takes their maximum, and one rounds. The host waits for none of it.
#include <algorithm>
#include <cmath>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/kernel_table.hpp"
#include "cuda/nested/describe.hpp"
#include "cuda/ranks/additive.hpp"
#include "cuda/ranks/extrema.hpp"
#include "cuda/ranks/nccl.hpp"
#include "cuda/ranks/ranks.hpp"
#include "cuda/resident/resident.hpp"
#include "cuda/workspace.hpp"
#include "onefold/detail/additive.hpp"
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
  std::int64_t pieces = 1;
  std::int64_t words = 0;        ///< of all states
  std::int64_t group_words = 0;  ///< 0: extrema
  bool positions = false;

  extrema_request extrema(int ranks, int rank) const {
    return {group.input, group.signature, group.answers, ranks, rank, positions, group.finish};
  }
  std::size_t bytes(int ranks) const {
    const extrema_request asked = extrema(ranks, 0);
    const std::int64_t exchanged =
        group_words > 0 ? group.answers * (group_words + has_bands(group.of))
                        : group.answers * merged_words + key_words(asked) + position_words(asked);
    return std::size_t(words + exchanged) * sizeof(std::int64_t);
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
std::string reason_of_status(const request& of, std::span<const output_view> outputs) {
  if (of.options.status_out != nullptr) return {};
  for (const output_view& each : outputs)
    if (!is_floating(each.type())) return "answers that are no floats without options::status_out";
  for (int i = 0; i < of.plan.ops.size(); ++i)
    if (const op what = of.plan.ops[i];
        accumulator_of(what) == accumulator::extrema && what != op::norminf)
      return of_type(what, of.plan.input) + ", which no elements have, without options::status_out";
  return {};
}

bool has_positions(const finish_list& list) {
  return std::any_of(list.answers, list.answers + list.size, [](const finish_item& each) {
    return each.what == op::argmin || each.what == op::argmax;
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

std::string add_state(const request& of, accumulator each,
                      std::span<const accumulator> accumulators,
                      std::span<const output_view> outputs, int ranks, shared_work& to) {
  const auto& plan = of.plan;
  shared_state made;
  made.group = {each, plan.input, 0, plan.outputs, {}};
  if (auto why = list_answers(of, each, accumulators, outputs, made.group.finish); !why.empty())
    return why;
  const op first = made.group.finish.answers[0].what;
  made.group.signature = signature_of(first, plan.input, of.options);
  made.group_words = group_words(each, plan.input);
  const bool whole = plan.form == shape::full;
  const kernel_family by = whole ? kernel_family::full : kernel_family::strided;
  if (plan.accuracy == accuracy::fast) return "fast reductions";
  const bool combines = made.group_words > 0 || each == accumulator::extrema;
  if (!combines || !has_kernel(by, each, plan.accuracy, plan.input))
    return of_type(first, plan.input);
  made.positions = has_positions(made.group.finish);
  if (!whole) made.pieces = pieces_of(plan, multiprocessors_of(to.device));
  made.words = plan.outputs * made.pieces * state_words(each, plan.input);
  to.workspace_bytes = std::max(to.workspace_bytes, cleared_bytes + made.bytes(ranks));
  to.states.push_back(made);
  return {};
}

shared_work shared_work_of(const executor::cuda& on, const request& of,
                           std::span<const accumulator> accumulators,
                           std::span<const output_view> outputs, int ranks) {
  shared_work made;
  made.why_not = reason_for_host(on, of, outputs, made.device, true);
  if (made.why_not.empty()) made.why_not = reason_of_status(of, outputs);
  for (const accumulator each : accumulators)
    if (made.why_not.empty())
      made.why_not = add_state(of, each, accumulators, outputs, ranks, made);
  return made;
}

void launch_whole(const request& of, const shared_state& each, const workspace_lease& in,
                  int device, cudaStream_t stream) {
  full_request asked = {each.group.of, of.plan.input, of.x, of.y, of.plan.items};
  asked.lanes = suited_lanes(float32_per_float64_of(device));
  asked.finish.count = of.options.count;
  const grid_shape grid =
      suited_grid(asked.of, asked.input, asked.n, multiprocessors_of(device), asked.lanes);
  auto* const words = reinterpret_cast<std::int64_t*>(in.scratch());
  check_launch(launch_full(asked, grid, in.cleared(), words, stream));
}

void launch_pieces(const request& of, const shared_state& each, const workspace_lease& in,
                   int device, cudaStream_t stream) {
  nested_request asked = described(of, static_cast<const std::byte*>(of.x),
                                   static_cast<const std::byte*>(of.y), nullptr);
  asked.of = each.group.of;
  asked.outputs = of.plan.outputs;
  asked.pieces = each.pieces, asked.piece_items = (of.plan.items - 1) / each.pieces + 1;
  asked.state_words = state_words(asked.of, asked.input);
  auto* const words = reinterpret_cast<std::int64_t*>(in.scratch());
  check_launch(launch_nested(asked, blocks_of(asked, multiprocessors_of(device)), words, stream));
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
  if (has_bands(each.group.of)) {
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
  const extrema_request asked = each.extrema(ranks.ranks, ranks.rank);
  std::int64_t* const keys = storage + asked.answers * merged_words;
  const extrema_words to = {reinterpret_cast<detail::extrema*>(storage), keys,
                            keys + key_words(asked)};
  check_launch(launch_write_extrema_keys(asked, words, each.pieces, to, stream));
  all_reduce_words(keys, key_words(asked), nccl_max, ranks, stream);
  if (asked.positions) {
    check_launch(launch_write_extrema_positions(asked, to, stream));
    all_reduce_words(to.positions, position_words(asked), nccl_max, ranks, stream);
  }
  check_launch(launch_round_extrema(asked, to, stream));
}

void share(const request& of, const shared_state& each, const workspace_lease& in,
           const communicator& ranks, cudaStream_t stream) {
  auto* words = reinterpret_cast<std::int64_t*>(in.scratch());
  std::int64_t* const storage = words + each.words;
  if (of.plan.items == 0)
    words = nullptr;
  else if (of.plan.form == shape::full)
    launch_whole(of, each, in, ranks.device, stream);
  else
    launch_pieces(of, each, in, ranks.device, stream);
  (each.group_words > 0 ? share_sums : share_extrema)(each, words, storage, ranks, stream);
}

void enqueue(const executor::cuda& on, const request& of, const shared_work& work,
             const communicator& ranks) {
  auto* const stream = static_cast<cudaStream_t>(on.stream);
  workspace_lease in(on, of.options.workspace, work.device, work.workspace_bytes);
  if (of.options.status_out != nullptr)
    check(cudaMemsetAsync(of.options.status_out, 0, sizeof(std::int32_t), stream),
          "writing the status");
  for (const shared_state& each : work.states) share(of, each, in, ranks, stream);
  in.pass_on();
}

status refused(const std::string& why) {
  return {status_code::unsupported,
          "the exact all-reduce on a stream does not serve " + why +
              "; states that are made outside it (try_partial) combine by to_additive, or by "
              "merge_gathered"};
}

}  // namespace

int group_words(accumulator of, dtype input) {
  return std::visit(
      []<class Known>(const Known&) {
        if constexpr (requires { Known::additive_words; })
          return detail::additive_header + Known::additive_words;
        else
          return 0;
      },
      empty_state(of, input));
}

status all_reduce(const executor::cuda& on, const request& of,
                  std::span<const accumulator> accumulators, std::span<const output_view> outputs,
                  ncclComm* comm) try {
  if (auto fine = check_device(on); !fine) return fine;
  const communicator ranks(comm);
  const shared_work work = shared_work_of(on, of, accumulators, outputs, ranks.ranks);
  if (!work.why_not.empty()) return refused(work.why_not);
  if (work.device != ranks.device)
    return {status_code::mismatch,
            "the answers are in the memory of device " + std::to_string(work.device) +
                ", and the communicator's device is " + std::to_string(ranks.device)};
  if (of.options.stop.stop_requested()) return {status_code::cancelled, "the caller asked to stop"};
  check_place(of.options.count, "options::count");
  check_place(of.options.status_out, "options::status_out");
  check_place(of.options.workspace.data, "options::workspace");
  const device_guard here(work.device);
  enqueue(on, of, work, ranks);
  return {};
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the CUDA engine's own lists"};
}

result<std::size_t> all_reduce_bytes(const executor::cuda& on, const request& of,
                                     std::span<const accumulator> accumulators,
                                     std::span<const output_view> outputs, int ranks) try {
  if (auto fine = check_device(on); !fine) return fine;
  const shared_work work = shared_work_of(on, of, accumulators, outputs, ranks);
  if (!work.why_not.empty()) return refused(work.why_not);
  return work.workspace_bytes;
} catch (const error& failed) {
  return failed.why();
} catch (const std::bad_alloc&) {
  return status(status_code::out_of_memory, "no memory for the CUDA engine's own lists");
}

}  // namespace onefold::cuda
