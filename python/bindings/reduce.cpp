// SPDX-License-Identifier: Apache-2.0
// The reductions of whole arrays and along axes, statistics, plans and transposes.
#include "reduce.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <onefold/machine.hpp>
#include <onefold/onefold.hpp>

#include "arguments.hpp"
#include "errors.hpp"
#include "names.hpp"
#include "numpy_output.hpp"
#include "run.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

// The arrays that an operator reads: x, and y for products.
struct inputs {
  array x;
  std::optional<array> y;

  inputs(nb::handle first, nb::handle second) : x(array_of(first)) {
    if (!second.is_none()) y = array_of(second);
  }
  static inputs of_tensors(nb::handle first, nb::handle second) {
    inputs made(array::from_tensor(first));
    if (!second.is_none()) made.y = array::from_tensor(second);
    return made;
  }
  result<plan> planned(const executor& executor, op op, const options& options) const {
    return y ? make_plan(executor, op, {x.view(), y->view()}, options)
             : make_plan(executor, op, {x.view()}, options);
  }
  std::int64_t bytes() const { return x.bytes() + (y ? y->bytes() : 0); }
  bool overlaps(const array& other) const { return overlap(x, other) || (y && overlap(*y, other)); }

 private:
  explicit inputs(array first) : x(std::move(first)) {}
};

void reduce_to(op op, const inputs& in, const output_view& output, options& options,
               std::uintptr_t stream) {
  const executor executor = executor_of(in.x, stream);
  // Work on a GPU is only launched here: no thread is needed to watch it.
  const std::int64_t bytes =
      in.x.device() < 0 ? in.bytes() : std::min(in.bytes(), std::int64_t(1) << 20);
  run(bytes, [&](std::stop_token stop) {
    options.stop = std::move(stop);
    if (in.y) return reduce(executor, op, {in.x.view(), in.y->view()}, output, options);
    return reduce(executor, op, {in.x.view()}, output, options);
  });
}

std::vector<std::int64_t> shape_of(op op, const array& x, const options& options) {
  auto shape = answer_shape(x.view(), options);
  if (answers_of(op) > 1) shape.push_back(answers_of(op));
  return shape;
}

// Writes to the caller's array, by way of a new one where it shares memory with an input.
void reduce_to_array(op op, const inputs& in, const std::optional<array>& mask, nb::handle out,
                     int type, options& options) {
  const array target = array_of(out, true);
  if (type >= 0 && dtype(type) != target.type())
    raise(PyExc_TypeError, std::string("dtype is ") + numpy_name(dtype(type)) +
                               ", the elements of out " + numpy_name(target.type()));
  const auto shape = shape_of(op, in.x, options);
  const axis_list& axes = target.axes();
  bool fits = std::size_t(axes.size()) == shape.size();
  for (int i = 0; fits && i < axes.size(); ++i) fits = axes[i].extent == shape[std::size_t(i)];
  if (!fits)
    raise(PyExc_ValueError, "out has another shape than the answers, " +
                                std::string(nb::repr(shape_tuple(shape)).c_str()));
  if (in.overlaps(target) || (mask && overlap(*mask, target))) {
    const nb::object apart = numpy_empty(target.type(), shape);
    const array memory = array_of(apart, true);
    reduce_to(op, in, {memory.data(), memory.type(), memory.axes()}, options, 0);
    out.attr("__setitem__")(nb::ellipsis(), apart);
    return;
  }
  reduce_to(op, in, {target.data(), target.type(), target.axes()}, options, 0);
}

// dtype: the number of a dtype; -1: that of `out`, else the operator's.
nb::object reduce_numpy(int number, nb::handle x, nb::handle y, nb::handle axis, int type,
                        nb::handle keepdims, nb::handle out, nb::handle where, nb::handle initial,
                        nb::handle accuracy, nb::handle nan, nb::handle correction) {
  const auto op = onefold::op(number);
  const inputs in(x, y);
  std::optional<array> mask;
  options options = options_of({axis, where, initial, accuracy, nan, correction, bool_of(keepdims)},
                               in.x.axes().size(), mask);
  if (!out.is_none()) {
    reduce_to_array(op, in, mask, out, type, options);
    return nb::borrow(out);
  }
  const dtype answer = type < 0 ? default_output(op, in.x.type()) : dtype(type);
  const bool all = (options.axes.all() && !options.keepdims) || in.x.axes().empty();
  std::vector<std::int64_t> shape;
  if (!all || answers_of(op) > 1) {
    // A wrong request is refused before its output is allocated.
    check(in.planned(executor::cpu{}, op, options).why());
    shape = shape_of(op, in.x, options);
  }
  if (shape.empty()) {
    alignas(8) std::byte value[8];
    reduce_to(op, in, {value, answer}, options, 0);
    return numpy_scalar(answer, value);
  }
  nb::object made = numpy_empty(answer, shape);
  const array target = array_of(made, true);
  reduce_to(op, in, {target.data(), target.type(), target.axes()}, options, 0);
  return made;
}

