// SPDX-License-Identifier: Apache-2.0
// The error messages of states without an answer.
#pragma once

#include <cstdint>
#include <string>

#include "onefold/op.hpp"
#include "onefold/status.hpp"
#include "rounding/answer.hpp"

namespace onefold {

inline status no_such_form(op op, dtype input, dtype output, const char* choose) {
  return {status_code::unsupported, std::string(name(op)) + " of " + std::string(name(input)) +
                                        " has no " + std::string(name(output)) + " form; choose " +
                                        choose};
}

inline status no_floating_form(op op, dtype input, dtype output) {
  return no_such_form(op, input, output, "f16, bf16, f32 or f64");
}

inline status does_not_fit(op op, dtype output) {
  const bool widest = size_bytes(output) == sizeof(std::int64_t);
  return {status_code::overflow,
          "the exact " + std::string(name(op)) + " does not fit " + std::string(name(output)) +
              "; choose " + (widest ? "" : "a wider output type, or ") + "f64, which rounds it"};
}

inline status no_value(op op) {
  return {status_code::empty,
          std::string(name(op)) + " of nothing has no value; " +
              (is_position(op) ? "there is no element" : "give an initial one")};
}

inline status met_a_nan(op op) {
  return {status_code::not_a_number,
          std::string(name(op)) + " met a NaN, which nan=error refuses; nan=omit leaves it out"};
}

}  // namespace onefold
