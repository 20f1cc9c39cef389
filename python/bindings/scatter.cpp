// SPDX-License-Identifier: Apache-2.0
// Rows of tensors added to the answers of their keys, or of their segments.
#include <nanobind/nanobind.h>

#include <cstdint>

#include <onefold/scatter.hpp>

#include "reduce.hpp"
#include "rows.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

op op_of(bool is_mean) {
  return is_mean ? op::mean : op::sum;
}

// initial: its address may be 0.
scatter_options options_of(const rows_of_tensor& initial, dtype type, int role) {
  scatter_options options;
  if (std::get<0>(initial) != 0) options.initial = view_of(initial, type);
  options.role = initial_role(role);
  return options;
}

array_view list_of(std::uintptr_t address, dtype type, std::int64_t n) {
  return {memory(address), type, {{n, std::int64_t(size_bytes(type))}}};
}

void scatter_rows(int type, int device, std::uintptr_t stream, const rows_of_tensor& x,
                  std::uintptr_t keys, int key_type, const rows_of_tensor& initial,
                  std::uintptr_t out, std::int64_t answers, bool is_mean, int role) {
  const call_place at = {dtype(type), device, stream};
  scatter_options options = options_of(initial, at.type, role);
  at.run(x, [&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return onefold::scatter_rows(on, op_of(is_mean), view_of(x, at.type),
                                 list_of(keys, dtype(key_type), std::get<1>(x)), memory(out),
                                 answers, options);
  });
}

void segment_rows(int type, int device, std::uintptr_t stream, const rows_of_tensor& x,
                  std::uintptr_t offsets, const rows_of_tensor& initial, std::uintptr_t out,
                  std::int64_t answers, bool is_mean, int role) {
  const call_place at = {dtype(type), device, stream};
  scatter_options options = options_of(initial, at.type, role);
  at.run(x, [&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return onefold::segment_rows(on, op_of(is_mean), view_of(x, at.type),
                                 list_of(offsets, dtype::i64, answers + 1), memory(out), options);
  });
}

}  // namespace

void add_scatter(nb::module_& module) {
  module.def("scatter_rows", &scatter_rows);
  module.def("segment_rows", &segment_rows);
}

}  // namespace onefold::python
