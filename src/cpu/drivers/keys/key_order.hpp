// SPDX-License-Identifier: Apache-2.0
// Maps keys of all integer types to unsigned 64-bit ordinals of the same order, and sorts by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "onefold/array_view.hpp"
#include "onefold/options.hpp"
#include "onefold/status.hpp"

namespace onefold::cpu {

/// Writes the ordinals of keys first … first + n - 1 of a view of one axis. Precondition: integers
/// or bool.
void read_ordinals(const array_view& keys, std::int64_t first, std::int64_t n,
                   std::uint64_t* ordinals);

/// The inverse for one key: writes it as an element of its type.
void write_key(dtype type, std::uint64_t ordinal, std::byte* output);

/// A key and its payload: the index of an element, or the bits of an answer.
struct key_record {
  std::uint64_t ordinal;
  std::uint64_t payload;
};

/// Sorts by ordinal. The sort is stable, so its result does not depend on threads. Fails:
/// cancelled.
status sort_records(std::vector<key_record>& records, int threads, const std::stop_token& stop);

/// Writes the ordinals first … first + n - 1 of some sequence.
using ordinal_reader =
    std::function<void(std::int64_t first, std::int64_t n, std::uint64_t* ordinals)>;

/// Where the ordinals ascend: the offsets at which runs of equal ordinals begin, and the end of the
/// last run. Otherwise nothing; for unordered ordinals that result comes after little reading.
/// Fails: out_of_memory, cancelled.
result<std::optional<std::vector<std::int64_t>>>
ascending_runs(const ordinal_reader& read, std::int64_t n, int threads, const options& options);

}  // namespace onefold::cpu
