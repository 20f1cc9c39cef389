// SPDX-License-Identifier: Apache-2.0
// The elements, offsets and room for answers that a measurement asks for by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "onefold/dtype.hpp"

namespace onefold::bench {

/// Elements of one type, their bytes a multiple of 1024 where there are that many.
struct data_set {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size_bytes = 0;
};

/// items elements of a kind: "random" (normal floats; integers of all bits, of 36 in 64),
/// "lognormal10", "bits" (finite values of random bits), "zeros". A mebi of them is fresh, then the
/// pattern repeats.
data_set make_data(dtype type, const std::string& kind, std::int64_t items);

/// Offsets that cut `items` elements in segments of lengths uniform in 0 … 2 * mean, or for "zipf"
/// of floor(1 / u), u uniform in (0, 1], at most 100,000.
std::vector<std::int64_t> make_offsets(const std::string& mean, std::int64_t items);

}  // namespace onefold::bench
