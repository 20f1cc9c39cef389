// SPDX-License-Identifier: Apache-2.0
#include "read_ceiling.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace onefold::bench {
namespace {

[[maybe_unused]] constexpr std::size_t block_bytes = 1024;

std::uint64_t read_words(const std::byte* data, std::size_t size_bytes) {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(data);
  std::uint64_t seen[8] = {};
  for (std::size_t i = 0; i < size_bytes / 8; i += 8)
    for (std::size_t k = 0; k < 8; ++k) seen[k] ^= words[i + k];
  for (std::size_t k = 1; k < 8; ++k) seen[0] ^= seen[k];
  return seen[0];
}

#if defined(__x86_64__)
// Ahead: 0 for plain loads, else the distance of a prefetch into the second-level cache.
template <std::size_t Ahead>
__attribute__((target("avx2"))) std::uint64_t read_avx2(const std::byte* data,
                                                        std::size_t size_bytes) {
  __m256i seen[8];
  for (auto& vector : seen) vector = _mm256_setzero_si256();
  for (std::size_t at = 0; at < size_bytes; at += block_bytes) {
    for (std::size_t k = 0; k < block_bytes / 32; ++k) {
      const std::byte* const from = data + at + 32 * k;
      if (Ahead > 0 && k % 2 == 0)
        _mm_prefetch(reinterpret_cast<const char*>(from + Ahead), _MM_HINT_T1);
      seen[k % 8] =
          _mm256_xor_si256(seen[k % 8], _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
    }
  }
  for (int k = 1; k < 8; ++k) seen[0] = _mm256_xor_si256(seen[0], seen[k]);
  std::uint64_t words[4];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), seen[0]);
  return words[0] ^ words[1] ^ words[2] ^ words[3];
}

template <std::size_t Ahead>
__attribute__((target("avx512f"))) std::uint64_t read_avx512(const std::byte* data,
                                                             std::size_t size_bytes) {
  __m512i seen[8];
  for (auto& vector : seen) vector = _mm512_setzero_si512();
  for (std::size_t at = 0; at < size_bytes; at += block_bytes) {
    for (std::size_t k = 0; k < block_bytes / 64; ++k) {
      const std::byte* const from = data + at + 64 * k;
      if (Ahead > 0) _mm_prefetch(reinterpret_cast<const char*>(from + Ahead), _MM_HINT_T1);
      seen[k % 8] = _mm512_xor_si512(seen[k % 8], _mm512_loadu_si512(from));
    }
  }
  for (int k = 1; k < 8; ++k) seen[0] = _mm512_xor_si512(seen[0], seen[k]);
  std::uint64_t words[8];
  _mm512_storeu_si512(words, seen[0]);
  for (int k = 1; k < 8; ++k) words[0] ^= words[k];
  return words[0];
}
// Two arrays of the same size, a line of each in turn.
template <std::size_t Ahead>
__attribute__((target("avx512f"))) std::uint64_t
read_two_avx512(const std::byte* x, const std::byte* y, std::size_t size_bytes) {
  __m512i seen[8];
  for (auto& vector : seen) vector = _mm512_setzero_si512();
  const auto take = [&](const std::byte* from, std::size_t k) __attribute__((target("avx512f"))) {
    if (Ahead > 0) _mm_prefetch(reinterpret_cast<const char*>(from + Ahead), _MM_HINT_T1);
    seen[k] = _mm512_xor_si512(seen[k], _mm512_loadu_si512(from));
  };
  for (std::size_t at = 0; at < size_bytes; at += 256)
    for (std::size_t k = 0; k < 4; ++k) take(x + at + 64 * k, k), take(y + at + 64 * k, k + 4);
  for (int k = 1; k < 8; ++k) seen[0] = _mm512_xor_si512(seen[0], seen[k]);
  std::uint64_t words[8];
  _mm512_storeu_si512(words, seen[0]);
  for (int k = 1; k < 8; ++k) words[0] ^= words[k];
  return words[0];
}
#endif

}  // namespace

std::vector<reader> readers() {
  std::vector<reader> all = {{"words", read_words}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    all.push_back({"avx2", read_avx2<0>});
    all.push_back({"avx2+prefetch", read_avx2<8192>});
  }
  if (__builtin_cpu_supports("avx512f")) {
    all.push_back({"avx512", read_avx512<0>, read_two_avx512<0>});
    all.push_back({"avx512+prefetch", read_avx512<8192>, read_two_avx512<8192>});
  }
#endif
  return all;
}

std::uint64_t read_all(const reader& how, std::span<const std::byte> x,
                       std::span<const std::byte> y, int threads) {
  constexpr std::size_t piece_bytes = std::size_t(512) << 10;
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> seen{0};
  const auto work = [&] {
    std::uint64_t seen_here = 0;
    for (std::size_t at = 0; (at = next.fetch_add(piece_bytes)) < x.size();) {
      const std::size_t size = std::min(piece_bytes, x.size() - at);
      if (y.empty())
        seen_here ^= how.read(x.data() + at, size);
      else if (how.read_two)
        seen_here ^= how.read_two(x.data() + at, y.data() + at, size);
      else
        seen_here ^= how.read(x.data() + at, size) ^ how.read(y.data() + at, size);
    }
    seen ^= seen_here;
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(work);
  work();
  others.clear();
  return seen;
}

}  // namespace onefold::bench
