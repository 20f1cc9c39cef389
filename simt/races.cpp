// SPDX-License-Identifier: Apache-2.0
#include "simt/races.hpp"

#include "simt/findings.hpp"
#include "simt/memory_map.hpp"

#include <algorithm>

namespace onefold::simt {
namespace {

constexpr std::size_t word_bytes = 4;

}  // namespace

race_check::race_check()
    : global_{shadow<cell>(arena::capacity_bytes / word_bytes),
              shadow<cell>(arena::capacity_bytes)},
      shared_{shadow<cell>(memory_map::shared_window_bytes / word_bytes),
              shadow<cell>(memory_map::shared_window_bytes)} {}

void race_check::launch_begins(const launch_view& launch) {
  report_ = &launch.report;
  launch_begin_ = now_ + 1;
}

void race_check::block_begins(unsigned) {
  block_begin_ = ++now_;
}

void race_check::access(const memory_access& access) {
  if (!access.inside) return;
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
    if (end - begin == word_bytes) return check(whole, access);
    std::fill_n(memory.bytes.data() + word * word_bytes, word_bytes, whole);
    whole.split = true;
  }
  for (std::size_t at = begin; at < end; ++at) check(memory.bytes[at], access);
}

void race_check::check(cell& c, const memory_access& access) {
  if (conflicts_with_writer(c, access)) report(access, c.write_site, true);
  if (!access.writes) return note_reader(c, access);
  if (conflicts_with_readers(c, access)) report(access, reader_to_name(c, access), false);
  c.written = now_;
  c.writer = access.who.thread;
  c.write_site = access.site;
}

bool race_check::conflicts_with_writer(const cell& c, const memory_access& access) const {
  if (other_block(c.written, access.where)) return true;
  return c.written == now_ && c.writer != access.who.thread;
}

bool race_check::conflicts_with_readers(const cell& c, const memory_access& access) const {
  if (c.read < launch_begin_) return false;
  if (c.other_blocks_read || other_block(c.read, access.where)) return true;
  if (c.read != now_) return false;
  return c.other_warps_read || c.reader_warp != access.who.warp ||
         (c.readers & ~(1u << access.who.lane)) != 0;
}

// A reader of another block may have the writer's own number; then both sites are its equals.
site_id race_check::reader_to_name(const cell& c, const memory_access& access) {
  const bool own = c.reader[0] == access.who.thread && c.read_site[1] != no_site;
  return c.read_site[own];
}

void race_check::note_reader(cell& c, const memory_access& access) const {
  if (c.read != now_) {
    c.other_blocks_read =
        c.read >= launch_begin_ && (c.other_blocks_read || other_block(c.read, access.where));
    c.other_warps_read = false;
    c.readers = 0;
    c.read = now_;
    c.read_site = {};
    c.reader_warp = static_cast<std::uint8_t>(access.who.warp);
  }
  if (c.reader[0] != access.who.thread) {
    c.reader[1] = c.reader[0];
    c.read_site[1] = c.read_site[0];
  }
  c.reader[0] = access.who.thread;
  c.read_site[0] = access.site;
  if (c.reader_warp == access.who.warp) {
    c.readers |= 1u << access.who.lane;
  } else {
    c.other_warps_read = true;
  }
}

void race_check::report(const memory_access& access, site_id other, bool other_writes) {
  // The pair is named in one order, whichever access the schedule ran first.
  const auto [first, second] = std::minmax(access.site, other);
  std::string* detail = report_->add(defect::race, first, second);
  if (detail == nullptr) return;
  *detail = access.writes == other_writes ? "two writes" : "a write and a read";
  *detail += access.where == space::shared ? " of shared memory" : " of global memory";
  *detail += " by different lanes, no barrier between them";
}

}  // namespace onefold::simt
