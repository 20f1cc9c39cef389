// SPDX-License-Identifier: Apache-2.0
// Rows divided by their root mean square, and rows less their means; softmax and log_softmax of
// rows, losses of rows; the gradients of these.
#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <vector>

#include <onefold/loss.hpp>
#include <onefold/normalize.hpp>

#include "reduce.hpp"
#include "rows.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

std::optional<array_view> weight_of(std::uintptr_t address, int type, const rows_of_tensor& x) {
  if (address == 0) return {};
  const auto item = std::int64_t(size_bytes(dtype(type)));
  return array_view(memory(address), dtype(type), {{std::get<2>(x), item}});
}

void rms_norm_rows(int type, int device, std::uintptr_t stream, const rows_of_tensor& x,
                   std::uintptr_t weight, int weight_type, std::uintptr_t y, std::uintptr_t inverse,
                   double eps) {
  rms_norm_options options = {.eps = eps};
  options.weight = weight_of(weight, weight_type, x);
  options.inverse = static_cast<double*>(memory(inverse));
  const call_place at = {dtype(type), device, stream};
  at.run(x, [&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return rms_norm(on, view_of(x, at.type), memory(y), options);
  });
}

void add_rms_norm_rows(int type, int device, std::uintptr_t stream, const rows_of_tensor& x,
                       const rows_of_tensor& residual, std::uintptr_t weight, int weight_type,
                       std::uintptr_t sum, std::uintptr_t y, std::uintptr_t inverse, double eps) {
  rms_norm_options options = {.eps = eps};
  options.weight = weight_of(weight, weight_type, x);
  options.inverse = static_cast<double*>(memory(inverse));
  const call_place at = {dtype(type), device, stream};
  at.run(x, [&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return add_rms_norm(on, view_of(x, at.type), view_of(residual, at.type), memory(sum), memory(y),
                        options);
  });
}

void layer_norm_rows(int type, int device, std::uintptr_t stream, const rows_of_tensor& x,
                     std::uintptr_t weight, std::uintptr_t bias, int weight_type, std::uintptr_t y,
                     std::uintptr_t mean, std::uintptr_t inverse, double eps) {
  layer_norm_options options;
  options.weight = weight_of(weight, weight_type, x);
  options.bias = weight_of(bias, weight_type, x);
  options.eps = eps;
  options.mean = static_cast<double*>(memory(mean));
  options.inverse = static_cast<double*>(memory(inverse));
  const call_place at = {dtype(type), device, stream};
  at.run(x, [&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return layer_norm(on, view_of(x, at.type), memory(y), options);
  });
}

void rms_norm_backward_rows(int type, int device, std::uintptr_t stream, const rows_of_tensor& x,
                            const rows_of_tensor& g, std::uintptr_t weight, int weight_type,
                            std::uintptr_t inverse, std::uintptr_t dx, std::uintptr_t dweight) {
  rms_norm_backward_options options;
  options.weight = weight_of(weight, weight_type, x);
  options.inverse = static_cast<const double*>(memory(inverse));
  options.dweight = memory(dweight);
  const call_place at = {dtype(type), device, stream};
  at.run(x, [&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return rms_norm_backward(on, view_of(x, at.type), view_of(g, at.type), memory(dx), options);
  });
}

// mean, inverse: one of each row. weight_type: also of dbias.
void layer_norm_backward_rows(int type, int device, std::uintptr_t stream, const rows_of_tensor& x,
                              const rows_of_tensor& g, std::uintptr_t weight, int weight_type,
                              std::uintptr_t mean, std::uintptr_t inverse, std::uintptr_t dx,
                              std::uintptr_t dweight, std::uintptr_t dbias) {
  layer_norm_backward_options options;
  options.weight = weight_of(weight, weight_type, x);
  options.bias_type = dtype(weight_type);
  options.mean = static_cast<const double*>(memory(mean));
  options.inverse = static_cast<const double*>(memory(inverse));
  options.dweight = memory(dweight), options.dbias = memory(dbias);
  const call_place at = {dtype(type), device, stream};
  at.run(x, [&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return layer_norm_backward(on, view_of(x, at.type), view_of(g, at.type), memory(dx), options);
  });
}

