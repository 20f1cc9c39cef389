// SPDX-License-Identifier: Apache-2.0
// `--total`: all inputs together, merged as they come.
#pragma once

#include <cstdint>
#include <vector>

#include "commands/parts.hpp"

namespace onefold::program {

class totals {
 public:
  /// Throws failure (mismatch: an input of another kind than those before).
  void add(const part& next, const std::string& input);

  /// The elements so far.
  std::int64_t count() const noexcept { return count_; }
  /// One for each operator. Throws failure.
  std::vector<answer> answers(const request& asked) const;

 private:
  partials all_;
  std::int64_t count_ = 0;
};

}  // namespace onefold::program
