// SPDX-License-Identifier: Apache-2.0
// What the CUDA engine reduces: a plan, and the memory that it refers to.
#pragma once

#include <cstdint>

#include "onefold/dtype.hpp"
#include "onefold/options.hpp"
#include "onefold/plan.hpp"

namespace onefold::cuda {

/// Precondition: the plan was made of these views and options.
struct request {
  const onefold::plan& plan;
  const onefold::options& options;
  const void* x = nullptr;  ///< the first element in loop order
  const void* y = nullptr;  ///< of the second view; null where there is none
  std::int64_t before = 0;  ///< of the `all` elements of the caller's request: done already
  std::int64_t all = 0;
  const void* mask = nullptr;  ///< of the first element; null where there is no mask
  dtype x_type = dtype::f64, y_type = dtype::f64;
};

}  // namespace onefold::cuda
