// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the object made of a learner's file tells the program that loads it: the kernel's
// parameters as the compiler sees them, and a way to launch it. Included on both sides, and light,
// because the learner's side is instrumented.

#include "simt/launch.hpp"

namespace onefold::ladder::learner {

enum class scalar : unsigned char { other, int32, uint32, int64, uint64, float32, float64 };

enum class passed : unsigned char { pointer, const_pointer, integer, flag, other };

struct parameter {
  passed how;
  scalar type;  ///< of a pointer: what it points to
};

union argument {
  void* pointer;
  unsigned long long integer;
};

struct entry {
  const parameter* parameters;
  unsigned count;
  /// Null when a parameter is of a kind that has no argument.
  void (*launch)(simt::executor&, const simt::launch_config&, const argument*);
};

/// The C name of the one entry that a learner's object defines.
inline constexpr char entry_symbol[] = "onefold_learner_entry";

}  // namespace onefold::ladder::learner
