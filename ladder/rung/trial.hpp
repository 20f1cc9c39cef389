// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a trial of a rung is asked for, and what came of it: the words of options, counts, verdict.

#include "ladder/kernels/kernels.hpp"
#include "simt/counts.hpp"
#include "simt/findings.hpp"
#include "simt/schedules.hpp"

#include <array>
#include <string>
#include <vector>

namespace onefold::ladder {

/// Longest input whose answer is checked exactly.
inline constexpr std::size_t longest_input = std::size_t{1} << 28;

/// Who folds the partials that the blocks leave.
enum class driver : unsigned char {
  host,           ///< the CPU
  second_launch,  ///< one block of the same kernel
  passes,         ///< the same kernel again and again, until one value is left
};

inline constexpr std::array all_types = {element::int32, element::float32, element::float64,
                                         element::uint8};
inline constexpr std::array number_types = {element::int32, element::float32, element::float64};
inline constexpr std::array all_operations = {operation::sum, operation::product,
                                              operation::maximum, operation::minimum};
inline constexpr std::array all_drivers = {driver::host, driver::second_launch, driver::passes};

struct trial_options {
  std::size_t n = 65536;  ///< of an image: its pixels, about square, unless width says otherwise
  unsigned block = 256;
  element type = element::int32;
  simt::schedule order = simt::schedule::forward;
  std::uint64_t seed = 1;
  unsigned warp = simt::max_warp_lanes;
  operation op = operation::sum;
  driver drive = driver::host;
  unsigned max_grid = 1024;        ///< blocks of a grid-stride rung
  unsigned width = 0, height = 0;  ///< of an image
  unsigned padding = 4;            ///< bytes behind each row of a tile
  bool operator==(const trial_options&) const = default;
};

/// How often the kernel read the input's elements.
struct coverage {
  std::size_t never = 0, once = 0, repeatedly = 0;
};

struct trial {
  trial_options options;
  unsigned grid = 0;
  bool right = false;
  std::string answer, expected;
  simt::counts counts;
  simt::block_counts blocks;  ///< another number for another compiler: never held to a value
  unsigned launches = 0;
  coverage reads;
  std::vector<unsigned> working;  ///< lanes of block 0 that store to shared memory, by interval
  std::vector<simt::finding> findings;
  double seconds = 0;

  std::uint64_t places(simt::defect kind) const;
  bool clean() const { return right && findings.empty(); }

  /// "right", or everything that is wrong, worst first: "bounds, wrong value".
  std::string verdict() const;
};

unsigned size_bytes(element type);
const char* to_string(element type);
const char* to_string(operation op);
const char* to_string(driver drive);

}  // namespace onefold::ladder