void softmax_rows(int type, int device, std::uintptr_t stream, const rows_of_tensor& x,
                  std::uintptr_t y, bool logarithm) {
  const call_place at = {dtype(type), device, stream};
  at.run(x, [&](const executor& on, const std::stop_token& stop) {
    return (logarithm ? log_softmax : softmax)(on, view_of(x, at.type), memory(y), stop);
  });
}

void softmax_backward_rows(int type, int device, std::uintptr_t stream, const rows_of_tensor& y,
                           const rows_of_tensor& g, std::uintptr_t dx, bool logarithm) {
  const call_place at = {dtype(type), device, stream};
  at.run(y, [&](const executor& on, const std::stop_token& stop) {
    return (logarithm ? log_softmax_backward : softmax_backward)(
        on, view_of(y, at.type), view_of(g, at.type), memory(dx), stop);
  });
}

// states: of whole rows, one for each row of x, which has parts of them.
void softmax_part_rows(int type, int device, std::uintptr_t stream, const rows_of_tensor& x,
                       std::uintptr_t y, bool logarithm, const nb::list& states) {
  std::vector<state> whole;
  for (const nb::handle one : states) whole.push_back(nb::cast<const state&>(one));
  const call_place at = {dtype(type), device, stream};
  at.run(x, [&](const executor& on, const std::stop_token& stop) {
    return (logarithm ? log_softmax_part : softmax_part)(on, view_of(x, at.type), memory(y), whole,
                                                         stop);
  });
}

// totals: three of each row.
void cross_entropy_rows(int type, int device, std::uintptr_t stream, const rows_of_tensor& x,
                        std::uintptr_t target, std::uintptr_t losses, std::uintptr_t totals,
                        std::int64_t ignore_index) {
  cross_entropy_options options = {.ignore_index = ignore_index,
                                   .totals = static_cast<double*>(memory(totals))};
  const call_place at = {dtype(type), device, stream};
  at.run(x, [&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return cross_entropy(on, view_of(x, at.type), static_cast<std::int64_t*>(memory(target)),
                         static_cast<float*>(memory(losses)), options);
  });
}

void cross_entropy_backward_rows(int type, int device, std::uintptr_t stream,
                                 const rows_of_tensor& x, std::uintptr_t target,
                                 std::uintptr_t scales, std::uintptr_t totals, std::uintptr_t dx,
                                 std::int64_t ignore_index) {
  const call_place at = {dtype(type), device, stream};
  at.run(x, [&](const executor& on, const std::stop_token& stop) {
    return cross_entropy_backward(
        on, view_of(x, at.type), static_cast<std::int64_t*>(memory(target)),
        static_cast<float*>(memory(scales)), static_cast<double*>(memory(totals)), memory(dx),
        {.ignore_index = ignore_index, .stop = stop});
  });
}

}  // namespace

void add_normalizations(nb::module_& module) {
  module.def("rms_norm_rows", &rms_norm_rows);
  module.def("add_rms_norm_rows", &add_rms_norm_rows);
  module.def("layer_norm_rows", &layer_norm_rows);
  module.def("rms_norm_backward_rows", &rms_norm_backward_rows);
  module.def("layer_norm_backward_rows", &layer_norm_backward_rows);
  module.def("cross_entropy_rows", &cross_entropy_rows);
  module.def("cross_entropy_backward_rows", &cross_entropy_backward_rows);
  module.def("softmax_rows", &softmax_rows);
  module.def("softmax_backward_rows", &softmax_backward_rows);
  module.def("softmax_part_rows", &softmax_part_rows);
}

}  // namespace onefold::python
