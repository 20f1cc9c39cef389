// SPDX-License-Identifier: Apache-2.0
#include "simt/races.hpp"

#include "simt/findings.hpp"
#include "simt/memory_map.hpp"

#include <algorithm>

namespace onefold::simt {
namespace {

constexpr std::size_t word_bytes = 4;

// Before epochs run out, the shadows start anew; no single launch comes near.
constexpr epoch last_epoch_to_begin = epoch{1} << 31;

constexpr const char* a_write = "write";
constexpr const char* a_read = "read";
constexpr const char* an_atomic = "atomic operation";

const char* kind_of(const memory_access& access) {
  if (access.atomic) return an_atomic;
  return access.writes ? a_write : a_read;
}

/// "two writes", "a write and a read", "a read and an atomic operation": in one order.
std::string pair_text(const std::string& a, const std::string& b) {
  if (a == b) return "two " + a + "s";
  const auto rank = [](const std::string& kind) {
    return kind == a_write ? 0 : kind == a_read ? 1 : 2;
  };
  const auto article = [](const std::string& kind) { return kind == an_atomic ? "an " : "a "; };
  const auto& [first, second] = rank(a) < rank(b) ? std::tie(a, b) : std::tie(b, a);
  return article(first) + first + " and " + article(second) + second;
}

}  // namespace

race_check::race_check()
    : global_(make_shadow(arena::capacity_bytes)),
      shared_(make_shadow(memory_map::shared_window_bytes)) {}

race_check::memory_shadow race_check::make_shadow(std::size_t size_bytes) {
  return {shadow<cell>(size_bytes / word_bytes), shadow<cell>(size_bytes), {}, 0, 0};
}

void race_check::launch_begins(const launch_view& launch) {
  report_ = &launch.report;
  if (order_.now() > last_epoch_to_begin) {
    order_ = {};
    global_ = make_shadow(arena::capacity_bytes);
    shared_ = make_shadow(blocks_ * memory_map::shared_window_bytes);
  }
  if (launch.config.cluster > blocks_) {
    blocks_ = launch.config.cluster;
    shared_ = make_shadow(blocks_ * memory_map::shared_window_bytes);
  }
  order_.launch_begins(launch);
  global_.begin = order_.launch_begin();
  global_.crowds_used = 0;
}

void race_check::block_begins(unsigned) {
  order_.block_begins();
  shared_.begin = order_.block_begin();
  shared_.crowds_used = 0;
}

void race_check::warp_operation(const warp_operation_view& operation) {
  if (operation.word == warp_word::synchronise) {
    order_.warp_barrier(operation.warp, operation.lanes);
  }
}

// A copy that an mbarrier counts was written when it began: its lane released it there.
void race_check::access(const memory_access& access) {
  if (!access.inside || access.copy == copy_moment::delivered) return;
  memory_shadow& memory = access.where == space::shared ? shared_ : global_;
  const std::size_t first = access.offset / word_bytes;
  const std::size_t last = (access.offset + access.size_bytes - 1) / word_bytes;
  for (std::size_t word = first; word <= last; ++word) check_word(memory, access, word);
}

void race_check::check_word(memory_shadow& memory, const memory_access& access, std::size_t word) {
  const std::size_t begin = std::max(access.offset, word * word_bytes);
  const std::size_t end = std::min(access.offset + access.size_bytes, (word + 1) * word_bytes);
  cell& whole = memory.words[word];
  if (!whole.split) {
    if (end - begin == word_bytes) return check(memory, whole, access);
    split(memory, word);
  }
  for (std::size_t at = begin; at < end; ++at) check(memory, memory.bytes[at], access);
}

void race_check::split(memory_shadow& memory, std::size_t word) {
  cell& whole = memory.words[word];
  for (std::size_t i = 0; i < word_bytes; ++i) {
    cell& byte = memory.bytes[word * word_bytes + i] = whole;
    if (!is_crowded(memory, whole)) continue;
    crowd& own = new_crowd(memory, byte);
    own = memory.crowds[whole.readers];
  }
  whole.split = true;
}

inline void race_check::check(memory_shadow& memory, cell& c, const memory_access& access) {
  check_writer(memory, c, access);
  if (access.atomic || is_crowded(memory, c)) return check_crowd(memory, c, access);
  if (!access.writes) return note_reader(memory, c, access);
  check_readers(memory, c, access);
  note_writer(c, access);
}

inline void race_check::check_writer(const memory_shadow& memory, const cell& c,
                                     const memory_access& access) {
  if (c.written < memory.begin) return;
  if (order_.before({c.written, c.writer, c.write_clock}, access.who)) return;
  report(access, {c.write_site, c.written < order_.block_begin()}, a_write);
}

inline void race_check::check_readers(const memory_shadow& memory, const cell& c,
                                      const memory_access& access) {
  if (c.read < memory.begin) return;
  const bool all_before =
      order_.not_before(c.read, c.reader_warp, c.read_clock, c.readers, access.who) == 0;
  if (all_before && !c.finished_blocks_read) return;
  // A reader of another block may have the writer's own number; then both sites are its equals.
  const bool own = c.reader == access.who.thread && c.read_site[1] != no_site;
  report(access, {c.read_site[own], c.read < order_.block_begin()}, a_read);
}

inline void race_check::note_writer(cell& c, const memory_access& access) {
  const event e = order_.event_now(access.who);
  c.written = e.when;
  c.writer = e.thread;
  c.write_clock = e.clock;
  c.write_site = access.site;
}

inline void race_check::note_reader(memory_shadow& memory, cell& c, const memory_access& access) {
  const event e = order_.event_now(access.who);
  const bool same = c.read == e.when && c.read_clock == e.clock && c.reader_warp == access.who.warp;
  if (!same) {
    if (c.read >= memory.begin && needs_crowd(c, access)) {
      return crowd_of(memory, c, access).readers.add(entry_of(access), access.who, order_);
    }
    c.finished_blocks_read = c.finished_blocks_read && c.read >= memory.begin;
    c.crowded = false;
    c.readers = 0;
    c.read = e.when;
    c.read_clock = e.clock;
    c.read_site = {};
    c.reader_warp = access.who.warp & 0x1FFF;
  }
  if (c.reader != access.who.thread) c.read_site[1] = c.read_site[0];
  c.reader = access.who.thread;
  c.read_site[0] = access.site;
  c.readers |= 1u << access.who.lane;
}

/// Whether the readers so far must be kept beside the one that comes.
bool race_check::needs_crowd(cell& c, const memory_access& access) const {
  if (order_.not_before(c.read, c.reader_warp, c.read_clock, c.readers, access.who) == 0) {
    return false;
  }
  if (c.read >= order_.block_begin() || !order_.all_releases().empty()) return true;
  // Their block has finished without a release: nothing will ever come after them.
  c.finished_blocks_read = true;
  return false;
}

access_set::entry race_check::entry_of(const memory_access& access) const {
  const event e = order_.event_now(access.who);
  return {e.when, access.who.warp, access.site, e.clock, 1u << access.who.lane};
}

race_check::crowd& race_check::new_crowd(memory_shadow& memory, cell& c) {
  if (memory.crowds_used == memory.crowds.size()) memory.crowds.emplace_back();
  c.crowded = true;
  c.readers = static_cast<std::uint32_t>(memory.crowds_used++);
  crowd& fresh = memory.crowds[c.readers];
  fresh.readers.clear();
  fresh.atomics.clear();
  return fresh;
}

/// The word's place in the side table, to which readers of the mask move.
race_check::crowd& race_check::crowd_of(memory_shadow& memory, cell& c,
                                        const memory_access& access) {
  if (!is_crowded(memory, c)) {
    const cell before = c;
    crowd& fresh = new_crowd(memory, c);
    if (before.read >= memory.begin) {
      fresh.readers.add(
          {before.read, before.reader_warp, before.read_site[0], before.read_clock, before.readers},
          access.who, order_);
      if (before.finished_blocks_read) fresh.readers.add_unreleased(before.read_site[0]);
    }
  }
  c.read = order_.now();
  return memory.crowds[c.readers];
}

void race_check::check_set(access_set& set, const memory_access& access, const char* kind) {
  rivals_.clear();
  set.unordered(access.who, order_, rivals_);
  for (const access_set::rival& other : rivals_) report(access, other, kind);
}

void race_check::check_crowd(memory_shadow& memory, cell& c, const memory_access& access) {
  crowd& all = crowd_of(memory, c, access);
  if (access.writes) check_set(all.readers, access, a_read);
  if (!access.atomic) check_set(all.atomics, access, an_atomic);
  if (access.atomic) return note_atomic(all, access);
  if (!access.writes) return all.readers.add(entry_of(access), access.who, order_);
  note_writer(c, access);
  all.atomics.clear();  // an atomic that sees the new value has not observed the old ones
}

void race_check::note_atomic(crowd& all, const memory_access& access) {
  access_set::entry e = entry_of(access);
  std::uint32_t log = all.atomics.log();
  e.index = order_.atomic(access.who, log);
  if (log != all.atomics.log()) all.atomics.clear(log);
  all.atomics.add(e, access.who, order_);
}

void race_check::report(const memory_access& access, access_set::rival other,
                        const char* other_kind) {
  // The pair is named in one order, whichever access the schedule ran first.
  const auto [first, second] = std::minmax(access.site, other.site);
  std::string* detail = report_->add(defect::race, first, second);
  if (detail == nullptr) return;
  *detail = pair_text(kind_of(access), other_kind);
  *detail += access.where == space::shared ? " of shared memory" : " of global memory";
  *detail += other.in_other_block ? " by different blocks, no fences and atomics between them"
                                  : " by different lanes, no barrier between them";
}

}  // namespace onefold::simt
