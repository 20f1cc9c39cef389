// SPDX-License-Identifier: Apache-2.0
// A hash table of sums by key: open addressing over entry numbers, and entries in contiguous
// blocks.
//
// A slot has 8 bytes, of which at most 3/4 are in use, and an entry 40: 51 to 62 bytes a group. A
// group that its compact sum cannot hold continues in a wide sum of a side table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "onefold/exact.hpp"
#include "runtime/pages.hpp"
#include "state/compact_sum.hpp"

namespace onefold::cpu {

/// Mixes every bit of a key into every bit of the hash. Source: fmix64 of MurmurHash3, A. Appleby.
inline std::uint64_t hash_of(std::uint64_t ordinal) {
  ordinal = (ordinal ^ ordinal >> 33) * 0xFF51AFD7ED558CCDu;
  ordinal = (ordinal ^ ordinal >> 33) * 0xC4CEB9FE1A85EC53u;
  return ordinal ^ ordinal >> 33;
}

/// A key and the sum of some of its elements.
template <class Sum>
struct key_entry {
  std::uint64_t ordinal;
  Sum sum;
};

/// Grows without moving its elements. Pages are touched only as it fills.
template <class T>
class steady_array {
 public:
  std::uint32_t size() const { return size_; }
  T& operator[](std::uint32_t i) {
    const auto [block, at] = place_of(i);
    return blocks_[block][at];
  }
  void push_back(const T& value) {
    const auto [block, at] = place_of(size_);
    if (at == 0) blocks_[block] = make_paged<T>(std::size_t(first_block) << block);
    blocks_[block][at] = value;
    ++size_;
  }

 private:
  // Block k holds first_block * 2^k elements.
  static constexpr std::uint32_t first_block = 32;
  static std::pair<std::size_t, std::size_t> place_of(std::uint32_t i) {
    const std::uint64_t from = std::uint64_t(i) + first_block;
    const int block = detail::bit_width(from / first_block) - 1;
    return {std::size_t(block), std::size_t(from - (std::uint64_t(first_block) << block))};
  }

  std::array<paged_array<T>, 28> blocks_;
  std::uint32_t size_ = 0;
};

/// Merges `part`; returns whether it fits. An integer sum always fits.
inline bool take_in(compact_sum& into, const compact_sum& part) {
  return into.merge(part);
}
inline bool take_in(detail::integer_sum& into, const detail::integer_sum& part) {
  return into.merge(part), true;
}

template <class Sum>
class key_table {
 public:
  using entry = key_entry<Sum>;

  /// Merges sums of parts of groups. Prefetches for all of them at once. Precondition: at most 2^31
  /// groups.
  void merge(std::span<const entry> parts) {
    for (const entry& part : parts) __builtin_prefetch(&slots_[first_slot(tag_of(part.ordinal))]);
    for (const entry& part : parts) prefetch_entry(tag_of(part.ordinal));
    for (const entry& part : parts) merge(part);
  }

  /// Merges a wide sum of a part of a group; the group continues in a wide sum.
  void merge(std::uint64_t ordinal, const detail::wide_sum<double>& part) {
    merge({ordinal, Sum()});
    const std::uint32_t i = number_of(ordinal);
    spill(i);
    wide_.at(i).merge(part);
  }

  std::uint32_t size() const { return entries_.size(); }
  const entry& operator[](std::uint32_t i) { return entries_[i]; }

  /// The wide sum of an entry that has spilled.
  const detail::wide_sum<double>& wide(std::uint32_t i) const { return wide_.at(i); }

 private:
  struct slot {
    std::uint32_t tag;
    std::uint32_t number;  // of the entry, from 1; 0: a free slot
  };

  // The tag has the bits that choose a slot; the bits above them chose the table.
  static std::uint32_t tag_of(std::uint64_t ordinal) { return std::uint32_t(hash_of(ordinal)); }
  std::size_t first_slot(std::uint32_t tag) const { return tag & (slots_count_ - 1); }

  void prefetch_entry(std::uint32_t tag) {
    const slot& first = slots_[first_slot(tag)];
    if (first.tag != tag || first.number == 0) return;
    const entry* const found = &entries_[first.number - 1];
    __builtin_prefetch(found, 1);
    __builtin_prefetch(reinterpret_cast<const char*>(found + 1) - 1, 1);  // it may span two lines
  }

  void merge(const entry& part) {
    const std::uint32_t tag = tag_of(part.ordinal);
    for (std::size_t at = first_slot(tag);; at = (at + 1) & (slots_count_ - 1)) {
      const slot& found = slots_[at];
      if (found.number == 0) return insert(at, tag, part);
      if (found.tag != tag || entries_[found.number - 1].ordinal != part.ordinal) continue;
      return merge_into(found.number - 1, part.sum);
    }
  }

  // Precondition: the key has an entry.
  std::uint32_t number_of(std::uint64_t ordinal) {
    const std::uint32_t tag = tag_of(ordinal);
    std::size_t at = first_slot(tag);
    while (slots_[at].tag != tag || entries_[slots_[at].number - 1].ordinal != ordinal)
      at = (at + 1) & (slots_count_ - 1);
    return slots_[at].number - 1;
  }

  void spill(std::uint32_t i) {
    Sum& sum = entries_[i].sum;
    if (sum.spilled()) return;
    sum.drain(wide_[i]);
    sum.note_spilled();
  }

  void insert(std::size_t at, std::uint32_t tag, const entry& part) {
    entries_.push_back(part);
    slots_[at] = {tag, entries_.size()};
    if (entries_.size() > slots_count_ / 4 * 3) grow();
  }

  void merge_into(std::uint32_t i, const Sum& part) {
    Sum& sum = entries_[i].sum;
    if constexpr (std::is_same_v<Sum, compact_sum>) {
      if (!sum.spilled() && take_in(sum, part)) return;
      spill(i);
      part.drain(wide_.at(i));
    } else {
      take_in(sum, part);
    }
  }

  void grow() {
    const auto before = std::exchange(slots_, make_paged<slot>(2 * slots_count_));
    const std::size_t count = std::exchange(slots_count_, 2 * slots_count_);
    for (std::size_t i = 0; i < count; ++i) {
      const slot old = before[i];
      if (old.number == 0) continue;
      std::size_t at = first_slot(old.tag);
      while (slots_[at].number != 0) at = (at + 1) & (slots_count_ - 1);
      slots_[at] = old;
    }
  }

  steady_array<entry> entries_;
  std::size_t slots_count_ = 64;
  paged_array<slot> slots_ = make_paged<slot>(slots_count_);
  std::unordered_map<std::uint32_t, detail::wide_sum<double>> wide_;
};

}  // namespace onefold::cpu
