// SPDX-License-Identifier: Apache-2.0
#pragma once
// From the plan and the loaded kernel to what is launched: roles, expectation and shapes, as they
// were asked for, or as a first launch shows them.

#include "ladder/try/launch/session.hpp"
#include "ladder/try/launch/trials.hpp"

#include <functional>

namespace onefold::ladder::learner {

struct decided_setup {
  trial_setup trial;
  geometry_request request;
  bool guessed = false;               ///< what is expected
  std::string expected;               ///< as a sentence
  std::string assumed;                ///< of elements that are structs; else empty
  std::string launched;               ///< a launch that was found by trying; else empty
  std::vector<std::string> untested;  ///< as whole sentences
};

/// Names of the parameters, and of the fields of structs, as the file has them.
signature signature_of(const entry& kernel, const kernel_source& source,
                       const std::vector<struct_source>& structs);

/// `first_guess` is called before the first launch, with the roles by names alone if these do.
/// Fails: std::invalid_argument naming what cannot be served, and the remedy.
decided_setup decide_setup(const session_plan& plan, const entry& kernel,
                           const std::vector<parameter>& structs,
                           const std::function<void(const decided_setup&)>& first_guess);

/// "float4", "int", ...
std::string type_name(const parameter& p);

}  // namespace onefold::ladder::learner
