// SPDX-License-Identifier: Apache-2.0
#pragma once
// One launch of one rung under the executor, with its sum checked exactly.
//
// The input is chosen so that every order of additions is exact: 0, 1, 2, ... for int (which wraps,
// as on the device) and double, i mod 7 for float. So the right answer is one value and no
// tolerance is needed.

#include "ladder/kernels.hpp"
#include "simt/counts.hpp"
#include "simt/findings.hpp"

#include <string>
#include <vector>

namespace onefold::ladder {

struct rung;

struct trial_options {
  std::size_t n = 65536;
  unsigned block = 256;
  element type = element::int32;
  simt::schedule order = simt::schedule::forward;
  std::uint64_t seed = 1;
  unsigned warp = simt::max_warp_lanes;
};

/// How often the kernel read the input's elements.
struct coverage {
  std::size_t never = 0, once = 0, repeatedly = 0;
};

struct trial {
  trial_options options;
  unsigned grid = 0;
  bool right = false;
  std::string sum, expected;
  simt::counts counts;
  coverage reads;
  std::vector<simt::finding> findings;
  double seconds = 0;

  std::uint64_t places(simt::defect kind) const;
  bool clean() const { return right && findings.empty(); }

  /// "right", or everything that is wrong, worst first: "bounds, wrong value".
  std::string verdict() const;
};

/// Fails: std::invalid_argument naming the option, what was got and what to use instead.
void validate(const trial_options& options);

/// Runs the rung once. A listener, if any, is told of every warp request.
/// Fails: as validate(); std::length_error when the input does not fit the device.
trial try_rung(const rung& r, const trial_options& options,
               simt::request_listener* listener = nullptr);

unsigned size_bytes(element type);
const char* to_string(element type);
const char* to_string(simt::schedule order);

}  // namespace onefold::ladder
