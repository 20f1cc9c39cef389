// SPDX-License-Identifier: Apache-2.0
// Several operators over data that arrive in windows.
#pragma once

#include <cstdint>
#include <vector>

#include "onefold/windows.hpp"
#include "options.hpp"

namespace onefold::program {

/// onefold::windows of all operators of a request. Where --total needs the states of both moments
/// and sums, which share one otherwise, it is two of them.
class passes {
 public:
  /// before: elements of inputs before this one; expected: of this one, or 0 where not known.
  passes(const request& asked, dtype input, std::int64_t before, std::int64_t expected);

  status add(const array_view& piece);
  std::int64_t count() const noexcept { return each_.front().all.count(); }
  /// As windows::write.
  status write(op which, const output_view& output) const;
  /// As windows::partial.
  result<state> partial(op which) const;

 private:
  struct pass {
    op_list what;
    windows all;
  };
  const windows& of(op which) const;

  std::vector<pass> each_;
};

/// Throws failure where no data at all could have an answer in the type asked for, so that it is
/// said now and not after a terabyte.
void check_outputs(const request& asked, dtype input, const std::string& name);

}  // namespace onefold::program
