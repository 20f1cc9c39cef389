// SPDX-License-Identifier: Apache-2.0
// Rows divided by their root mean square, and rows less their means; softmax and log_softmax of
// rows, losses of rows; the gradients of these.
#include <nanobind/nanobind.h>

#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <vector>

#include <onefold/loss.hpp>
#include <onefold/normalize.hpp>

#include "reduce.hpp"
#include "rows.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

// A double for each row; None: null.
double* of_each_row(const tensor_rows& x, nb::handle tensor) {
  return x.beside(tensor, x.rows(), dtype::f64).as<double>();
}

void rms_norm_rows(nb::handle tensor, int dims, nb::handle weight, nb::handle y, nb::handle inverse,
                   double eps) {
  const tensor_rows x(tensor, dims);
  void* const to = x.elements(y);
  rms_norm_options options = {.eps = eps};
  options.weight = x.columns(weight).if_any();
  options.inverse = of_each_row(x, inverse);
  x.run([&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return rms_norm(on, x.view(), to, options);
  });
}

void add_rms_norm_rows(nb::handle tensor, nb::handle residual, int dims, nb::handle weight,
                       nb::handle sum, nb::handle y, nb::handle inverse, double eps) {
  const tensor_rows x(tensor, dims), addend(residual, dims, x);
  void *const total = x.elements(sum), *const to = x.elements(y);
  rms_norm_options options = {.eps = eps};
  options.weight = x.columns(weight).if_any();
  options.inverse = of_each_row(x, inverse);
  x.run([&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return add_rms_norm(on, x.view(), addend.view(), total, to, options);
  });
}

void layer_norm_rows(nb::handle tensor, int dims, nb::handle weight, nb::handle bias, nb::handle y,
                     nb::handle mean, nb::handle inverse, double eps) {
  const tensor_rows x(tensor, dims);
  void* const to = x.elements(y);
  layer_norm_options options;
  options.weight = x.columns(weight).if_any();
  options.bias = x.columns(bias).if_any();
  options.eps = eps;
  options.mean = of_each_row(x, mean);
  options.inverse = of_each_row(x, inverse);
  x.run([&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return layer_norm(on, x.view(), to, options);
  });
}

// dx, dweight: None if they are not wanted. dweight: of the weight's type.
void rms_norm_backward_rows(nb::handle gradient, nb::handle tensor, int dims, nb::handle weight,
                            nb::handle inverse, nb::handle dx, nb::handle dweight) {
  const tensor_rows x(tensor, dims), g(gradient, dims, x);
  const numbers factors = x.columns(weight);
  void* const to = x.elements(dx);
  rms_norm_backward_options options;
  options.weight = factors.if_any();
  options.inverse = of_each_row(x, inverse);
  options.dweight = x.beside(dweight, x.n(), factors.type).data;
  x.run([&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return rms_norm_backward(on, x.view(), g.view(), to, options);
  });
}

// The same; dweight and dbias: of the weight's type, if there is one.
void layer_norm_backward_rows(nb::handle gradient, nb::handle tensor, int dims, nb::handle weight,
                              nb::handle mean, nb::handle inverse, nb::handle dx,
                              nb::handle dweight, nb::handle dbias) {
  const tensor_rows x(tensor, dims), g(gradient, dims, x);
  const numbers factors = x.columns(weight), sums = x.columns(dbias);
  const dtype other = dbias.is_none() ? x.type() : sums.type;
  const dtype type = weight.is_none() ? other : factors.type;
  void* const to = x.elements(dx);
  layer_norm_backward_options options;
  options.weight = factors.if_any();
  options.bias_type = type;
  options.mean = of_each_row(x, mean);
  options.inverse = of_each_row(x, inverse);
  options.dweight = x.beside(dweight, x.n(), type).data;
  options.dbias = x.beside(dbias, x.n(), type).data;
  x.run([&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return layer_norm_backward(on, x.view(), g.view(), to, options);
  });
}

void softmax_rows(nb::handle tensor, nb::handle y, bool logarithm) {
  const tensor_rows x(tensor, 1);
  void* const to = x.elements(y);
  x.run([&](const executor& on, const std::stop_token& stop) {
    return (logarithm ? log_softmax : softmax)(on, x.view(), to, stop);
  });
}

void softmax_backward_rows(nb::handle results, nb::handle gradient, nb::handle dx, bool logarithm) {
  const tensor_rows y(results, 1), g(gradient, 1, y);
  void* const to = y.elements(dx);
  y.run([&](const executor& on, const std::stop_token& stop) {
    return (logarithm ? log_softmax_backward : softmax_backward)(on, y.view(), g.view(), to, stop);
  });
}

// states: of whole rows, one for each row of x, which has parts of them.
void softmax_part_rows(nb::handle tensor, nb::handle y, bool logarithm, const nb::list& states) {
  const tensor_rows x(tensor, 1);
  void* const to = x.elements(y);
  std::vector<state> whole;
  for (const nb::handle one : states) whole.push_back(nb::cast<const state&>(one));
  x.run([&](const executor& on, const std::stop_token& stop) {
    return (logarithm ? log_softmax_part : softmax_part)(on, x.view(), to, whole, stop);
  });
}

