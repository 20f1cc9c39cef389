// SPDX-License-Identifier: Apache-2.0
// The module onefold._core: what the package's Python files call. It holds no algorithm.
#include <nanobind/nanobind.h>

#include <onefold/version.hpp>

#include "reduce.hpp"

NB_MODULE(_core, module) {
  module.doc() = "The compiled part of onefold.";
  module.attr("__version__") = ONEFOLD_VERSION_STRING;
  onefold::python::add_arrays(module);
  onefold::python::add_arrow(module);
  onefold::python::add_reductions(module);
  onefold::python::add_groups(module);
  onefold::python::add_states(module);
}