// What Python's functions pass on, in this order; the last two may be left out.
enum argument : std::uint8_t {
  op_number,
  first,
  reduced_axes,
  answer_type,
  keeps_axes,
  output,
  mask,
  initial,
  accuracy_word,
  nan_word,
  correction,
  second,
  argument_count
};

bool is_usual(PyObject* const* given) {
  return is_numpy_array(given[first]) && given[answer_type] == Py_None &&
         given[output] == Py_None && (given[mask] == Py_True || given[mask] == Py_None) &&
         (given[second] == Py_None || is_numpy_array(given[second]));
}

nb::object reduce_in_python(PyObject* const* given) {
  static PyObject* const function =
      nb::object(nb::module_::import_("onefold._reductions").attr("_reduce_others"))
          .release()
          .ptr();
  nb::list arguments;
  for (int i = 0; i < argument_count; ++i) arguments.append(nb::handle(given[i]));
  return nb::handle(function)(*arguments);
}

// A reduction of plain arrays of NumPy without a type, an output or a mask: a call as short as it
// can be, for arrays of a few elements. Python does the others, and those whose elements or
// arguments are refused here.
nb::object reduce_usual(PyObject* const* given) {
  if (is_usual(given)) {
    try {
      return reduce_numpy(nb::cast<int>(nb::handle(given[op_number])), given[first], given[second],
                          given[reduced_axes], -1, given[keeps_axes], Py_None, Py_None,
                          given[initial], given[accuracy_word], given[nan_word], given[correction]);
    } catch (const nb::python_error& refused) {
      if (!refused.matches(PyExc_TypeError)) throw;
    }
  }
  return reduce_in_python(given);
}

