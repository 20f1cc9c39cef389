// SPDX-License-Identifier: Apache-2.0
#include "ladder/published/reduce.hpp"

namespace onefold::ladder {

rung published_first_add_shared_rung() {
  rung r;
  r.name = "published/first-add-shared";
  r.title = "first-add with a printed defect: shared without its underscores";
  r.idea = "a word that nobody has declared stands where __shared__ belongs";
  r.previous = "reduce/first-add";
  r.file = "ladder/published/first_add_shared.cu";
  r.changes = {{"ONEFOLD_DYNAMIC_SHARED(T, items);", "extern shared int items[];"}};
  r.verdict = "does not compile";
  r.compiler_says =
      ".shared. does not name a type|unknown type name .shared.|explicit type is missing";
  return r;
}

}  // namespace onefold::ladder
