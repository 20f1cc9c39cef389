// SPDX-License-Identifier: Apache-2.0
#include "cuda/kernels/strided/strided_batches.hpp"

#include <algorithm>
#include <vector>

#include "cuda/accumulate_range.hpp"
#include "cuda/kernels/strided/describe.hpp"
#include "cuda/kernels/whole/products/ordered.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "cuda/runtime/slot.hpp"
#include "request/request.hpp"
#include "runtime/accumulation.hpp"

namespace onefold::cuda {
namespace {

constexpr std::int64_t warps_of_a_multiprocessor = 32;
// Elements of a lane that are worth the words of a piece of their own.
constexpr std::int64_t least_lane_items = 64;
// Rows as short as this have a lane each.
constexpr std::int64_t items_of_a_lane = 16;
// Between two looks at the caller's stop.
constexpr std::int64_t batch_items = std::int64_t(1) << 31;
constexpr std::int64_t most_pieces = 4096;
// While the host rounds one half of a slot's buffers, the device fills the other.
constexpr auto half_words = std::int64_t(window_bytes / sizeof(std::int64_t) / 2);

/// A accumulator of a request, and how its answers are cut into pieces.
struct accumulator_share {
  onefold::accumulator accumulator;
  order shape;
  std::int64_t words;  ///< of a piece
  std::int64_t pieces = 1, piece_items = 0;

  std::int64_t answer_words() const { return pieces * words; }
};

/// How a plan is cut into batches, and those into pieces.
class batches {
 public:
  batches(const request& request, const device_operands& operands, slot& at)
      : decided_(request.plan), at_(at),
        warps_(warps_of_a_multiprocessor * multiprocessors_of(at.device())) {
    for (const accumulator each : accumulators_of(request.plan.ops, request.plan.accuracy)) {
      shares_.push_back(share_of(request, each));
      whole_warps_ = whole_warps_ || is_exact_sum(shares_.back());
    }
    whole_warps_ =
        whole_warps_ || (decided_.form != shape::columns && decided_.items > items_of_a_lane);
    cut();
    all_ = described(request, operands.x, operands.y, operands.mask);
  }

  std::int64_t count() const { return (decided_.outputs - 1) / outputs_ + 1; }
  /// The first answer of a batch.
  std::int64_t first(std::int64_t batch) const {
    return std::min(decided_.outputs, batch * outputs_);
  }

  /// Enqueues a batch, and the copy of its words to the host.
  void enqueue(std::int64_t batch, cudaStream_t stream) {
    const bool in_one = is_large();
    auto* const words =
        in_one ? at_.device_chunk_words() + batch % 2 * words_ : half_of(at_.buffer(), batch);
    all_.first_output = first(batch), all_.outputs = first(batch + 1) - first(batch);
    launch(words, stream);
    if (in_one) return;
    const std::int64_t size = all_.outputs * words_;
    check(cudaMemcpyAsync(half_of(at_.staging(), batch), words,
                          std::size_t(size) * sizeof(std::int64_t), cudaMemcpyDeviceToHost, stream),
          "copying the states from the device");
  }
  /// The words of each accumulator on the host. Precondition: the stream has come there.
  std::vector<accumulator_words> words_of(std::int64_t batch) const {
    const std::int64_t* from =
        is_large() ? at_.chunk_words() + batch % 2 * words_ : half_of(at_.staging(), batch);
    std::vector<accumulator_words> made;
    for (const accumulator_share& each : shares_) {
      made.push_back({from, each.pieces, each.words, each.shape != order::none});
      from += (first(batch + 1) - first(batch)) * each.answer_words();
    }
    return made;
  }

 private:
  static std::int64_t* half_of(std::byte* buffer, std::int64_t batch) {
    return reinterpret_cast<std::int64_t*>(buffer) + batch % 2 * half_words;
  }
  static accumulator_share share_of(const request& request, accumulator each) {
    const auto& plan = request.plan;
    if (!is_ordered(each, plan.accuracy, plan.input))
      return {each, order::none, state_words(each, plan.input)};
    const std::int64_t words = ordered_chunk_words(each, plan.input) + 1;
    const ordered_cut cut = ordered_cut_of(request);
    return {each, cut.shape, words, cut.pieces, cut.piece_items};
  }
  // Digits of exact sums are a warp's.
  bool is_exact_sum(const accumulator_share& share) const {
    return share.accumulator == accumulator::exponentials ||
           (share.shape == order::none && is_floating(decided_.input) &&
            share.accumulator <= accumulator::moments);
  }
  // The words of one answer alone are more than half a buffer: kernels write them to the host.
  bool is_large() const { return words_ > half_words; }

