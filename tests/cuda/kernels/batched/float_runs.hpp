// SPDX-License-Identifier: Apache-2.0
// Answers of rows and columns of floats next to those of exact sums.
#pragma once

#include <cstring>
#include <type_traits>
#include <vector>

#include "cuda/kernels/batched/runs.hpp"
#include "onefold/exact.hpp"
#include "support/families.hpp"
#include "support/oracle.hpp"

namespace onefold::test {

using reduced = onefold::accumulator;

template <class Out, class T>
bits_of<Out> expected(reduced answers, kind other, const std::vector<T>& x) {
  if (answers == reduced::squares) {
    exact_dot<T> squares;
    for (const T element : x) squares.add(element, element);
    return as_bits(other == kind::root ? squares.template root<Out>()
                                       : squares.template value<Out>());
  }
  std::vector<T> terms = x;
  if (answers == reduced::magnitudes)
    for (T& term : terms) term = as_float<T>(bits_of<T>(as_bits(term) & ~ieee<T>::sign));
  if (other == kind::mean) {
    exact_sum<T> sum;
    for (const T term : terms) sum.add(term);
    return as_bits(sum.template mean<Out>());
  }
  oracle<T> sum;
  sum.add(terms.data(), std::int64_t(terms.size()));
  return sum.template value<Out>();
}

template <class T>
std::vector<T> elements_of(const batched_case& c, const std::vector<T>& x, std::size_t k) {
  const std::size_t inner = std::size_t(c.inner), n = std::size_t(c.n);
  std::vector<T> chosen;
  for (std::size_t b = 0; b < std::size_t(c.across); ++b)
    for (std::size_t i = 0; i < n; ++i)
      chosen.push_back(x[((b * c.answers() + k) / inner * n + i) * inner + k % inner]);
  return chosen;
}

template <class T, class Out>
bool check_as(reduced answers, const batched_case& c, const std::vector<T>& x) {
  const batched_kernels kernels = batched_float_kernels(answers, dtype_of<T>);
  std::vector<bits_of<Out>> right;
  for (std::size_t k = 0; k < c.answers(); ++k)
    right.push_back(expected<Out>(answers, c.which, elements_of(c, x, k)));
  batched_run<T> run(kernels, c, x);
  const auto compare = [&](const std::vector<std::byte>& bytes, int shape) {
    std::vector<bits_of<Out>> got(right.size());
    if (!got.empty()) std::memcpy(got.data(), bytes.data(), bytes.size());
    for (std::size_t k = 0; k < got.size(); ++k) {
      if (got[k] == right[k]) continue;
      const auto bad = elements_of(c, x, k);
      ADD_FAILURE() << c.text() << ", shape " << shape << ", family " << int(answers) << ", answer "
                    << k << ": " << hex(got[k]) << ", not " << hex(right[k]) << "; "
                    << hex(bad.data(), bad.size());
      return false;
    }
    return true;
  };
  int shape = 0;
  if (c.inner == 1)
    for (const cuda::rows_shape& each : all_rows_shapes(run.block(), sizeof(T)))
      if (!compare(run.rows(each), shape++)) return false;
  if (c.inner > 1)
    for (const cuda::columns_shape& each : all_columns_shapes(run.block(), sizeof(T)))
      if (!compare(run.columns(each), shape++)) return false;
  return !testing::Test::HasFailure();
}

template <class T>
bool check(reduced answers, const batched_case& c, const std::vector<T>& x) {
  switch (c.output) {
  case dtype::f16:
    return check_as<T, f16>(answers, c, x);
  case dtype::bf16:
    return check_as<T, bf16>(answers, c, x);
  case dtype::f32:
    return check_as<T, float>(answers, c, x);
  default:
    return check_as<T, double>(answers, c, x);
  }
}

// Rows of one array that differ: each is filled by itself.
template <class T>
std::vector<T> fill(random_source& random, const batched_case& c, std::size_t family) {
  std::vector<T> x(c.elements()), one(std::size_t(c.n));
  const std::size_t inner = std::size_t(c.inner), n = one.size();
  for (std::size_t k = 0; k < c.answers() * std::size_t(c.across); ++k) {
    families<T>()[family].fill(random, one.data(), n);
    for (std::size_t i = 0; i < n; ++i) x[(k / inner * n + i) * inner + k % inner] = one[i];
  }
  return x;
}

}  // namespace onefold::test
