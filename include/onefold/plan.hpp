// SPDX-License-Identifier: Apache-2.0
// What is decided before anything runs: a plain value that can be compared, printed and tested.
//
// A plan is a pure function of the request and of two facts of the machine (threads and SIMD
// target). No exact answer depends on it; a fast one depends on chunk_items and on the order of
// the axes, and on nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "onefold/array_view.hpp"
#include "onefold/executor.hpp"
#include "onefold/op.hpp"
#include "onefold/options.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// What the engine sees after canonicalisation.
enum class shape : unsigned char { full };

/// How the elements reach the vector loops.
enum class path : unsigned char {
  nothing,   ///< no element
  in_place,  ///< one contiguous, aligned run: read where it lies
  packed,    ///< gathered chunk by chunk into a buffer that stays in cache
};

constexpr std::string_view name(shape) noexcept {
  return "full";
}
constexpr std::string_view name(path which) noexcept {
  constexpr std::string_view names[] = {"nothing", "in_place", "packed"};
  return names[static_cast<unsigned>(which)];
}

struct plan {
  op what = op::sum;
  dtype input = dtype::f64;
  accuracy how = accuracy::exact;
  shape form = shape::full;
  path reading = path::nothing;
  axis_list axes;                 ///< canonical: merged, by falling stride, none of extent 1
  std::int64_t origin_bytes = 0;  ///< from the view's pointer to the canonical first element
  std::int64_t items = 0;         ///< elements in all
  std::int64_t chunk_items = 0;   ///< elements of one piece of work
  std::int64_t chunks = 0;        ///< pieces of work
  int threads = 1;                ///< tasks that share the chunks; 1: the calling thread
  std::string_view target;        ///< the SIMD target of the loops

  friend bool operator==(const plan&, const plan&) = default;
};

/// The plan as `onefold plan` prints it: one `name value` pair a line.
std::string to_string(const plan& decided);

/// The plan of a request on this machine.
/// Fails: mismatch (an extent below zero, a count that 63 bits cannot hold).
result<plan> make_plan(const executor& where, op what, const array_view& x,
                       const options& how = {});

}  // namespace onefold
