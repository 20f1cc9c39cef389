// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"

namespace onefold::ladder {

rung published_cascading_undeclared_rung() {
  rung r;
  r.name = "published/cascading-undeclared";
  r.title = "cascading with a printed defect: undeclared names";
  r.idea = "the loop increments a variable that does not exist, by a size that does not either";
  r.previous = "reduce/cascading";
  r.file = "ladder/published/cascading_undeclared.cu";
  r.changes = {{"at += round", "i += round;"}};
  r.verdict = "does not compile";
  r.compiler_says =
      "'i' was not declared in this scope|undeclared identifier 'i'|\"i\" is undefined";
  return r;
}

}  // namespace onefold::ladder
