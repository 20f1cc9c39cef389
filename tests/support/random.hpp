// SPDX-License-Identifier: Apache-2.0
// Randomness that repeats: one printed seed a run, a generator of its own for every case.
//
// ONEFOLD_TEST_SEED repeats a run; ONEFOLD_TEST_CASES says how many cases it has. GoogleTest
// programs link repeat_command.cpp, which prints the command that repeats a failed test.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace onefold::test {

/// Whether this process has called seed(). Later tests may use values that earlier ones cached.
inline std::atomic<bool> seed_is_used = false;

/// The seed of this run, printed once and flushed: a crash does not lose it.
inline std::uint64_t seed() {
  static const std::uint64_t chosen = [] {
    const char* given = std::getenv("ONEFOLD_TEST_SEED");
    const std::uint64_t made =
        given ? std::strtoull(given, nullptr, 10)
              : std::uint64_t(std::random_device{}()) << 32 | std::random_device{}();
    std::cout << "ONEFOLD_TEST_SEED=" << made << std::endl;
    seed_is_used = true;
    return made;
  }();
  return chosen;
}

/// A share of the cases of this run, of the million that a run has by default: `usual` of them,
/// rounded up.
inline std::int64_t cases(std::int64_t usual, std::int64_t least = 1) {
  static const double scale = [] {
    const char* given = std::getenv("ONEFOLD_TEST_CASES");
    return given ? std::strtod(given, nullptr) / 1e6 : 1.0;
  }();
  return std::max(least, std::int64_t(std::ceil(double(usual) * scale)));
}

/// Whether this run takes case `index` of a fixed list: all of them by default, each eleventh in a
/// run of few cases. No list within a list has a multiple of eleven rows, so that all rows occur.
inline bool is_taken(std::uint64_t index) {
  return cases(11) >= 11 || index % 11 == 0;
}

/// xoshiro256**, seeded by splitmix64. Source: D. Blackman and S. Vigna, prng.di.unimi.it.
class random_source {
 public:
  explicit random_source(std::uint64_t from) {
    for (auto& word : state_) {
      from += 0x9E3779B97F4A7C15u;
      std::uint64_t z = from;
      z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
      z = (z ^ z >> 27) * 0x94D049BB133111EBu;
      word = z ^ z >> 31;
    }
  }

  std::uint64_t operator()() {
    const std::uint64_t out = rotate(state_[1] * 5, 7) * 9, t = state_[1] << 17;
    state_[2] ^= state_[0], state_[3] ^= state_[1];
    state_[1] ^= state_[2], state_[0] ^= state_[3];
    state_[2] ^= t, state_[3] = rotate(state_[3], 45);
    return out;
  }

  /// In [0, n), n < 2^32.
  std::uint64_t below(std::uint64_t n) { return ((*this)() >> 32) * n >> 32; }
  /// In [low, high].
  int between(int low, int high) { return low + int(below(std::uint64_t(high - low + 1))); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  /// In [0, 1).
  double unit() { return double((*this)() >> 11) * 0x1p-53; }
  /// N(0, 1), by Box and Muller.
  double normal() {
    return std::sqrt(-2 * std::log(1 - unit())) * std::cos(6.283185307179586 * unit());
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, int by) { return x << by | x >> (64 - by); }

  std::uint64_t state_[4];
};

/// The source of case `index` of the stream `name`: any case can be made again alone.
inline random_source source_of(std::uint64_t stream, std::uint64_t index) {
  return random_source(seed() ^ stream * 0xD1342543DE82EF95u ^ index * 0xA0761D6478BD642Fu);
}

}  // namespace onefold::test
