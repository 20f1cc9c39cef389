// SPDX-License-Identifier: Apache-2.0
// What happens later: copies that land at the wait that covers them, mbarriers, clusters.
//
// A copy's destination is poison from its begin to its landing, and its source is read at the
// landing: as late as PTX allows, whatever a device does.
#include "simt/banks.hpp"
#include "simt/executor.hpp"

#include <algorithm>
#include <cstring>

namespace onefold::simt {
namespace {

constexpr int poison = 0xFF;

std::uintptr_t number(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

// Copies of lanes.

void executor::begin_copy(const copy_call& call, std::uintptr_t pc) {
  const site_id site = sites_.id_of(pc);
  asynchronous_copy copy{call.to, call.from, static_cast<unsigned>(call.size_bytes), 0, site,
                         {},      {}};
  copy.source_bytes =
      copy.size_bytes - static_cast<unsigned>(std::min(call.zero_bytes, call.size_bytes));
  const bool possible = copy.size_bytes == 4 || copy.size_bytes == 8 || copy.size_bytes == 16;
  if (!possible || (number(call.to) | number(call.from)) % copy.size_bytes != 0) {
    if (std::string* detail = report_.add(defect::asynchronous_copy, site)) {
      *detail = "copy of " + std::to_string(call.size_bytes) +
                " bytes; use 4, 8 or 16 from and to multiples of them";
    }
    if (!possible) return;
  }
  if (!depart(copy, {copy.source_bytes, copy.size_bytes})) return;
  copies_[running_].begin(copy);
  if (config_.order == schedule::lockstep) fibers_.pause();
}

/// Tells the accesses of a copy that begins, and poisons its destination. False where there is no
/// such memory.
bool executor::depart(asynchronous_copy& copy, access_bytes sizes) {
  copy.who = lanes_[running_].position;
  copy.place = map_.find(number(copy.to), copy.size_bytes);
  if (copy.place.where != region::shared) {
    forbid(number(copy.to), copy.size_bytes, true, copy.site);
    return false;
  }
  memory_access access{};
  access.site = copy.site;
  if (copy.from != nullptr && copy.source_bytes != 0) {
    const address_info source = map_.find(number(copy.from), copy.source_bytes);
    if (source.where != region::global) {
      forbid(number(copy.from), copy.source_bytes, false, copy.site);
      return false;
    }
    access.reads = true;
    access.size_bytes = static_cast<std::uint16_t>(sizes.read);
    if (sizes.read != 0) tell_access(source, access);
    std::memcpy(copy.bytes.data(), copy.from, copy.source_bytes);
  }
  check_remote(copy.place, copy.site);
  access.reads = false;
  access.writes = true;
  access.copy = copy_moment::begins;
  access.size_bytes = static_cast<std::uint16_t>(sizes.written);
  if (sizes.written != 0) tell_access(copy.place, access);
  std::memset(copy.to, poison, copy.size_bytes);
  return true;
}

void executor::commit_copies(std::uintptr_t pc) {
  if (!all_waits.leaves_out(pc, wait_kind::commit)) copies_[running_].commit();
}

void executor::wait_for_copies(std::size_t later_groups, std::uintptr_t pc) {
  if (all_waits.leaves_out(pc, wait_kind::copy_wait)) return;
  copies_[running_].wait(later_groups,
                         [this](const asynchronous_copy& copy) { land(copy, copy_moment::lands); });
  if (config_.order == schedule::lockstep) fibers_.pause();
}

void executor::land(const asynchronous_copy& copy, copy_moment moment) {
  std::array<std::byte, 16> bytes = copy.bytes;
  if (copy.from != nullptr) std::memcpy(bytes.data(), copy.from, copy.source_bytes);
  if (bytes != copy.bytes) {
    if (std::string* detail = report_.add(defect::asynchronous_copy, copy.site)) {
      *detail = "the source of a copy has changed before it landed";
    }
  }
  // A block that does not run keeps its static arrays elsewhere: look where it has them now.
  std::memcpy(address_of(copy), bytes.data(), copy.size_bytes);
  memory_access access{};
  access.writes = true;
  access.copy = moment;
  access.site = copy.site;
  access.size_bytes = static_cast<std::uint16_t>(copy.size_bytes);
  tell_access(copy.place, access);
}

void* executor::address_of(const asynchronous_copy& copy) const {
  return map_.address_of_shared(copy.place.offset);
}

void executor::report_not_landed(std::span<const asynchronous_copy> copies) {
  for (const asynchronous_copy& copy : copies) {
    if (std::string* detail = report_.add(defect::asynchronous_copy, copy.site)) {
      *detail = "a copy of " + std::to_string(copy.size_bytes) + " bytes for which nobody waits";
    }
  }
}

// Mbarriers.

void executor::init_mbarrier(const void* at, unsigned arrivals, std::uintptr_t pc) {
  const site_id site = sites_.id_of(pc);
  const address_info found = map_.find(number(at), sizeof(std::uint64_t));
  if (found.where != region::shared || !found.inside) {
    return forbid(number(at), sizeof(std::uint64_t), true, site);
  }
  memory_access access{};
  access.writes = true;
  access.copy = copy_moment::delivered;  // who may use it is known here
  access.site = site;
  access.size_bytes = sizeof(std::uint64_t);
  tell_access(found, access);
  mbarrier& made = mbarriers_[found.offset] = {};
  made.arrivals = made.missing = arrivals;
  made.now = ++meetings_;
  made.owner = lanes_[running_].position;
  made.rank = memory_map::rank_of(found.offset);
  made.site = site;
}

void executor::fence_mbarriers() {
  for (auto& [at, m] : mbarriers_) {
    if (m.owner.thread == lanes_[running_].position.thread) m.fenced = true;
  }
}

void executor::show_mbarriers(audience to, std::uint32_t lanes, unsigned warp_or_rank) {
  for (auto& [at, m] : mbarriers_) {
    const bool own = to == audience::warp
                         ? m.owner.warp == warp_or_rank && (lanes >> m.owner.lane & 1) != 0
                     : to == audience::block ? rank_of(m.owner) == warp_or_rank
                                             : m.fenced || cluster_releases_;
    if (own) m.visible = std::max(m.visible, to);
  }
}

/// Null where there is none that the lane may use.
mbarrier* executor::find_mbarrier(const void* at, site_id site) {
  const address_info found = map_.find(number(at), sizeof(std::uint64_t));
  const auto known =
      found.where == region::shared ? mbarriers_.find(found.offset) : mbarriers_.end();
  if (known == mbarriers_.end()) {
    if (std::string* detail = report_.add(defect::uninitialised, site)) {
      *detail = "use of an mbarrier that nothing has initialised";
    }
    return nullptr;
  }
  mbarrier& m = known->second;
  const lane_position& who = lanes_[running_].position;
  const bool sees = m.visible == audience::cluster || m.owner.thread == who.thread ||
                    (m.visible >= audience::warp && m.owner.warp == who.warp) ||
                    (m.visible == audience::block && rank_of(m.owner) == rank_of(who));
  if (!sees) {
    if (std::string* detail = report(defect::race, m.site, site)) {
      *detail = "use of an mbarrier by a lane that cannot know of its initialisation";
    }
  }
  check_remote(found, site);
  return &m;
}

void executor::arrive_at_mbarrier(const void* at, unsigned expected_bytes, std::uintptr_t pc) {
  mbarrier* const m = find_mbarrier(at, sites_.id_of(pc));
  if (m == nullptr) return;
  for (observer* o : observers_) o->releases(lanes_[running_].position, m->now);
  m->bytes += expected_bytes;
  --m->missing;
  end_phase_if_over(*m);
}

void executor::end_phase_if_over(mbarrier& m) {
  if (m.missing != 0 || m.bytes != 0) return;
  ++m.phase;
  m.missing = m.arrivals;
  m.last = m.now;
  m.now = ++meetings_;
  m.sent.insert(m.sent.end(), m.coming.begin(), m.coming.end());
  m.coming.clear();
  wake(progress::at_mbarrier, &m);
}

void executor::wait_at_mbarrier(const void* at, unsigned parity, std::uintptr_t pc) {
  if (all_waits.leaves_out(pc, wait_kind::mbarrier_wait)) return;
  const site_id site = sites_.id_of(pc);
  mbarrier* const m = find_mbarrier(at, site);
  if (m == nullptr) return;
  while (!m->over(parity)) wait_elsewhere(progress::at_mbarrier, m, site);
  for (const asynchronous_copy& copy : m->sent) land(copy, copy_moment::delivered);
  m->sent.clear();
  for (observer* o : observers_) o->acquires(lanes_[running_].position, m->last);
}

/// Counts a copy at an mbarrier, to which it also releases what its lane has done.
void executor::send(asynchronous_copy copy, access_bytes sizes, const void* mbarrier_at) {
  mbarrier* const m = find_mbarrier(mbarrier_at, copy.site);
  if (m == nullptr || !depart(copy, sizes)) return;
  m->coming.push_back(copy);
  m->bytes -= copy.size_bytes;
}

void executor::store_later(void* to, const void* value, std::size_t size_bytes, const void* at,
                           std::uintptr_t pc) {
  const site_id site = sites_.id_of(pc);
  asynchronous_copy copy{to, nullptr, static_cast<unsigned>(size_bytes), 0, site, {}, {}};
  std::memcpy(copy.bytes.data(), value, size_bytes);
  send(copy, {0, copy.size_bytes}, at);
  release_sent(at);
}

void executor::copy_bulk(void* to, const void* from, std::size_t size_bytes, const void* at,
                         std::uintptr_t pc) {
  constexpr std::size_t each = 16;
  const site_id site = sites_.id_of(pc);
  if ((number(to) | number(from) | size_bytes) % each != 0) {
    if (std::string* detail = report_.add(defect::asynchronous_copy, site)) {
      *detail = "a bulk copy whose addresses or size are no multiples of 16";
    }
    return;
  }
  // Told by sectors that are read and rows of the banks that are written, each of them once.
  const auto unit = [&](std::uintptr_t at_now, std::size_t done, std::size_t bytes) {
    if (done != 0 && at_now % bytes != 0) return 0U;
    return static_cast<unsigned>(std::min(bytes - at_now % bytes, size_bytes - done));
  };
  for (std::size_t done = 0; done < size_bytes; done += each) {
    const access_bytes sizes = {unit(number(from) + done, done, sector_bytes),
                                unit(number(to) + done, done, banks * bank_bytes)};
    send({static_cast<std::byte*>(to) + done,
          static_cast<const std::byte*>(from) + done,
          each,
          each,
          site,
          {},
          {}},
         sizes, at);
  }
  release_sent(at);
}

void executor::release_sent(const void* mbarrier_at) {
  const address_info found = map_.find(number(mbarrier_at), sizeof(std::uint64_t));
  const auto known = mbarriers_.find(found.offset);
  if (known == mbarriers_.end()) return;
  for (observer* o : observers_) o->releases(lanes_[running_].position, known->second.now);
  end_phase_if_over(known->second);
}

// Clusters.

void executor::arrive_at_cluster(bool releases, std::uintptr_t pc) {
  if (all_waits.leaves_out(pc, wait_kind::cluster_barrier)) return;
  lane_state& lane = lanes_[running_];
  ++lane.cluster_arrivals;
  ++cluster_arrived_;
  cluster_releases_ = cluster_releases_ && releases;
  if (releases) {
    for (observer* o : observers_) o->releases(lane.position, cluster_now_);
  }
  end_cluster_phase_if_over();
}

void executor::end_cluster_phase_if_over() {
  if (cluster_arrived_ == 0 || cluster_arrived_ + ended_ < lanes_.size()) return;
  show_mbarriers(audience::cluster, 0, 0);
  ++cluster_phase_;
  cluster_arrived_ = 0;
  cluster_releases_ = true;
  cluster_last_ = cluster_now_;
  cluster_now_ = ++meetings_;
  wake(progress::at_cluster_barrier, nullptr);
}

void executor::wait_at_cluster(std::uintptr_t pc) {
  if (all_waits.leaves_out(pc, wait_kind::cluster_barrier)) return;
  const lane_state& lane = lanes_[running_];
  while (lane.cluster_arrivals > cluster_phase_) {
    wait_elsewhere(progress::at_cluster_barrier, nullptr, sites_.id_of(pc));
  }
  for (observer* o : observers_) o->acquires(lane.position, cluster_last_);
}

void executor::wait_elsewhere(progress state, const mbarrier* at, site_id site) {
  lane_state& lane = lanes_[running_];
  lane.state = state;
  lane.waits_at = at;
  lane.site = site;
  --ready_;
  ++elsewhere_;
  fibers_.pause();
}

void executor::wake(progress state, const mbarrier* at) {
  if (elsewhere_ == 0) return;
  for (lane_state& lane : lanes_) {
    if (lane.state != state || lane.waits_at != at) continue;
    lane.state = progress::ready;
    lane.steps = 0;
    lane.pause_at = steps_between_pauses;
    --elsewhere_;
    ++ready_;
  }
}

void executor::check_remote(const address_info& found, site_id site) {
  if (config_.cluster == 1 || found.where != region::shared) return;
  const unsigned rank = memory_map::rank_of(found.offset);
  if (block_ended_[rank] < block_threads_) return;
  if (std::string* detail = report_.add(defect::bounds, site)) {
    *detail = "access to shared memory of a block of the cluster that has ended";
  }
}

}  // namespace onefold::simt