// Without nanobind's conversion of arguments, which takes as long as a sum of ten elements.
PyObject* reduce_any(PyObject*, PyObject* const* given, Py_ssize_t count) noexcept {
  try {
    PyObject* all[argument_count];
    std::fill(std::begin(all), std::end(all), Py_None);
    std::copy_n(given, std::min<Py_ssize_t>(count, argument_count), all);
    return reduce_usual(all).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

void reduce_into(int number, nb::handle x, nb::handle y, nb::handle out, nb::handle axis,
                 nb::handle keepdims, nb::handle where, nb::handle initial, nb::handle accuracy,
                 nb::handle nan, nb::handle correction, std::uintptr_t stream) {
  const array output = array_of(out, true);
  const inputs in(x, y);
  std::optional<array> mask;
  options options = options_of({axis, where, initial, accuracy, nan, correction, bool_of(keepdims)},
                               in.x.axes().size(), mask);
  if (in.overlaps(output) || (mask && overlap(*mask, output)))
    raise(PyExc_ValueError, "out shares memory with an input");
  reduce_to(onefold::op(number), in, {output.data(), output.type(), output.axes()}, options,
            stream);
}

// Tensors of PyTorch, on the current stream of x's device. out: one that the caller made for this.
void reduce_tensor(int number, nb::handle x, nb::handle y, nb::handle out, nb::handle axis,
                   nb::handle keepdims, nb::handle initial, nb::handle accuracy, nb::handle nan,
                   nb::handle correction) {
  const array output = array::from_tensor(out);
  const inputs in = inputs::of_tensors(x, y);
  std::optional<array> mask;
  options options =
      options_of({axis, nb::none(), initial, accuracy, nan, correction, bool_of(keepdims)},
                 in.x.axes().size(), mask);
  reduce_to(onefold::op(number), in, {output.data(), output.type(), output.axes()}, options,
            stream_of_tensor(x, in.x.device()));
}

// The type and the shape of the answers about a tensor.
nb::tuple answers_of_tensor(int number, nb::handle x, nb::handle axis, nb::handle keepdims) {
  const array in = array::from_tensor(x);
  const op op = onefold::op(number);
  options options;
  options.axes = axes_of(axis, in.axes().size());
  options.keepdims = bool_of(keepdims);
  return nb::make_tuple(int(default_output(op, in.type())), shape_tuple(shape_of(op, in, options)));
}

nb::object shape_of_answers(int number, nb::handle x, nb::handle axis, nb::handle keepdims) {
  const array in = array_of(x);
  options options;
  options.axes = axes_of(axis, in.axes().size());
  options.keepdims = bool_of(keepdims);
  return shape_tuple(shape_of(onefold::op(number), in, options));
}

nb::dict statistics_of(nb::handle x, nb::handle nan) {
  const array in = array_of(x);
  options options;
  options.nan_policy = nan_policy_of(nan);
  statistics found;
  run(in.bytes(), [&](std::stop_token stop) -> status {
    options.stop = std::move(stop);
    auto result = try_stats(executor::cpu{.threads = threads()}, in.view(), options);
    if (result) found = *result;
    return result.why();
  });
  nb::dict named;
  named["count"] = found.count;
  named["nan_count"] = found.nan_count;
  named["sum"] = found.sum;
  named["mean"] = found.mean;
  named["var"] = found.var;
  named["std"] = found.std_dev;
  named["norm2"] = found.norm2;
  named["min"] = found.min;
  named["max"] = found.max;
  named["argmin"] = found.argmin;
  named["argmax"] = found.argmax;
  return named;
}

std::string plan_of(int number, nb::handle x, nb::handle y, nb::handle axis, nb::handle keepdims,
                    nb::handle where, nb::handle accuracy, nb::handle nan) {
  const inputs in(x, y);
  std::optional<array> mask;
  const options options =
      options_of({axis, where, nb::none(), accuracy, nan, nb::none(), bool_of(keepdims)},
                 in.x.axes().size(), mask);
  return to_string(value_of(in.planned(executor_of(in.x, 0), onefold::op(number), options)));
}

void transpose_into(nb::handle x, nb::handle out, std::uintptr_t stream) {
  const array in = array_of(x), target = array_of(out, true);
  if (in.type() != target.type())
    raise(PyExc_TypeError, std::string("out has elements of type ") + numpy_name(target.type()) +
                               ", the matrix of " + numpy_name(in.type()));
  run(in.bytes(), [&](const std::stop_token& stop) {
    return transpose(executor_of(in, stream), in.view(), target.data(), target.axes(), stop);
  });
}

// The names, numbers and traits of the operators.
nb::dict table_of_operators() {
  nb::dict table;
  for (const op op : all_ops) {
    const auto text = name(op);
    table[nb::str(text.data(), text.size())] = int(op);
  }
  return table;
}

// The name of each type in NumPy, and the library's own.
nb::list names_of_types() {
  nb::list names;
  for (const dtype type : all_dtypes) {
    const auto own = name(type);
    names.append(nb::make_tuple(numpy_name(type), nb::str(own.data(), own.size())));
  }
  return names;
}

nb::dict facts_of_the_machine() {
  const machine_facts facts = describe_machine();
  nb::dict named;
  named["cpu"] = nb::str(facts.cpu.c_str());
  named["target"] = nb::str(facts.target_active.c_str());
  named["threads"] = facts.threads;
  named["threads_reason"] = nb::str(facts.threads_reason.c_str());
  named["threads_backend"] = nb::str(facts.threads_backend.c_str());
  named["gpus"] = int(facts.gpus.size());
  named["gpu_why_none"] = nb::str(facts.gpu_why_none.c_str());
  return named;
}

}  // namespace

void add_reductions(nb::module_& module) {
  using nb::arg;
  module.def("reduce", &reduce_numpy, arg("op"), arg("x").none(), arg("y").none(),
             arg("axis").none(), arg("dtype"), arg("keepdims"), arg("out").none(),
             arg("where").none(), arg("initial").none(), arg("accuracy").none(), arg("nan").none(),
             arg("correction").none());
  static PyMethodDef any = {
      "reduce_any", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&reduce_any)),
      METH_FASTCALL, "Any reduction, with the arguments in their order."};
  module.attr("reduce_any") = nb::steal(PyCFunction_NewEx(&any, nullptr, nullptr));
  module.def("reduce_into", &reduce_into, arg("op"), arg("x"), arg("y").none(), arg("output"),
             arg("axis").none(), arg("keepdims"), arg("where").none(), arg("initial").none(),
             arg("accuracy"), arg("nan"), arg("correction").none(), arg("stream") = 0);
  module.def("reduce_tensor", &reduce_tensor, arg("op"), arg("x"), arg("y").none(), arg("out"),
             arg("axis").none(), arg("keepdims"), arg("initial").none(), arg("accuracy"),
             arg("nan"), arg("correction").none());
  module.def("answers_of_tensor", &answers_of_tensor, arg("op"), arg("x"), arg("axis").none(),
             arg("keepdims"));
  module.def("answer_shape", &shape_of_answers, arg("op"), arg("x"), arg("axis").none(),
             arg("keepdims"));
  module.def("default_output",
             [](int op, int type) { return int(default_output(onefold::op(op), dtype(type))); });
  module.def("stats", &statistics_of, arg("x"), arg("nan"));
  module.def("plan", &plan_of, arg("op"), arg("x"), arg("y").none(), arg("axis").none(),
             arg("keepdims"), arg("where").none(), arg("accuracy"), arg("nan"));
  module.def("transpose_into", &transpose_into, arg("x"), arg("out"), arg("stream"));
  module.def("machine", &facts_of_the_machine);
  module.def("threads", &threads);
  module.def("set_threads", &set_threads);
  module.attr("operators") = table_of_operators();
  module.attr("dtypes") = names_of_types();
}

}  // namespace onefold::python
