// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"

namespace onefold::ladder {

rung published_two_stage_extern_rung() {
  rung r;
  r.name = "published/two-stage-extern";
  r.title = "two-stage with a printed defect: a shared array without extern";
  r.idea = "memory whose size the launch decides has to be declared elsewhere";
  r.previous = "reduce/two-stage";
  r.file = "ladder/published/two_stage_extern.cu";
  r.changes = {{"ONEFOLD_DYNAMIC_SHARED(T, items);", "__shared__ int items[];"}};
  r.verdict = "does not compile";
  r.compiler_says =
      "storage size of .items. isn.t known|array type needs an explicit size|incomplete type";
  return r;
}

}  // namespace onefold::ladder
