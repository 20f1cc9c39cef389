// SPDX-License-Identifier: Apache-2.0
#include "cuda/nested/pass.hpp"

#include <algorithm>
#include <vector>

#include "cuda/nested/nested.hpp"
#include "cuda/pass.hpp"
#include "cuda/slot.hpp"

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

axis_nest nest_of(const plan& from) {
  axis_nest made;
  for (const loop_nest* nest : {&from.kept, &from.reduced})
    for (const loop_axis& axis : *nest)
      made.axis[made.all++] = {axis.extent, axis.x_bytes, axis.y_bytes, axis.mask_bytes};
  made.kept = from.kept.size();
  return made;
}

bool aligned(const void* origin, const plan& decided, std::int64_t loop_axis::*stride,
             std::size_t item_bytes) {
  const auto item = std::int64_t(item_bytes);
  bool all = reinterpret_cast<std::uintptr_t>(origin) % item_bytes == 0;
  for (const loop_nest* nest : {&decided.kept, &decided.reduced})
    for (const loop_axis& axis : *nest) all = all && axis.*stride % item == 0;
  return all;
}

bool is_exact_sum(family of, dtype input) {
  return is_floating(input) && of <= family::moments;
}

/// How a plan is cut into batches, and those into pieces.
class batches {
 public:
  batches(const request& of, std::span<const family> families, const device_operands& operands,
          int device)
      : decided_(of.decided), families_(families.begin(), families.end()),
        warps_(warps_of_a_multiprocessor * multiprocessors_of(device)) {
    for (const family each : families) {
      words_ += state_words(each, decided_.input);
      whole_warps_ = whole_warps_ || is_exact_sum(each, decided_.input);
    }
    whole_warps_ =
        whole_warps_ || (decided_.form != shape::columns && decided_.items > items_of_a_lane);
    cut();
    describe(of, operands);
  }

  std::int64_t pieces() const { return all_.pieces; }
  std::int64_t count() const { return (decided_.outputs - 1) / outputs_ + 1; }
  /// The first answer of a batch.
  std::int64_t first(std::int64_t batch) const {
    return std::min(decided_.outputs, batch * outputs_);
  }

  /// Enqueues a batch, and the copy of its words to the host.
  void enqueue(std::int64_t batch, slot& at, cudaStream_t stream) {
    auto* const words = half_of(at.buffer(), batch);
    all_.first_output = first(batch), all_.outputs = first(batch + 1) - first(batch);
    launch(words, stream);
    const std::int64_t size = all_.outputs * all_.pieces * words_;
    check(cudaMemcpyAsync(half_of(at.staging(), batch), words,
                          std::size_t(size) * sizeof(std::int64_t), cudaMemcpyDeviceToHost, stream),
          "copying the states from the device");
  }
  /// Where the words of each family begin on the host. Precondition: the stream has come there.
  std::vector<const std::int64_t*> begins(std::int64_t batch, slot& at) const {
    const std::int64_t* from = half_of(at.staging(), batch);
    std::vector<const std::int64_t*> made;
    for (const family each : families_) {
      made.push_back(from);
      from += (first(batch + 1) - first(batch)) * all_.pieces * state_words(each, decided_.input);
    }
    return made;
  }

