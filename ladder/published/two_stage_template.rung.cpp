// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"

namespace onefold::ladder {

rung published_two_stage_template_rung() {
  rung r;
  r.name = "published/two-stage-template";
  r.title = "a caller of a template with a printed defect: a variable for its argument";
  r.idea = "the compiler has to know the size, and the caller learns it at run time";
  r.previous = "reduce/unrolled";
  r.file = "ladder/published/two_stage_template.cu";
  r.verdict = "does not compile";
  r.compiler_says = "is not a constant expression|must have a constant value";
  return r;
}

}  // namespace onefold::ladder
