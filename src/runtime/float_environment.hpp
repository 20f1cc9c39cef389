// SPDX-License-Identifier: Apache-2.0
// The floating-point environment that the proofs need, for the length of a scope.
#pragma once

#include <cstdint>

namespace onefold {

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

enum class rounding : unsigned char { nearest, up, down };

/// Another rounding mode for the length of a scope, inside a float_environment. What is computed in
/// the scope must be a call that is not inlined: compilers move arithmetic across the switch.
class rounding_scope {
 public:
  explicit rounding_scope(rounding mode) noexcept;
  ~rounding_scope();
  rounding_scope(const rounding_scope&) = delete;
  rounding_scope& operator=(const rounding_scope&) = delete;

 private:
  std::uint64_t before_;
};

/// What the calling thread's environment differs in: "" where it is the one above.
const char* describe_callers_environment() noexcept;

}  // namespace onefold
