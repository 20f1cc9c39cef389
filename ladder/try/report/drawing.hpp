// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a try draws a launch, without knowing the pictures of the course.

#include "simt/observer.hpp"

#include <functional>
#include <memory>
#include <string>

namespace onefold::ladder {

/// Watches a short launch and draws which elements fold when.
class launch_drawing {
 public:
  virtual ~launch_drawing() = default;
  virtual simt::observer& observer() = 0;
  /// An SVG of its own. `elements` are those that the block has to fold. Empty: nothing to draw.
  virtual std::string svg(std::size_t elements, const std::string& title) = 0;
};

/// `type` and `op` as in a report; null: such launches are not drawn.
using launch_drawer =
    std::function<std::unique_ptr<launch_drawing>(const std::string& type, const std::string& op)>;

}  // namespace onefold::ladder
