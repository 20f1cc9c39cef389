// SPDX-License-Identifier: Apache-2.0
#include "ladder/trial/problem.hpp"

#include <stdexcept>

namespace onefold::ladder {

std::unique_ptr<problem> make_vector_add(const rung& r, const trial_options&, backend&) {
  throw std::logic_error("no problem for " + std::string(r.name));
}

}  // namespace onefold::ladder
