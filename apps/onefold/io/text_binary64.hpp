// SPDX-License-Identifier: Apache-2.0
// Conversion of one decimal number to the nearest binary64, for --as f64.
#pragma once

#include <cfenv>
#include <string_view>

#include "io/text_scan.hpp"
#include "onefold/status.hpp"

namespace onefold::program {

/// Sets rounding to nearest with subnormals kept, for a scope: from_chars uses the caller's
/// environment (libstdc++ 12 reads 0.1 as 0x1.9999999999999p-4 under FE_DOWNWARD).
class default_environment {
 public:
  explicit default_environment(bool wanted) : wanted_(wanted) {
    if (!wanted_) return;
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~default_environment() {
    if (wanted_) std::fesetenv(&callers_);
  }
  default_environment(const default_environment&) = delete;
  default_environment& operator=(const default_environment&) = delete;

 private:
  bool wanted_;
  std::fenv_t callers_{};
};

/// The nearest binary64 of the number scanned at `first`, for most by one operation. False: it is
/// out of range, and read_binary64 must find the direction.
/// Precondition: a default_environment.
bool scanned_binary64(const char* first, const scanned_number& number, double& value);

/// The nearest binary64 of any number in decimal_sum's grammar. Fails: malformed, unsupported.
/// Precondition: a default_environment.
status read_binary64(std::string_view text, double& value);

}  // namespace onefold::program
