// SPDX-License-Identifier: Apache-2.0
// The element types that each operator accepts.
#pragma once

#include <string>

#include "onefold/dtype.hpp"
#include "onefold/op.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// Fails: unsupported (a bitwise operator of floats).
inline status check_element_type(op op, dtype type) {
  if (!detail::has_trait(op, detail::only_of_integers) || !is_floating(type)) return {};
  return {status_code::unsupported, std::string(name(op)) + " of " + std::string(name(type)) +
                                        " has no meaning; it takes integers and bool"};
}

}  // namespace onefold
