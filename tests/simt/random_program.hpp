// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random programs of a few lanes: accesses to few words, and all that orders them.

#include "simt/observer.hpp"

#include <random>
#include <vector>

namespace onefold::simt::test {

inline constexpr unsigned lanes_of_warp = 4;
inline constexpr unsigned threads = 8;
inline constexpr unsigned events_at_most = 192;
inline constexpr std::size_t atomic_words = 3;  ///< words 0 to 2 take whole accesses, 3 and 4 parts
inline constexpr std::size_t words = 5;
inline constexpr std::size_t first_global = 4096, first_shared = 128;

enum class act { read, write, atomic, fence, warp_barrier, barrier, next_block };

struct step {
  act kind;
  unsigned block = 0, thread = 0;
  space where = space::global;
  std::size_t at = 0, size_bytes = 0;
  fence_scope scope = fence_scope::device;
  std::uint32_t lanes = 0;

  bool accesses() const { return kind <= act::atomic; }
  bool writes() const { return kind != act::read; }
};

/// How much of each kind a program has; every kind of order gets programs in which it matters.
struct mix {
  int accesses, atomics, fences, warp_barriers, barriers, blocks;
};
inline constexpr mix mixes[] = {{8, 0, 0, 0, 1, 0}, {8, 0, 0, 4, 0, 0}, {8, 0, 0, 4, 1, 1},
                                {6, 3, 4, 0, 1, 1}, {4, 4, 6, 2, 1, 2}, {3, 6, 8, 1, 0, 1}};

class program {
 public:
  program(std::uint64_t seed, unsigned length) : random_(seed), mix_(mixes[pick(6)]) {
    while (steps.size() < length) add();
  }

  std::vector<step> steps;

 private:
  unsigned pick(std::size_t n) { return static_cast<unsigned>(random_() % n); }

  void add() {
    const int total = mix_.accesses + mix_.atomics + mix_.fences + mix_.warp_barriers +
                      mix_.barriers + mix_.blocks;
    int draw = static_cast<int>(pick(static_cast<std::size_t>(total)));
    step s{act::read, block_, pick(threads)};
    s.scope = pick(3) == 0 ? fence_scope::block : fence_scope::device;
    if ((draw -= mix_.accesses) < 0) return add_access(s);
    if ((draw -= mix_.atomics) < 0) return add_atomic(s);
    if ((draw -= mix_.fences) < 0) return add_as(s, act::fence);
    if ((draw -= mix_.warp_barriers) < 0) return add_warp_barrier(s);
    if ((draw -= mix_.barriers) < 0) return add_as(s, act::barrier);
    ++block_;
    add_as(s, act::next_block);
  }

  void add_as(step s, act kind) {
    s.kind = kind;
    steps.push_back(s);
  }

  void add_access(step s) {
    s.where = pick(3) == 0 ? space::shared : space::global;
    const std::size_t word = pick(words);
    s.size_bytes = word < atomic_words ? 4 : std::size_t{1} << pick(3);
    s.at = 4 * word + (s.size_bytes == 4 ? 0 : pick(4 / s.size_bytes) * s.size_bytes);
    add_as(s, pick(3) == 0 ? act::write : act::read);
  }

  void add_atomic(step s) {
    s.where = pick(4) == 0 ? space::shared : space::global;
    s.at = 4 * pick(atomic_words);
    s.size_bytes = 4;
    add_as(s, act::atomic);
  }

  void add_warp_barrier(step s) {
    s.lanes = 1 + pick((1u << lanes_of_warp) - 1);
    if (pick(2) == 0) s.lanes = (1u << lanes_of_warp) - 1;
    add_as(s, act::warp_barrier);
  }

  std::mt19937_64 random_;
  mix mix_;
  unsigned block_ = 0;
};

}  // namespace onefold::simt::test
