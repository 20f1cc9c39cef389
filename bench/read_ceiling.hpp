// SPDX-License-Identifier: Apache-2.0
// How fast can this machine read? Loads and nothing else, in every way that might be the fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace onefold::bench {

struct reader {
  std::string_view name;
  /// XOR of all words of [data, data + size_bytes). Precondition: size_bytes a multiple of 1024.
  std::uint64_t (*read)(const std::byte* data, std::size_t size_bytes);
};

/// The readers that this CPU can run: plain and prefetched, AVX2 and AVX-512.
std::vector<reader> readers();

/// The same over all of the data, by `threads` threads that take a piece at a time, as the engine
/// does: a busy neighbour holds up neither.
std::uint64_t read_all(const reader& how, const void* data, std::size_t size_bytes, int threads);

}  // namespace onefold::bench
