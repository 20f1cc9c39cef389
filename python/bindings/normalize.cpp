// SPDX-License-Identifier: Apache-2.0
// Rows divided by their root mean square, and the gradients of that; softmax and log_softmax of
// rows.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <onefold/normalize.hpp>

#include "arguments.hpp"
#include "errors.hpp"
#include "names.hpp"
#include "reduce.hpp"
#include "run.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

void check_output(const array& output, dtype type, std::int64_t items, const char* name) {
  const auto& axes = output.axes();
  std::int64_t apart = std::int64_t(size_bytes(type));
  bool fits = output.writable() && output.type() == type && output.items() == items;
  for (int i = axes.size(); i-- > 0; apart *= axes[i].extent)
    fits = fits && (items == 0 || axes[i].extent < 2 || axes[i].stride_bytes == apart);
  if (!fits)
    raise(PyExc_ValueError, std::string(name) + " is not writable, contiguous memory of " +
                                std::to_string(items) + " elements of " + numpy_name(type));
}

// A call for rows x. A stream of a GPU, where x is in its memory.
template <class Call>
void run_on(const array& x, std::uintptr_t stream, const Call& call) {
  executor on = executor::cpu{.threads = threads()};
  if (x.device() >= 0)
    on = executor::cuda{.stream = reinterpret_cast<void*>(stream), .device = x.device()};
  // Work on a GPU is only launched here: no thread is needed to watch it.
  const std::int64_t bytes =
      x.device() < 0 ? 2 * x.bytes() : std::min(x.bytes(), std::int64_t(1) << 20);
  run(bytes, [&](const std::stop_token& stop) { return call(on, stop); });
}

// x: rows and their elements, here and below.
rms_norm_options options_of(const array& x, nb::handle weight, const array& inverse, double eps) {
  if (!x.axes().empty()) check_output(inverse, dtype::f64, x.axes()[0].extent, "inverse");
  rms_norm_options options;
  options.eps = eps;
  options.inverse = static_cast<double*>(inverse.data());
  if (!weight.is_none()) options.weight = nb::cast<const array&>(weight).view();
  return options;
}

void rms_norm_into(const array& x, nb::handle weight, const array& y, const array& inverse,
                   double eps, std::uintptr_t stream) {
  check_output(y, x.type(), x.items(), "y");
  rms_norm_options options = options_of(x, weight, inverse, eps);
  run_on(x, stream, [&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return rms_norm(on, x.view(), y.data(), options);
  });
}

void add_rms_norm_into(const array& x, const array& residual, nb::handle weight, const array& sum,
                       const array& y, const array& inverse, double eps, std::uintptr_t stream) {
  check_output(sum, x.type(), x.items(), "sum");
  check_output(y, x.type(), x.items(), "y");
  rms_norm_options options = options_of(x, weight, inverse, eps);
  run_on(x, stream, [&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return add_rms_norm(on, x.view(), residual.view(), sum.data(), y.data(), options);
  });
}

// dx, weight, dweight: None where there is none.
void rms_norm_backward_into(const array& x, const array& g, nb::handle weight, const array& inverse,
                            nb::handle dx, nb::handle dweight, std::uintptr_t stream) {
  if (!x.axes().empty()) check_output(inverse, dtype::f64, x.axes()[0].extent, "inverse");
  rms_norm_backward_options options;
  options.inverse = static_cast<const double*>(inverse.data());
  if (!weight.is_none()) options.weight = nb::cast<const array&>(weight).view();
  const auto output = [](nb::handle handle, dtype type, std::int64_t items, const char* name) {
    if (handle.is_none()) return static_cast<void*>(nullptr);
    const auto& array = nb::cast<const python::array&>(handle);
    check_output(array, type, items, name);
    return array.data();
  };
  void* const to = output(dx, x.type(), x.items(), "dx");
  if (options.weight)
    options.dweight =
        output(dweight, options.weight->type(), nb::cast<const array&>(weight).items(), "dweight");
  run_on(x, stream, [&](const executor& on, const std::stop_token& stop) {
    options.stop = stop;
    return rms_norm_backward(on, x.view(), g.view(), to, options);
  });
}

void softmax_into(const array& x, const array& y, bool logarithm, std::uintptr_t stream) {
  check_output(y, x.type(), x.items(), "y");
  run_on(x, stream, [&](const executor& on, const std::stop_token& stop) {
    return logarithm ? log_softmax(on, x.view(), y.data(), stop)
                     : softmax(on, x.view(), y.data(), stop);
  });
}

// states: of whole rows, one for each row of x, which has parts of them.
void softmax_part_into(const array& x, const array& y, bool logarithm, const nb::list& states,
                       std::uintptr_t stream) {
  check_output(y, x.type(), x.items(), "y");
  std::vector<state> whole;
  for (const nb::handle one : states) whole.push_back(nb::cast<const state&>(one));
  run_on(x, stream, [&](const executor& on, const std::stop_token& stop) {
    return (logarithm ? log_softmax_part : softmax_part)(on, x.view(), y.data(), whole, stop);
  });
}

}  // namespace

void add_normalizations(nb::module_& module) {
  using nb::arg;
  module.def("rms_norm_into", &rms_norm_into, arg("x"), arg("weight").none(), arg("y"),
             arg("inverse"), arg("eps"), arg("stream") = 0);
  module.def("add_rms_norm_into", &add_rms_norm_into, arg("x"), arg("residual"),
             arg("weight").none(), arg("sum"), arg("y"), arg("inverse"), arg("eps"),
             arg("stream") = 0);
  module.def("rms_norm_backward_into", &rms_norm_backward_into, arg("x"), arg("g"),
             arg("weight").none(), arg("inverse"), arg("dx").none(), arg("dweight").none(),
             arg("stream") = 0);
  module.def("softmax_into", &softmax_into, arg("x"), arg("y"), arg("logarithm"),
             arg("stream") = 0);
  module.def("softmax_part_into", &softmax_part_into, arg("x"), arg("y"), arg("logarithm"),
             arg("states"), arg("stream") = 0);
}

}  // namespace onefold::python
