// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs for which every order of folding is exact, and the one right answer.
//
//   sum       0, 1, 2, ... for int (which wraps, as on the device) and double, i mod 7 for float
//   product   odd numbers for int; at most 64 twos and minus halves among ones for the others
//   max, min  scattered negative, respectively positive numbers: zero is no identity for either

#include "ladder/trial/trial.hpp"

#include <vector>

namespace onefold::ladder {

/// Longest sum of `type` that is exact in every order.
std::size_t longest_exact_sum(element type);

template <class T>
std::vector<T> reduce_input(operation op, std::size_t n);

/// The value that changes nothing.
template <class T>
T identity_of(operation op);

template <class T>
T fold(operation op, const std::vector<T>& values);

}  // namespace onefold::ladder
