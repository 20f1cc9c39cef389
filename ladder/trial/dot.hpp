// SPDX-License-Identifier: Apache-2.0
#pragma once
// A dot product by a rung's kernel: vectors in, partials out, folded on the host as the rung means
// it.

#include "ladder/rung/rung.hpp"
#include "ladder/trial/backend.hpp"

#include <span>

namespace onefold::ladder {

/// Of elements of type T; each part as the options say: block, max_grid.
template <class T>
class dot_product {
 public:
  /// Uploads the vectors, which have equal lengths. The rung and the backend have to live as long.
  /// Fails: as make_problem.
  dot_product(const rung& r, const trial_options& options, backend& where, std::span<const T> a,
              std::span<const T> b);

  void run();
  /// The answer of the last run.
  T value() const;

  /// The first vector, on the backend.
  const T* a() const { return a_; }
  unsigned grid() const { return grid_; }

 private:
  std::size_t bytes_of_partials() const;
  template <class Partial>
  std::vector<Partial> partials(std::size_t count) const;

  const rung& rung_;
  backend& where_;
  const kernel_entry& kernel_;
  std::size_t n_;
  unsigned grid_, block_;
  T *a_, *b_;
  void* partials_;
};

/// The dot product of a and b by a rung, under an executor of its own.
template <class T>
T dot_by(const rung& r, const trial_options& options, std::span<const T> a, std::span<const T> b);

}  // namespace onefold::ladder
