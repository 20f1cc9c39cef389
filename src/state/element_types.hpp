// SPDX-License-Identifier: Apache-2.0
// The element types that each operator accepts.
#pragma once

#include <string>

#include "onefold/dtype.hpp"
#include "onefold/op.hpp"
#include "onefold/status.hpp"
#include "state/accumulator.hpp"

namespace onefold {

/// Fails: unsupported (a bitwise operator of floats).
inline status check_element_type(op what, dtype type) {
  if (accumulator_of(what) != accumulator::bits || !is_floating(type)) return {};
  return {status_code::unsupported, std::string(name(what)) + " of " + std::string(name(type)) +
                                        " has no meaning; it takes integers and bool"};
}

}  // namespace onefold
