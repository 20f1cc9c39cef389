// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pictures of a rung's page, one file each: svg_NAME.cpp. Empty where there is nothing to draw.

#include "ladder/page/page.hpp"

#include <string>

namespace onefold::ladder {

std::string map_figure(const page& p);       ///< which lane reads which element when
std::string launches_figure(const page& p);  ///< all blocks, and who folds what they leave
std::string tree_figure(const page& p);      ///< which elements fold when: warps of 4, block 8
/// The same as a file of its own, in the reader's light or dark. `expected`: the elements that the
/// block has to fold. Empty: too wide to draw.
std::string tree_svg(const fold_tree& tree, std::size_t expected, const std::string& title);
std::string eight_figure(const page& p);      ///< the same for eight elements
std::string last_warp_figure(const page& p);  ///< its steps, one by one
std::string change_figure(const page& p);     ///< numbers of the GPU against the rung before
std::string lanes_figure(const page& p);      ///< working lanes, step by step
std::string banks_figure(const page& p);      ///< the worst request to shared memory
std::string sectors_figure(const page& p);    ///< the worst request to global memory
std::string scatter_figure(const page& p);    ///< which lane asks for which address

}  // namespace onefold::ladder
