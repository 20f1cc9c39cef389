// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/fold_recorder.hpp"

#include "simt/arena.hpp"
#include "simt/memory_map.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace onefold::ladder {

void fold_recorder::launch_begins(const simt::launch_view& launch) {
  memory_ = &launch.memory;
  ++launches_;
}

void fold_recorder::block_begins(unsigned block) {
  watched_ = launches_ == 1 && block == 0;
  interval_ = 0;
}

void fold_recorder::barrier(const simt::barrier_view& barrier) {
  interval_ = barrier.interval + 1;
}

void fold_recorder::access(const simt::memory_access& access) {
  if (!watched_ || !access.inside) return;
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
    return {"shared", (access.offset - simt::memory_map::red_zone_bytes) / bytes};
  }
  const simt::buffer* buffer = memory_->nearest(access.offset);
  return {buffer->name, (access.offset - buffer->offset) / bytes};
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
    const auto known = contents_.find({one.where, one.offset});
    if (known != contents_.end()) {
      read.emplace_back(known->second.at, known->second.elements);
    } else {
      const cell at = cell_at(one, item_bytes_);
      read.emplace_back(at, std::vector{at.index});
    }
  }
}

void fold_recorder::writes(const simt::memory_access& access) {
  const unsigned thread = access.who.thread;
  lane_record& lane = lane_of(access);
  fold made{0, thread, access.who.warp, {}, cell_at(access, access.size_bytes), {}};
  content& target = contents_[{access.where, access.offset}];
  auto read = lane.read;
  const bool read_target =
      std::ranges::any_of(read, [&](const auto& r) { return r.first == made.to; });
  const bool kept = target.writer == thread || (access.atomic && access.reads);
  if (!read_target && kept && !target.elements.empty()) read.emplace_back(made.to, target.elements);
  // Compilers read the operands of one expression in either order.
  std::ranges::stable_sort(read, [&](const auto& a, const auto& b) {
    const auto rank = [&](const cell& c) { return std::pair(c != made.to, c.index); };
    return rank(a.first) < rank(b.first);
  });
  for (const auto& [from, elements] : read) {
    made.from.push_back(from);
    for (const std::size_t e : elements) {
      if (std::ranges::find(made.holds, e) == made.holds.end()) made.holds.push_back(e);
    }
  }
  target = {made.to, made.holds, thread};
  lane.left.emplace_back(made.to, made.holds);
  const auto before = std::ranges::count_if(folds_, [&](const auto& f) {
    return std::get<0>(f.first) == interval_ && std::get<1>(f.first) == lane.step &&
           f.second.to == made.to;
  });
  folds_.emplace_back(step_key(interval_, lane.step, static_cast<unsigned>(before)),
                      std::move(made));
}

void fold_recorder::warp_operation(const simt::warp_operation_view& operation) {
  in_registers_ |= operation.word <= simt::warp_word::shuffle_xor;
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
