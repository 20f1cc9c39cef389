// SPDX-License-Identifier: Apache-2.0
// `--total`: merges all inputs in their order.
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
  /// If an input has another kind than those before, the total has no value.
  void add(const part& next, const std::string& input);
  /// Marks an input as unreadable: the total then has no value, because it would look complete.
  void leave_out(const std::string& input);

  /// The number of elements so far.
  std::int64_t count() const noexcept { return count_; }
  /// The state of the only operator of a request. Throws failure: usage (text, and reductions of
  /// arrays that are in memory, have none), or the reason why there is no total.
  const state& only_state() const;
  /// One for each operator.
  std::vector<answer> answers(const request& request) const;

 private:
  answer answer_of_all(std::size_t i, const request& request) const;

  partials all_;
  std::optional<failure> error_;
  std::int64_t count_ = 0;
};

}  // namespace onefold::program
