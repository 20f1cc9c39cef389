// SPDX-License-Identifier: Apache-2.0
// Several operators over data that arrive in windows.
#pragma once

#include <cstdint>
#include <vector>

#include "onefold/windows.hpp"
#include "options.hpp"

namespace onefold::program {

/// onefold::windows for all operators of a request. There are two if --total needs the states of
/// both moments and sums, which otherwise share one.
class passes {
 public:
  /// before: elements of earlier inputs; expected: elements of this one, or 0 if not known.
  passes(const request& request, dtype input, std::int64_t before, std::int64_t expected);

  status add(const array_view& piece);
  std::int64_t count() const noexcept { return passes_.front().all.count(); }
  /// As windows::write.
  status write(op which, const output_view& output) const;
  /// As windows::partial.
  result<state> partial(op which) const;

 private:
  struct pass {
    op_list ops;
    windows all;
  };
  const windows& windows_of(op which) const;

  std::vector<pass> passes_;
};

/// Throws failure if no data could have an answer in the requested type, so that the error comes
/// before the data are read.
void check_outputs(const request& request, dtype input, const std::string& name);

}  // namespace onefold::program
