// SPDX-License-Identifier: Apache-2.0
// The accumulator (`accumulator`) of each operator. Operators of one accumulator share a state and
// one pass over the data.
#pragma once

#include "onefold/op.hpp"

namespace onefold {

/// The first five have exact and fast implementations.
enum class accumulator : unsigned char {
  total,       ///< sum, mean
  magnitudes,  ///< norm1
  squares,     ///< sumsq, norm2
  products,    ///< dot
  moments,     ///< var, std; also sum, mean, sumsq, norm2 where requested together with them
  extrema,     ///< min, max, argmin, argmax, minmax, norminf
  counts,      ///< any, all, count, count_nonzero
  bits,        ///< bit_and, bit_or, bit_xor
  product,     ///< prod
  log_sum,     ///< logsumexp
};

constexpr accumulator accumulator_of(op what) noexcept {
  switch (what) {
  case op::sum:
  case op::mean:
    return accumulator::total;
  case op::norm1:
    return accumulator::magnitudes;
  case op::sumsq:
  case op::norm2:
    return accumulator::squares;
  case op::dot:
    return accumulator::products;
  case op::var:
  case op::stddev:
    return accumulator::moments;
  case op::any:
  case op::all:
  case op::count:
  case op::count_nonzero:
    return accumulator::counts;
  case op::bit_and:
  case op::bit_or:
  case op::bit_xor:
    return accumulator::bits;
  case op::prod:
    return accumulator::product;
  case op::logsumexp:
    return accumulator::log_sum;
  default:
    return accumulator::extrema;
  }
}

}  // namespace onefold
