// SPDX-License-Identifier: Apache-2.0
// Which operators have a status that depends on the data: range analysis of integer outputs.
#include <bit>

#include "cuda/resident.hpp"

namespace onefold::cuda {
namespace {

int bits_of(dtype type) {
  return type == dtype::boolean ? 1 : int(8 * size_bytes(type));
}

bool holds_elements(dtype output, dtype input) {
  if (output == input) return true;
  if (is_signed_integer(input))
    return is_signed_integer(output) && bits_of(output) >= bits_of(input);
  return bits_of(output) >= bits_of(input) + is_signed_integer(output);
}

// The sum of n terms, each of at most 2^term in magnitude: n 2^term < 2^(term + bit_width(n)).
bool holds_sum(dtype output, int term, std::int64_t n, bool below_zero) {
  const int bits = term + int(std::bit_width(std::uint64_t(n)));
  if (is_unsigned(output)) return !below_zero && bits <= bits_of(output);
  return bits <= bits_of(output) - 1;
}

}  // namespace

bool depends_on_data(op what, const plan& plan, const options& how, dtype output) {
  const dtype input = plan.input;
  const bool nans = is_floating(input);
  const accumulator of = accumulator_of(what);
  if (nans && plan.nan_policy == nan_policy::error) return true;
  const bool may_be_empty = how.count != nullptr || (nans && plan.nan_policy == nan_policy::omit);
  if (of == accumulator::extrema && what != op::norminf && may_be_empty) return true;
  if (is_floating(output)) return false;
  const bool is_signed = is_signed_integer(input);
  const int term = is_signed ? bits_of(input) - 1 : bits_of(input);
  switch (what) {
  case op::sum:
    return !holds_sum(output, term, plan.items, is_signed);
  case op::norm1:
    return !holds_sum(output, term, plan.items, false);
  case op::sumsq:
    return !holds_sum(output, 2 * term, plan.items, false);
  case op::dot:
    return !holds_sum(output, 2 * term, plan.items, is_signed);
  case op::norminf:
    return !(is_signed ? holds_sum(output, term, 1, false) : holds_elements(output, input));
  case op::any:
  case op::all:
    return false;
  case op::argmin:
  case op::argmax:
    return bits_of(output) < 64 || (is_unsigned(output) && how.first_index < 0);
  case op::count:
  case op::count_nonzero:
    return bits_of(output) < 64;
  default:
    return !holds_elements(output, input);
  }
}

}  // namespace onefold::cuda