  unsigned lanes_of(const accumulator_share& share) const {
    return share.shape == order::chunks || whole_warps_ ? 32 : 1;
  }
  void launch(std::int64_t* to, cudaStream_t stream) {
    for (const accumulator_share& each : shares_) {
      all_.accumulator = each.accumulator, all_.shape = each.shape, all_.state_words = each.words;
      all_.pieces = each.pieces, all_.piece_items = each.piece_items;
      all_.lanes = lanes_of(each);
      const unsigned blocks = blocks_of(all_, multiprocessors_of(at_.device()));
      check_launch(launch_strided(all_, blocks, to, stream));
      to += all_.outputs * each.answer_words();
    }
  }
  // Where order does not count, pieces are as many as keep the device busy.
  void cut() {
    std::int64_t free_words = 0, ordered_words = 0;
    for (const accumulator_share& each : shares_)
      (each.shape == order::none ? free_words : ordered_words) += each.answer_words();
    const std::int64_t lanes = whole_warps_ ? 32 : 1, items = decided_.items;
    const std::int64_t available = std::max(half_words - ordered_words, half_words / 2);
    const std::int64_t worth = items / (least_lane_items * lanes);
    const std::int64_t wanted =
        std::min({warps_ * 32 / lanes / decided_.outputs, worth, most_pieces,
                  available / std::max<std::int64_t>(free_words, 1)});
    const std::int64_t piece = (items - 1) / std::max<std::int64_t>(wanted, 1) + 1;
    for (accumulator_share& each : shares_) {
      if (each.shape == order::none)
        each.piece_items = piece, each.pieces = (items - 1) / piece + 1;
      words_ += each.answer_words();
    }
    const std::int64_t at_once = std::max<std::int64_t>(batch_items / items, 1);
    outputs_ = is_large() ? 1 : std::min({decided_.outputs, at_once, half_words / words_});
    if (is_large()) at_.reserve_chunk_words(2 * words_);
  }

  const plan& decided_;
  slot& at_;
  std::vector<accumulator_share> shares_;
  std::int64_t warps_, words_ = 0, outputs_ = 0;  // words_: of an answer
  bool whole_warps_ = false;
  strided_request all_;
};

/// Nothing on the stream uses what goes out of scope before it.
struct waits_for {
  cudaStream_t stream;
  ~waits_for() { cudaStreamSynchronize(stream); }
};

void refuse_if_stopped(const options& how) {
  if (how.stop.stop_requested()) throw error({status_code::cancelled, "the caller asked to stop"});
}

void hand_over(const std::function<status(const answer_words&)>& take, const answer_words& words) {
  if (auto done = take(words); !done) throw error(done);
}

}  // namespace

void run_batches(const executor::cuda& on, const request& request, const where& at,
                 const std::function<status(const answer_words&)>& take) {
  const auto& plan = request.plan;
  answer_words found = {0, plan.outputs, request.options.first_index, plan.input, {}};
  if (plan.items == 0) return hand_over(take, found);
  refuse_if_stopped(request.options);
  borrowed_slot slot(at.device);
  const bool there = at.kind == memory::device;
  auto* const stream = there ? static_cast<cudaStream_t>(on.stream) : slot->stream();
  const memory_source from = {on.memory, stream};
  slot->borrow_from(from);
  slot->reserve_window(window_bytes, true);
  const device_operands operands(request, at.kind, from);
  batches all(request, operands, *slot);
  const waits_for end{stream};
  all.enqueue(0, stream);
  for (std::int64_t k = 0; k < all.count(); ++k) {
    check(cudaStreamSynchronize(stream), "reducing on the device");
    refuse_if_stopped(request.options);
    if (k + 1 < all.count()) all.enqueue(k + 1, stream);
    const auto words = all.words_of(k);
    found.first = all.first(k), found.last = all.first(k + 1), found.accumulators = words;
    hand_over(take, found);
    if (request.options.progress)
      request.options.progress(request.before + found.last * plan.items, request.all);
  }
  slot.give_back();
}

namespace {

// Returns the number of elements of a tree.
std::int64_t merge(const accumulator_words& from, const std::int64_t* words, const target& into,
                   const answer_words& answers) {
  std::int64_t count = 0;
  std::uint64_t wrapped = 0;
  for (std::int64_t piece = 0; piece < from.pieces; ++piece, words += from.words) {
    if (into.tree == nullptr) {
      merge_words(*into.into, words, answers.first_index);
      continue;
    }
    const std::int64_t items = words[from.words - 1];
    if (!from.chunks)
      wrapped += std::uint64_t(words[0]);
    else if (items > 0)
      append_chunk(into, answers.input, items, words);
    count += items;
  }
  const bool is_wrapped_sum = into.tree != nullptr && !from.chunks;
  if (is_wrapped_sum && count > 0) into.tree->push(fast_total<std::uint64_t>{wrapped});
  return count;
}

}  // namespace

void answer_words::add_to(std::int64_t k, std::span<const target> into) const {
  for (std::size_t i = 0; i < accumulators.size(); ++i) {
    const accumulator_words& each = accumulators[i];
    const std::int64_t count =
        merge(each, each.begin + (k - first) * each.pieces * each.words, into[i], *this);
    if (into[i].count != nullptr) *into[i].count += count;
  }
}

}  // namespace onefold::cuda
