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

// What follows the rows of a call: `answers` rows, and those that they begin with, or None.
struct answer_rows {
  void* out;
  std::int64_t answers;
  scatter_options options;

  answer_rows(const tensor_rows& x, nb::handle tensor, nb::handle initial, int role) {
    const tensor_rows made(tensor, 1);
    answers = made.rows();
    out = x.beside(tensor, answers * x.n(), x.type()).data;
    options.role = initial_role(role);
    if (initial.is_none()) return;
    options.initial = tensor_rows(initial, 1, made).view();
  }
};

void scatter_rows(nb::handle tensor, nb::handle keys, nb::handle initial, nb::handle out,
                  bool is_mean, int role) {
  const tensor_rows x(tensor, 1);
  const auto list = x.beside(keys, x.rows());
  answer_rows to(x, out, initial, role);
  x.run([&](const executor& on, const std::stop_token& stop) {
    to.options.stop = stop;
    return onefold::scatter_rows(on, op_of(is_mean), x.view(), list.view(), to.out, to.answers,
                                 to.options);
  });
}

void segment_rows(nb::handle tensor, nb::handle offsets, nb::handle initial, nb::handle out,
                  bool is_mean, int role) {
  const tensor_rows x(tensor, 1);
  answer_rows to(x, out, initial, role);
  const auto list = x.beside(offsets, to.answers + 1, dtype::i64);
  x.run([&](const executor& on, const std::stop_token& stop) {
    to.options.stop = stop;
    return onefold::segment_rows(on, op_of(is_mean), x.view(), list.view(), to.out, to.options);
  });
}

}  // namespace

void add_scatter(nb::module_& module) {
  using nb::arg;
  module.def("scatter_rows", &scatter_rows, arg("x"), arg("keys"), arg("initial").none(),
             arg("out"), arg("is_mean"), arg("role"));
  module.def("segment_rows", &segment_rows, arg("x"), arg("offsets"), arg("initial").none(),
             arg("out"), arg("is_mean"), arg("role"));
}

}  // namespace onefold::python
