// SPDX-License-Identifier: Apache-2.0
// Exact sums, sums of products, moments and sums of exponentials for a user's own loop, kernel,
// OpenMP reduction or MPI operator.
//
//   onefold::exact_sum<double> s;
//   for (double x : xs) s.add(x);
//   double answer = s.value();          the true sum, rounded once
//   double middle = s.mean();           the true mean, rounded once
//
//   onefold::exact_dot<float> d;        d.add(x, y);  d.value(), d.root()
//   onefold::exact_moments<float> m;    m.add(x);     m.mean(), m.variance(1), m.deviation(1)
//   onefold::exact_exponentials<float> e;  e.add(x);  e.value(), the bits of logsumexp
//
// A sum of floats is an integer in units of the format's smallest subnormal; a sum of products is
// an integer in units of its square. Both are stored in 64-bit limbs of 32 bits each. Integer
// addition is associative and commutative: that is why no order, split or machine can change a bit.
// Means, roots, variances and deviations are computed from these integers, by long division and by
// integer roots with one rounding at the very end.
//
// Sums of integers of any width are std::int64_t here: exact_sum<int> is exact_sum<std::int64_t>,
// an integer of 128 bits; sums of their products have 192.
//
// Only integer arithmetic on bit patterns: -ffast-math, flush-to-zero and the rounding mode of the
// caller do not matter. The types are trivially copyable and merge by value. They allocate, lock
// and call nothing, so a handler of an asynchronous signal may use its own. They are simple, not
// fast: about 2-4 ns an element, exponentials 1 us. onefold::sum uses the engines' faster cascade.
//
// add() refuses, at compile time, an argument that it would have to round: a double for
// exact_sum<float>, an std::int64_t for exact_sum<double>.
//
// Inf and NaN follow IEEE's rules for sums and products; a NaN result is the canonical quiet NaN.
// without_nans() returns the state of the elements that are not NaN.
//
// write_additive and read_additive (onefold/detail/additive.hpp) turn an accumulator into a fixed
// number of 64-bit integers and back: MPI, NCCL or SQL add these, and the sum is still exact. Those
// of exact_exponentials add in one band, the maximum of band() over all sums.
//
// Source: the superaccumulator of U. Kulisch; limbs as in R. Neal, arXiv 1505.05571.
#pragma once

#include <cstdint>

#include "onefold/detail/additive.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/detail/exact_dot.hpp"
#include "onefold/detail/exact_exponentials.hpp"
#include "onefold/detail/exact_moments.hpp"
#include "onefold/detail/exact_sum.hpp"
#include "onefold/detail/float_format.hpp"
#include "onefold/detail/integer_dot.hpp"
#include "onefold/detail/integer_sum.hpp"
#include "onefold/detail/round.hpp"
#include "onefold/dtype.hpp"

namespace onefold {

/// The exact sum of elements of type T: add(x), merge(other), value<Out>(), mean<Out>().
template <class T>
using exact_sum =
    typename detail::accumulator_of<T, detail::wide_sum<T>, detail::integer_sum>::type;

}  // namespace onefold
