// SPDX-License-Identifier: Apache-2.0
// A request as the CPU engine takes it: the plan, and the memory that it refers to.
#pragma once

#include <cstddef>

#include <span>

#include "onefold/callbacks.hpp"
#include "onefold/options.hpp"
#include "onefold/plan.hpp"

namespace onefold {

/// Precondition: the plan was made of these views and options.
struct reduction {
  const onefold::plan& plan;
  const onefold::options& options;
  const std::byte* x = nullptr;  ///< the first element in loop order
  const std::byte* y = nullptr;  ///< of the second view; null where there is none
  const std::byte* mask = nullptr;
  dtype x_type = dtype::f64;
  dtype y_type = dtype::f64;
  const element_map* map = nullptr;  ///< makes the reduced values; null where there is none

  reduction(const onefold::plan& plan, std::span<const array_view> views,
            const onefold::options& given)
      : plan(plan), options(given),
        x(static_cast<const std::byte*>(views[0].data()) + plan.origin.x_bytes),
        x_type(views[0].type()) {
    if (views.size() == 2) {
      y = static_cast<const std::byte*>(views[1].data()) + plan.origin.y_bytes;
      y_type = views[1].type();
    }
    if (options.where)
      mask = static_cast<const std::byte*>(options.where->data()) + plan.origin.mask_bytes;
  }

  /// The memory of another one under a plan and options of its own.
  reduction(const reduction& other, const onefold::plan& plan, const onefold::options& options)
      : plan(plan), options(options), x(other.x), y(other.y), mask(other.mask),
        x_type(other.x_type), y_type(other.y_type), map(other.map) {}

  /// Whether elements have another type than the plan's.
  bool converts() const { return x_type != plan.input || (y && y_type != plan.input); }
};

}  // namespace onefold
