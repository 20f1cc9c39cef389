// SPDX-License-Identifier: Apache-2.0
// Sets the floating-point environment that the proofs need, for the length of a scope.
#pragma once

#include <cstdint>

namespace onefold {

/// Rounding to nearest, subnormals kept, no traps; restores the caller's environment at the end.
/// Every task sets it: threads of a pool that was started under flush-to-zero keep flush-to-zero.
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

/// Another rounding mode for the length of a scope, inside a float_environment. Arithmetic in the
/// scope must be in functions that are not inlined: compilers move arithmetic across the switch.
class rounding_scope {
 public:
  explicit rounding_scope(rounding mode) noexcept;
  ~rounding_scope();
  rounding_scope(const rounding_scope&) = delete;
  rounding_scope& operator=(const rounding_scope&) = delete;

 private:
  std::uint64_t before_;
};

/// In what the calling thread's environment differs from float_environment; "" where it does not.
const char* describe_callers_environment() noexcept;

}  // namespace onefold