loss_reduction reduction_of(const std::string& name) {
  return name == "none"  ? loss_reduction::none
         : name == "sum" ? loss_reduction::sum
                         : loss_reduction::mean;
}

// What the backward pass reads: three totals of each row, and a mean's divisor.
struct class_memory {
  double *totals, *divisor = nullptr;

  class_memory(const tensor_rows& x, nb::handle saved, loss_reduction reduction) {
    const std::int64_t rows = x.rows();
    const bool divides = reduction == loss_reduction::mean;
    totals = x.beside(saved, 3 * rows + (divides ? 1 : 0), dtype::f64).as<double>();
    if (divides) divisor = totals + 3 * rows;
  }
};

// losses: room for one of each row; result: one number, or one of each row, of any floating type.
void cross_entropy_rows(nb::handle tensor, nb::handle target, nb::handle weight, nb::handle losses,
                        nb::handle result, nb::handle saved, std::int64_t ignore_index,
                        const std::string& reduction) {
  const tensor_rows x(tensor, 1);
  const loss_reduction wanted = reduction_of(reduction);
  const auto* const classes = x.beside(target, x.rows(), dtype::i64).as<std::int64_t>();
  const numbers to = x.beside(result, wanted == loss_reduction::none ? x.rows() : 1);
  const class_memory memory(x, saved, wanted);
  auto* const each = x.beside(losses, x.rows(), dtype::f32).as<float>();
  const class_weight_options by = {ignore_index, x.columns(weight).if_any()};
  x.run([&](const executor& on, const std::stop_token& stop) {
    if (x.rows() > 0) {
      const status done =
          cross_entropy(on, x.view(), classes, each, {ignore_index, memory.totals, stop});
      if (!done) return done;
    }
    return reduce_losses(on, each, classes, x.rows(), wanted, to.data, to.type, memory.divisor, by);
  });
}

// g: the gradient of the result; scales: room for one of each row.
void cross_entropy_backward_rows(nb::handle g, nb::handle tensor, nb::handle target,
                                 nb::handle weight, nb::handle saved, nb::handle scales,
                                 nb::handle dx, std::int64_t ignore_index,
                                 const std::string& reduction, double label_smoothing) {
  const tensor_rows x(tensor, 1);
  const loss_reduction wanted = reduction_of(reduction);
  const auto* const classes = x.beside(target, x.rows(), dtype::i64).as<std::int64_t>();
  const bool of_rows = wanted == loss_reduction::none;
  const numbers given = x.beside(g, of_rows ? x.rows() : 1);
  const array_view gradient =
      of_rows ? given.view() : array_view(given.data, given.type, axis_list());
  auto* const factors = x.beside(scales, x.rows(), dtype::f32).as<float>();
  const class_memory memory(x, saved, wanted);
  const class_weight_options by = {ignore_index, x.columns(weight).if_any()};
  void* const to = x.elements(dx);
  x.run([&](const executor& on, const std::stop_token& stop) {
    const status done = loss_scales(on, gradient, memory.divisor, classes, x.rows(), factors, by);
    if (!done) return done;
    return cross_entropy_backward(on, x.view(), classes, factors, memory.totals, to,
                                  {ignore_index, label_smoothing, stop});
  });
}

}  // namespace

void add_normalizations(nb::module_& module) {
  using nb::arg;
  module.def("rms_norm_rows", &rms_norm_rows, arg("x"), arg("dims"), arg("weight").none(), arg("y"),
             arg("inverse").none(), arg("eps"));
  module.def("add_rms_norm_rows", &add_rms_norm_rows, arg("x"), arg("residual"), arg("dims"),
             arg("weight").none(), arg("sum"), arg("y"), arg("inverse").none(), arg("eps"));
  module.def("layer_norm_rows", &layer_norm_rows, arg("x"), arg("dims"), arg("weight").none(),
             arg("bias").none(), arg("y"), arg("mean").none(), arg("inverse").none(), arg("eps"));
  module.def("rms_norm_backward_rows", &rms_norm_backward_rows, arg("g"), arg("x"), arg("dims"),
             arg("weight").none(), arg("inverse"), arg("dx").none(), arg("dweight").none());
  module.def("layer_norm_backward_rows", &layer_norm_backward_rows, arg("g"), arg("x"), arg("dims"),
             arg("weight").none(), arg("mean"), arg("inverse"), arg("dx").none(),
             arg("dweight").none(), arg("dbias").none());
  module.def("cross_entropy_rows", &cross_entropy_rows, arg("x"), arg("target"),
             arg("weight").none(), arg("losses"), arg("result"), arg("saved"), arg("ignore_index"),
             arg("reduction"));
  module.def("cross_entropy_backward_rows", &cross_entropy_backward_rows, arg("g"), arg("x"),
             arg("target"), arg("weight").none(), arg("saved"), arg("scales"), arg("dx"),
             arg("ignore_index"), arg("reduction"), arg("label_smoothing"));
  module.def("softmax_rows", &softmax_rows);
  module.def("softmax_backward_rows", &softmax_backward_rows);
  module.def("softmax_part_rows", &softmax_part_rows);
}

}  // namespace onefold::python
