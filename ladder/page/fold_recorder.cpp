// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/fold_recorder.hpp"

#include "simt/arena.hpp"
#include "simt/memory_map.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

namespace onefold::ladder {

void fold_recorder::launch_begins(const simt::launch_view& launch) {
  memory_ = &launch.memory;
  map_ = &launch.map;
  ++launches_;
  grids_.push_back(static_cast<unsigned>(launch.config.grid.volume()));
  if (launches_ > 1) return;
  for (const simt::buffer& b : memory_->buffers()) {
    buffers_.push_back({b.name, b.size_bytes / item_bytes_});
  }
}

void fold_recorder::block_begins(unsigned block) {
  watched_ = extent_ == extent::all_launches || (launches_ == 1 && block == 0);
  interval_ = 0;
  block_ = block;
  lanes_.clear();
  rounds_.clear();
  block_read_.clear();
  block_shuffles_ = false;
  std::erase_if(contents_, [](const auto& c) { return c.first.first == simt::space::shared; });
}

void fold_recorder::barrier(const simt::barrier_view& barrier) {
  while (!pending_.empty()) settle(pending_.begin()->first);
  interval_ = barrier.interval + 1;
}

void fold_recorder::access(const simt::memory_access& access) {
  if (!watched_) return;
  settle(access.who.thread);
  if (!access.inside) {
    if (!access.writes)
      lane_of(access).read.push_back({cell_at(access, item_bytes_), {}, true, 0, item_bytes_});
    if (access.where == simt::space::global) note(access, cell_at(access, item_bytes_));
    return;
  }
  if (access.writes) {
    writes(access);
  } else {
    reads(access);
  }
}

// What a lane stores may be wider than an element: sums of bytes are floats. Shared arrays begin at
// a row of the banks behind the red zone; small ones fill less than a row.
cell fold_recorder::cell_at(const simt::memory_access& access, std::size_t bytes) const {
  if (access.where == simt::space::shared) {
    std::size_t start = simt::memory_map::red_zone_bytes;
    if (access.offset >= simt::memory_map::dynamic_window_bytes) start = static_shared();
    return {"shared", (access.offset - start) / bytes};
  }
  const simt::buffer* buffer = memory_->nearest(access.offset);
  return {buffer->name, (access.offset - buffer->offset) / bytes};
}

/// Where the first array of a fixed size begins.
std::size_t fold_recorder::static_shared() const {
  std::size_t first = simt::memory_map::shared_window_bytes;
  for (const simt::buffer& array : map_->shared_extents()) {
    if (array.offset >= simt::memory_map::dynamic_window_bytes)
      first = std::min(first, array.offset);
  }
  return first;
}

/// All parts of a wide access belong to one round.
void fold_recorder::note(const simt::memory_access& access, const cell& at) {
  constexpr std::size_t drawable = 1 << 14;  // a kernel that never ends would fill the memory
  if (accesses_.size() >= drawable) return;
  const bool repeats = !accesses_.empty() && access.size_bytes > item_bytes_ &&
                       at.index * item_bytes_ % access.size_bytes != 0;
  unsigned& next = rounds_[{access.who.thread, access.writes, at.memory}];
  const unsigned round = repeats && next > 0 ? next - 1 : next++;
  accesses_.push_back(
      {launches_ - 1, block_, access.who.thread, round, access.writes, access.inside, at});
}

// A lane that stores behind a barrier before it has read again has kept what it left before.
fold_recorder::lane_record& fold_recorder::lane_of(const simt::memory_access& access) {
  lane_record& lane = lanes_[access.who.thread];
  const bool reads_again = !access.writes && lane.stored;
  if (lane.interval != interval_) {
    lane.interval = interval_;
    lane.step = 0;
    if (access.writes && lane.stored) lane.read = std::exchange(lane.left, {});
  } else if (reads_again) {
    ++lane.step;
  }
  if (reads_again) {
    lane.read.clear();
    lane.left.clear();
  }
  lane.stored = access.writes;
  return lane;
}

// A wide load brings several elements; a second vector's element i counts as element i.
void fold_recorder::reads(const simt::memory_access& access) {
  auto& read = lane_of(access).read;
  for (std::size_t part = 0; part < access.size_bytes; part += item_bytes_) {
    simt::memory_access one = access;
    one.offset += part;
    const cell at = cell_at(one, item_bytes_);
    read.push_back(brought(one, at));
    if (one.where == simt::space::shared) continue;
    note(one, at);
    const auto& elements = read.back().elements;
    block_read_.insert(block_read_.end(), elements.begin(), elements.end());
  }
}

/// What a store, perhaps a wider one, has left there.
const fold_recorder::content* fold_recorder::known_at(const address& where) const {
  const auto after = contents_.upper_bound(where);
  if (after == contents_.begin()) return nullptr;
  const auto& [start, known] = *std::prev(after);
  const bool covers = start.first == where.first && where.second < start.second + known.bytes;
  return covers ? &known : nullptr;
}

/// What a lane finds there: what a lane has left, else an element of the input.
fold_recorder::content fold_recorder::brought(const simt::memory_access& access, const cell& at) {
  const address where{access.where, access.offset};
  if (const content* known = known_at(where)) return *known;
  const bool written =
      access.where == simt::space::global && memory_->written()[access.offset] != 0;
  if (!written) return {at, {}, true, 0, item_bytes_};
  const auto value = value_at(where);
  if (value && at.memory == buffers_.front().name) elements_[at.index] = *value;
  return {at, {at.index}, false, 0, item_bytes_};
}

std::optional<double> fold_recorder::value_at(const address& at) const {
  const void* bytes = at.first == simt::space::shared ? map_->address_of_shared(at.second)
                                                      : map_->global_bytes(at.second);
  const auto read = [bytes](auto zero) {
    std::memcpy(&zero, bytes, sizeof zero);
    return static_cast<double>(zero);
  };
  switch (type_) {
  case element::int32:
    return read(std::int32_t{});
  case element::float32:
    return read(float{});
  case element::float64:
    return read(double{});
  case element::uint8:
    return read(std::uint8_t{});
  }
  return {};
}

void fold_recorder::settle(unsigned thread) {
  const auto found = pending_.find(thread);
  if (found == pending_.end()) return;
  folds_[found->second.fold].second.value = value_at(found->second.to);
  pending_.erase(found);
}

void fold_recorder::hold_all_read(fold& made) {
  made.holds = block_read_;
  std::ranges::sort(made.holds);
  const auto repeated = std::unique(made.holds.begin(), made.holds.end());
  made.holds.erase(repeated, made.holds.end());
}

void fold_recorder::writes(const simt::memory_access& access) {
  const unsigned thread = access.who.thread;
  lane_record& lane = lane_of(access);
  const cell to = cell_at(access, access.size_bytes);
  if (access.where == simt::space::global) note(access, to);
  fold made{launches_ - 1, block_, interval_, 0, thread, access.who.warp, {}, to, {}, {}, {}, {}};
  content& target = contents_[{access.where, access.offset}];
  auto read = lane.read;
  const bool read_target =
      std::ranges::any_of(read, [&](const content& c) { return c.at == made.to; });
  const bool kept = target.writer == thread || (access.atomic && access.reads);
  if (!read_target && kept && !target.elements.empty()) read.push_back(target);
  // Compilers read the operands of one expression in either order.
  std::ranges::stable_sort(read, [&](const auto& a, const auto& b) {
    const auto rank = [&](const cell& c) { return std::pair(c != made.to, c.index); };
    return rank(a.at) < rank(b.at);
  });
  for (const content& from : read) {
    made.from.push_back(from.at);
    made.unknown |= from.unknown;
    for (const std::size_t e : from.elements) {
      if (std::ranges::find(made.holds, e) == made.holds.end()) made.holds.push_back(e);
    }
  }
  if (block_shuffles_ && access.where == simt::space::global) hold_all_read(made);
  target = {made.to, made.holds, made.unknown, thread, access.size_bytes};
  lane.left.push_back(target);
  if (access.size_bytes == item_bytes_)
    pending_[thread] = {folds_.size(), {access.where, access.offset}};
  const auto same_step = [this, &lane](const step_key& key) {
    return std::get<0>(key) == launches_ && std::get<1>(key) == block_ &&
           std::get<2>(key) == interval_ && std::get<3>(key) == lane.step;
  };
  const auto before = std::ranges::count_if(
      folds_, [&](const auto& f) { return f.second.to == made.to && same_step(f.first); });
  folds_.emplace_back(
      step_key(launches_, block_, interval_, lane.step, static_cast<unsigned>(before)),
      std::move(made));
}

void fold_recorder::warp_operation(const simt::warp_operation_view& operation) {
  const bool shuffles = operation.word <= simt::warp_word::shuffle_xor;
  in_registers_ |= shuffles;
  block_shuffles_ |= shuffles;
}

std::vector<fold> fold_recorder::folds() const {
  std::set<step_key> steps;
  for (const auto& [step, made] : folds_) steps.insert(step);
  std::vector<fold> list;
  for (const auto& [step, made] : folds_) {
    list.push_back(made);
    list.back().step = static_cast<unsigned>(std::distance(steps.begin(), steps.find(step)));
  }
  std::ranges::stable_sort(list, {}, &fold::step);
  return list;
}

}  // namespace onefold::ladder
