// SPDX-License-Identifier: Apache-2.0
// Elements without a header: the command line describes them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "io/layout.hpp"
#include "io/source.hpp"
#include "onefold/status.hpp"

namespace onefold::program {

struct raw_options {
  std::optional<dtype> type;
  std::optional<std::vector<std::int64_t>> shape;  ///< none: one axis, all the bytes
  bool column_major = false;
  bool big_endian = false;
  std::uint64_t skip_bytes = 0;

  /// Whether nothing but this type is given.
  bool only(dtype wanted) const noexcept {
    return type == wanted && !shape && !column_major && !big_endian && skip_bytes == 0;
  }
  bool any() const noexcept {
    return type || shape || column_major || big_endian || skip_bytes > 0;
  }
};

/// Checks the description against the input and leaves the input at the first element.
/// Fails: usage (no --dtype; a device without --shape), malformed (shorter than described, or a
/// size that is not a whole number of elements), io_error.
result<layout> open_raw(source& input, const raw_options& described);

}  // namespace onefold::program
