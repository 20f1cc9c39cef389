// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inputs for which every order of folding is exact, and the one right answer.
//
//   sum       0, 1, 2, ... for int (which wraps, as on the device), the same mod 2^24 for double;
//             for float i mod 7, and where that grows too long odd numbers from -15 to 15 with
//             scattered signs: a partial sum of 2^28 of them reaches 2^24 with a probability below
//             2 exp(-2^48 / (2^29 15^2)) < 1e-1000 (W. Hoeffding, 1963) unless the order of the
//             additions looks at the values
//   product   odd numbers for int; at most 64 twos and minus halves among ones for the others
//   max, min  scattered negative, respectively positive numbers: zero is no identity for either

#include "ladder/rung/trial.hpp"

#include <memory>
#include <vector>

namespace onefold::ladder {

template <class T>
std::vector<T> reduce_input(operation op, std::size_t n);

/// The value that changes nothing.
template <class T>
T identity_of(operation op);

template <class T>
T fold(operation op, const std::vector<T>& values);

/// An input with its answer.
template <class T>
struct reduce_case {
  std::vector<T> values;
  T expected;
};

/// The case of (op, n); the last one is kept, for rung after rung asks for the same.
template <class T>
std::shared_ptr<const reduce_case<T>> reduce_case_of(operation op, std::size_t n);

}  // namespace onefold::ladder
