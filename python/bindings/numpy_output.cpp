// SPDX-License-Identifier: Apache-2.0
#include "numpy_output.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string>
#include <type_traits>

#include "errors.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

// NumPy's objects; kept until the process ends, like the module itself.
struct numpy_names {
  PyObject* types[std::size(all_dtypes)] = {};
  PyObject* empty = nullptr;

  numpy_names() {
    const nb::module_ numpy = nb::module_::import_("numpy");
    constexpr const char* names[] = {"bool_", "int8",    "int16",  "int32",  "int64",
                                     "uint8", "uint16",  "uint32", "uint64", "float16",
                                     nullptr, "float32", "float64"};
    static_assert(std::size(names) == std::size(all_dtypes));
    for (std::size_t i = 0; i < std::size(names); ++i)
      if (names[i] != nullptr) types[i] = nb::object(numpy.attr(names[i])).release().ptr();
    empty = nb::object(numpy.attr("empty")).release().ptr();
  }
};

const numpy_names& names() {
  static const numpy_names loaded;
  return loaded;
}

PyObject* type_of(dtype type) {
  PyObject* found = names().types[std::size_t(type)];
  if (found == nullptr) raise(PyExc_TypeError, "NumPy has no " + std::string(name(type)));
  return found;
}

double value_of_half(f16 x) {
  const int exponent = x.bits >> 10 & 31, fraction = x.bits & 1023;
  double value = std::ldexp(exponent == 0 ? fraction : fraction + 1024, std::max(exponent, 1) - 25);
  if (exponent == 31) value = fraction == 0 ? HUGE_VAL : std::nan("");
  return x.bits >> 15 != 0 ? -value : value;
}

nb::object checked(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

}  // namespace

nb::object numpy_scalar(dtype type, const void* value) {
  PyObject* scalar_type = type_of(type);
  const nb::object number = with_type(type, [&]<class T>(detail::tag<T>) {
    T x;
    std::memcpy(&x, value, sizeof x);
    if constexpr (std::is_same_v<T, bool>)
      return nb::object(nb::bool_(x));
    else if constexpr (std::is_same_v<T, f16>)
      return checked(PyFloat_FromDouble(value_of_half(x)));
    else if constexpr (std::is_same_v<T, bf16>)
      return nb::object();  // type_of() refused it
    else if constexpr (std::is_floating_point_v<T>)
      return checked(PyFloat_FromDouble(double(x)));
    else if constexpr (std::is_unsigned_v<T>)
      return checked(PyLong_FromUnsignedLongLong(x));
    else
      return checked(PyLong_FromLongLong(x));
  });
  return nb::handle(scalar_type)(number);
}

nb::object shape_tuple(std::span<const std::int64_t> shape) {
  nb::object tuple = checked(PyTuple_New(Py_ssize_t(shape.size())));
  for (std::size_t i = 0; i < shape.size(); ++i)
    PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i),
                    checked(PyLong_FromLongLong(shape[i])).release().ptr());
  return tuple;
}

nb::object numpy_empty(dtype type, std::span<const std::int64_t> shape) {
  PyObject* scalar_type = type_of(type);
  const nb::object tuple = shape_tuple(shape);
  return checked(PyObject_CallFunctionObjArgs(names().empty, tuple.ptr(), scalar_type, nullptr));
}

}  // namespace onefold::python
