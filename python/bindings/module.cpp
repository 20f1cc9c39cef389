// SPDX-License-Identifier: Apache-2.0
// The module onefold._core: what the package's Python files call. It holds no algorithm.
#include <nanobind/nanobind.h>

#include <onefold/version.hpp>

#include "errors.hpp"
#include "reduce.hpp"

NB_MODULE(_core, module) {
  // nanobind's tables of types and NumPy belong to the first interpreter of a process.
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)
    onefold::python::raise(PyExc_ImportError,
                           "onefold cannot be imported in a sub-interpreter; use threads or "
                           "processes, or import it in the main interpreter");
  module.doc() = "The compiled part of onefold.";
  module.attr("__version__") = ONEFOLD_VERSION_STRING;
  onefold::python::add_arrays(module);
  onefold::python::add_arrow(module);
  onefold::python::add_reductions(module);
  onefold::python::add_groups(module);
  onefold::python::add_normalizations(module);
  onefold::python::add_ranks(module);
  onefold::python::add_scatter(module);
  onefold::python::add_states(module);
  onefold::python::add_state_arrays(module);
}
