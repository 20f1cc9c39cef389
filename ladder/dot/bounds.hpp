// SPDX-License-Identifier: Apache-2.0
#pragma once
// How far dot/kahan and dot/two-product can be off.
//
// A product passes at most D compensated additions: those of its lane, of the tree, of the host.
// Write S for sum |a b|, u for half an ulp of 1, g(k) = k u / (1 - k u), p for rounded products.
//
//   The exact sum of the p is the computed one plus the errors e of all additions. An addition of
//   height h errs by at most u (1 + u)^(h - 1) sum |p| over what it adds, and the heights along a
//   product's way are different numbers up to D: sum |e| <= ((1 + u)^D - 1) sum |p| <= g(D) sum
//   |p|. An error passes at most 2 D plain additions, two in each compensated one: the loss is off
//   by at most g(2 D) sum |e|. One last addition rounds the sum of sum and loss. Hence
//
//     dot/kahan:        |answer - sum p| <= u |sum p| + (1 + u) g(2 D) g(D) sum |p|
//     dot/two-product:  |answer - a.b|   <= u |a.b|   + (1 + u) g(2 D) g(D + 1) S,
//
//   the latter because the errors of the products add at most u S to sum |e|, and sum |p| is at
//   most (1 + u) S. Neither is true when an error of a product underflows, nor after an overflow.
//
// Source: the proofs of Propositions 4.5 and 5.5 in T. Ogita, S. Rump, S. Oishi, "Accurate sum and
//         dot product", SIAM J. Sci. Comput. 26 (2005), with the height of a tree for the length
//         of a chain.

#include <bit>
#include <cstddef>

namespace onefold::ladder {

/// D for a launch: rounds of the grid's stride, steps of the tree, partials on the host.
inline std::size_t additions_on_the_way(std::size_t n, unsigned block, unsigned grid) {
  const std::size_t lanes = std::size_t{block} * grid;
  return (n + lanes - 1) / lanes + static_cast<std::size_t>(std::countr_zero(block)) + grid;
}

}  // namespace onefold::ladder
