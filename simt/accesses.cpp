// SPDX-License-Identifier: Apache-2.0
// The executor's ear: accesses, basic blocks and fences of the running lane.
#include "simt/executor.hpp"
#include "simt/program_image.hpp"

namespace onefold::simt {

void executor::on_access(std::uintptr_t address, unsigned size_bytes, bool writes,
                         std::uintptr_t pc) {
  if (fibers_.on_stack(running_, address)) return;
  const address_info found = map_.find(address, size_bytes);
  if (found.where == region::parameter) return;
  if (found.where == region::unknown) {
    if (!writes && is_program_constant(address)) return;
    return forbid(address, size_bytes, writes, sites_.id_of(pc));
  }
  memory_access access{};
  access.writes = writes;
  access.reads = !writes;
  access.size_bytes = static_cast<std::uint16_t>(size_bytes);
  access.site = sites_.id_of(pc);
  if (config_.cluster > 1) check_remote(found, access.site);
  tell_access(found, access);
  if (config_.order == schedule::lockstep) fibers_.pause();
}

/// Between two atomics of a block others of its cluster may execute several.
void executor::let_blocks_pass() {
  if (config_.order != schedule::shuffled || config_.cluster == 1) return;
  while (random_() % 2 != 0) fibers_.pause();
}

void executor::on_atomic(std::uintptr_t address, unsigned size_bytes, bool reads,
                         std::uintptr_t pc) {
  if (fibers_.on_stack(running_, address)) return;
  const address_info found = map_.find(address, size_bytes);
  const site_id site = sites_.id_of(pc);
  if (found.where != region::global && found.where != region::shared) {
    return forbid(address, size_bytes, true, site);
  }
  // Before, so that observers hear of atomics in the order in which they happen.
  if (config_.order == schedule::lockstep) fibers_.pause();
  let_blocks_pass();
  memory_access access{};
  access.writes = access.atomic = true;
  access.reads = reads;
  access.size_bytes = static_cast<std::uint16_t>(size_bytes);
  access.site = site;
  tell_access(found, access);
}

void executor::forbid(std::uintptr_t address, unsigned size_bytes, bool writes, site_id site) {
  if (std::string* detail = report_.add(defect::bounds, site)) {
    *detail = std::string(writes ? "write" : "read") + " of " + std::to_string(size_bytes) +
              " bytes, " + map_.describe_unknown(address, size_bytes);
  }
  // A device ends the kernel here; the access itself could end this process.
  give_up();
  fibers_.pause();
}

void executor::on_fence(fence_scope scope, std::uintptr_t pc) {
  const site_id site = sites_.id_of(pc);
  for (observer* o : observers_) o->fence(lanes_[running_].position, scope, site);
}

void executor::on_step(std::uintptr_t pc) {
  lane_state& lane = lanes_[running_];
  count_expected_steps(lane);
  if (follower_ != nullptr) follower_->step(lane.position, pc);
  for (observer* o : step_observers_) o->step(lane.position, pc);
  if (++lane.steps >= lane.pause_at) pause_after_steps(lane, pc);
  expect_steps(lane);
}

void executor::pause_after_steps(lane_state& lane, std::uintptr_t pc) {
  lane.pause_at = lane.steps + steps_between_pauses;
  if (lane.steps >= config_.step_budget) {
    if (std::string* detail = report_.add(defect::no_progress, sites_.id_of(pc))) {
      *detail = "a lane ran " + std::to_string(lane.steps) +
                " basic blocks without coming to a barrier or its end";
    }
    give_up();
  }
  fibers_.pause();
}

}  // namespace onefold::simt
