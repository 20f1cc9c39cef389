// SPDX-License-Identifier: Apache-2.0
#pragma once
// One number type for the elements of every kernel, and the four operators on it.
//
// A kernel's element type is known only when its object is loaded. A long double of 64 bits of
// mantissa holds every value of every such type exactly, so the checks are written once; the
// arithmetic of fold() is still that of the element type: integers wrap, floating values round.

#include "ladder/try/launch/entry.hpp"

#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace onefold::ladder::learner {

using number = long double;
static_assert(std::numeric_limits<number>::digits >= 64,
              "A long double of this machine does not hold every 64-bit integer.");

enum class reduction : unsigned char { sum, product, maximum, minimum };

/// "sum", "product", "max", "min": the words of --op.
const char* to_string(reduction op);
/// Fails: std::invalid_argument that lists the words.
reduction reduction_named(std::string_view word);
/// "block_max" -> max: what the name of a kernel or functor says, if it says one.
std::optional<reduction> reduction_in_name(std::string name);
/// The struct of ladder/operators.cuh.
const char* struct_name(reduction op);

/// "int", "unsigned", ..., "float", "double", "__half": the words of --type.
const char* to_string(scalar type);
/// Fails: std::invalid_argument that lists the words.
scalar scalar_named(std::string_view word);
unsigned size_bytes(scalar type);
bool is_floating(scalar type);
bool is_unsigned(scalar type);
/// Integers of so many bits are values of the type.
unsigned exact_bits(scalar type);

number load(scalar type, const void* at);
void store(scalar type, void* at, number value);

/// a op b in the arithmetic of the type.
number fold(reduction op, scalar type, number a, number b);
/// a - b in the arithmetic of the type.
number difference(scalar type, number a, number b);
/// The value that changes nothing.
number identity(reduction op, scalar type);

/// The least and the greatest finite value.
number lowest(scalar type);
number highest(scalar type);

/// Equal, or no numbers both.
inline bool same(number a, number b) {
  return a == b || (a != a && b != b);
}

std::string to_text(scalar type, number value);

}  // namespace onefold::ladder::learner