 private:
  static std::int64_t* half_of(std::byte* buffer, std::int64_t batch) {
    return reinterpret_cast<std::int64_t*>(buffer) + batch % 2 * half_words;
  }
  void launch(std::int64_t* to, cudaStream_t stream) {
    const std::int64_t groups = nested_threads / all_.lanes, tasks = all_.outputs * all_.pieces;
    const std::int64_t most = 2 * warps_ * 32 / nested_threads;
    const auto blocks = unsigned(std::clamp<std::int64_t>((tasks + groups - 1) / groups, 1, most));
    for (const family each : families_) {
      all_.of = each;
      all_.state_words = state_words(each, decided_.input);
      check(cudaError_t(launch_nested(all_, blocks, to, stream)), "launching a kernel");
      to += tasks * all_.state_words;
    }
  }
  void cut() {
    const std::int64_t room = half_words / words_;
    all_.lanes = whole_warps_ ? 32 : 1;
    const std::int64_t items = decided_.items, groups = warps_ * 32 / all_.lanes;
    const std::int64_t worth = items / (least_lane_items * all_.lanes);
    const std::int64_t wanted = std::min({groups / decided_.outputs, worth, most_pieces, room});
    all_.items = items;
    all_.piece_items = (items - 1) / std::max<std::int64_t>(wanted, 1) + 1;
    all_.pieces = (items - 1) / all_.piece_items + 1;
    const std::int64_t at_once = std::max<std::int64_t>(batch_items / items, 1);
    outputs_ = std::min({decided_.outputs, at_once, room / all_.pieces});
  }
  void describe(const request& of, const device_operands& operands) {
    all_.input = decided_.input;
    all_.x = operands.x, all_.y = operands.y, all_.mask = operands.mask;
    all_.x_kind = kind_of(of.x_type), all_.y_kind = kind_of(of.y_type);
    all_.axes = nest_of(decided_);
    all_.aligned = aligned(operands.x, decided_, &loop_axis::x_bytes, all_.x_kind.bytes) &&
                   (operands.y == nullptr ||
                    aligned(operands.y, decided_, &loop_axis::y_bytes, all_.y_kind.bytes));
  }

  const plan& decided_;
  std::vector<family> families_;
  std::int64_t warps_, words_ = 0, outputs_ = 0;
  bool whole_warps_ = false;
  nested_request all_;
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

std::optional<std::string> unserved_by_nests(const plan& decided,
                                             std::span<const family> families) {
  if (decided.mapped) return "functions of the elements";
  for (const family each : families) {
    if (decided.how == accuracy::fast && each <= family::moments)
      return "fast sums of several answers or of scattered elements; the exact ones are served";
    if (nested_serves(each, decided.input)) continue;
    const auto asked = std::find_if(decided.what.begin(), decided.what.end(),
                                    [&](op what) { return family_of(what) == each; });
    const op what = asked != decided.what.end() ? *asked : decided.what[0];
    return std::string(name(what)) + " of " + std::string(name(decided.input)) +
           " for several answers or of scattered elements";
  }
  return std::nullopt;
}

void run_batches(const executor::cuda& on, const request& of, const where& at,
                 std::span<const family> families,
                 const std::function<status(const answer_words&)>& take) {
  const plan& decided = of.decided;
  answer_words found = {0, decided.outputs, 0, of.how.first_index, decided.input, {}};
  if (decided.items == 0) return hand_over(take, found);
  refuse_if_stopped(of.how);
  borrowed_slot mine(at.device);
  mine->reserve_window(window_bytes, true);
  const bool there = at.kind == memory::device;
  auto* const stream = there ? static_cast<cudaStream_t>(on.stream) : mine->stream();
  const device_operands operands(of, at.kind, stream);
  batches all(of, families, operands, at.device);
  const waits_for end{stream};
  found.pieces = all.pieces();
  all.enqueue(0, *mine, stream);
  for (std::int64_t k = 0; k < all.count(); ++k) {
    check(cudaStreamSynchronize(stream), "reducing on the device");
    refuse_if_stopped(of.how);
    if (k + 1 < all.count()) all.enqueue(k + 1, *mine, stream);
    const auto begins = all.begins(k, *mine);
    found.first = all.first(k), found.last = all.first(k + 1), found.families = begins;
    hand_over(take, found);
    if (of.how.progress) of.how.progress(of.before + found.last * decided.items, of.all);
  }
  mine.give_back();
}

void answer_words::add_to(std::int64_t k, std::span<const target> into) const {
  for (std::size_t i = 0; i < into.size() && pieces > 0; ++i) {
    const int size = state_words(into[i].what, input);
    const std::int64_t* words = families[i] + (k - first) * pieces * size;
    for (std::int64_t piece = 0; piece < pieces; ++piece, words += size)
      merge_words(*into[i].into, words, first_index);
  }
}

}  // namespace onefold::cuda
