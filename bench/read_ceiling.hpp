// SPDX-License-Identifier: Apache-2.0
// How fast can this machine read? Loads and nothing else, in every way that might be the fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace onefold::bench {

struct reader {
  std::string_view name;
  /// XOR of all words of [data, data + size_bytes). Precondition: size_bytes a multiple of 1024.
  std::uint64_t (*read)(const std::byte* data, std::size_t size_bytes);
  /// Of two arrays in turn; null: one after the other serves.
  std::uint64_t (*read_two)(const std::byte* x, const std::byte* y,
                            std::size_t size_bytes) = nullptr;
};

/// The readers that this CPU can run: plain and prefetched, AVX2 and AVX-512.
std::vector<reader> readers();

/// The same over all of one array, or of two of the same size side by side, by `threads` threads
/// that take a piece at a time, as the engine does: a busy neighbour holds up neither.
std::uint64_t read_all(const reader& how, std::span<const std::byte> x,
                       std::span<const std::byte> y, int threads);

}  // namespace onefold::bench
