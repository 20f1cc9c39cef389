// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pictures of a rung's page, one file each: svg_NAME.cpp. Empty where there is nothing to draw.

#include "ladder/page/page.hpp"

#include <string>

namespace onefold::ladder {

std::string tree_figure(const page& p);     ///< which elements fold when
std::string lanes_figure(const page& p);    ///< working lanes, step by step
std::string banks_figure(const page& p);    ///< the worst request to shared memory
std::string sectors_figure(const page& p);  ///< the worst request to global memory
std::string scatter_figure(const page& p);  ///< which lane asks for which address

/// Counters of the rungs of a ladder, and the recorded times where there are any, on two axes.
std::string climb_figure(std::string_view ladder, const std::vector<const page*>& rungs);

}  // namespace onefold::ladder
