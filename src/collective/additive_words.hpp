// SPDX-License-Identifier: Apache-2.0
// The header of groups of additive words, as a status with a message.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "onefold/dtype.hpp"
#include "onefold/op.hpp"
#include "onefold/status.hpp"

namespace onefold {

struct additive_type {
  onefold::op op;
  dtype input;
};

/// The operator and element type of all groups that were added to these words.
/// Fails: as from_additive; the number of words is not checked beyond the header.
result<additive_type> type_of_additive(std::span<const std::int64_t> words);

status additive_malformed(const std::string& problem);
/// Of words that no elements produce.
status additive_implausible();

}  // namespace onefold
