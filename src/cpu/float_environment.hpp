// SPDX-License-Identifier: Apache-2.0
// The floating-point environment that the proofs need, for the length of a scope.
#pragma once

#include <cstdint>

namespace onefold::cpu {

/// To nearest, subnormals kept, no traps; the caller's environment comes back at the end. It is
/// set inside every task: a pool that someone else started under flush-to-zero keeps that in its
/// workers.
class float_environment {
 public:
  float_environment() noexcept;
  ~float_environment();
  float_environment(const float_environment&) = delete;
  float_environment& operator=(const float_environment&) = delete;

 private:
  std::uint64_t callers_;
};

/// What the calling thread's environment differs in: "" where it is the one above.
const char* describe_callers_environment() noexcept;

}  // namespace onefold::cpu
