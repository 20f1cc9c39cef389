// SPDX-License-Identifier: Apache-2.0
// Keys of every integer type as one: unsigned 64-bit numbers in the same order; sorting by them.
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

/// Writes the keys first … first + n - 1 of a view of one axis, as ordinals.
/// Precondition: integers or bool.
void read_ordinals(const array_view& keys, std::int64_t first, std::int64_t n, std::uint64_t* to);

/// The inverse of one: writes the key as an element of its type.
void write_key(dtype type, std::uint64_t ordinal, std::byte* to);

/// A key and what belongs to it: the place of an element, or the bits of an answer.
struct key_record {
  std::uint64_t ordinal;
  std::uint64_t payload;
};

/// Sorts by ordinal, stable, so that the result knows of no threads.
void sort_records(std::vector<key_record>& records, int threads);

/// Writes the ordinals first … first + n - 1 of something.
using ordinal_reader = std::function<void(std::int64_t first, std::int64_t n, std::uint64_t* to)>;

/// Where runs of equal ordinals begin, and the end of all, where the ordinals are ascending; else
/// nothing, which is told after little reading where they are in no order.
/// Fails: out_of_memory, cancelled.
result<std::optional<std::vector<std::int64_t>>>
ascending_runs(const ordinal_reader& read, std::int64_t n, int threads, const options& how);

}  // namespace onefold::cpu
