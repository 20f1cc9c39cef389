// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who knows which rungs: each room lists its own, in climbing order (ROOM/rungs.cpp), and
// published/ROOM.cpp the twins that keep a printed defect. registry.cpp puts them together.

#include "ladder/rung/rung.hpp"

namespace onefold::ladder {

std::vector<rung> reduce_rungs();
std::vector<rung> dot_rungs();
std::vector<rung> image_rungs();
std::vector<rung> loop_rungs();

std::vector<rung> published_reduce_rungs();
std::vector<rung> published_dot_rungs();
std::vector<rung> published_image_rungs();
std::vector<rung> published_loop_rungs();

}  // namespace onefold::ladder
