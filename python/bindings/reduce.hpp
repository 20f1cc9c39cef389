// SPDX-License-Identifier: Apache-2.0
#pragma once
// The functions of the module that take arrays, and the classes of it.

#include <nanobind/nanobind.h>

namespace onefold::python {

/// Adds the class Array.
void add_arrays(nanobind::module_& module);
/// Adds arrow_array and arrow_stream: the chunks of a column.
void add_arrow(nanobind::module_& module);
/// Adds reduce, reduce_into, answer_shape, stats, plan, transpose …
void add_reductions(nanobind::module_& module);
/// Adds segments_into and groups_into.
void add_groups(nanobind::module_& module);
/// Adds rms_norm_rows, softmax_rows …
void add_normalizations(nanobind::module_& module);
/// Adds nccl_all_reduce_elements.
void add_ranks(nanobind::module_& module);
/// Adds scatter_rows and segment_rows.
void add_scatter(nanobind::module_& module);
/// Adds the class State.
void add_states(nanobind::module_& module);
/// Adds partials, merge_partials and round_partials.
void add_state_arrays(nanobind::module_& module);

}  // namespace onefold::python
