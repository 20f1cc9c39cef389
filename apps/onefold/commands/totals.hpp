// SPDX-License-Identifier: Apache-2.0
// `--total`: all inputs together, merged as they come.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commands/parts.hpp"
#include "failure.hpp"

namespace onefold::program {

class totals {
 public:
  /// An input of another kind than those before leaves the total without a value.
  void add(const part& next, const std::string& input);
  /// An input that could not be read: a total without it would look like one with it.
  void leave_out(const std::string& input);

  /// The elements so far.
  std::int64_t count() const noexcept { return count_; }
  /// One for each operator.
  std::vector<answer> answers(const request& asked) const;

 private:
  answer answer_of_all(std::size_t i, const request& asked) const;

  partials all_;
  std::optional<failure> error_;
  std::int64_t count_ = 0;
};

}  // namespace onefold::program
