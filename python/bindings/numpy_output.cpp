// SPDX-License-Identifier: Apache-2.0
#include "numpy_output.hpp"

#include <cstring>
#include <iterator>

#include "names.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

// NumPy's objects; kept until the process ends, like the module itself.
struct numpy_objects {
  PyObject* dtypes[std::size(all_dtypes)] = {};  // null: bfloat16's
  PyObject *array = nullptr, *empty = nullptr, *scalar = nullptr, *float64 = nullptr;

  numpy_objects() {
    const nb::module_ numpy = nb::module_::import_("numpy");
    for (const dtype type : all_dtypes)
      if (type != dtype::bf16)
        dtypes[std::size_t(type)] = owned(numpy.attr("dtype")(numpy_name(type)));
    array = owned(numpy.attr("ndarray"));
    empty = owned(numpy.attr("empty"));
    float64 = owned(numpy.attr("float64"));
    // Pickles of scalars call it: it copies bits, where a scalar type's constructor computes.
    scalar = owned(numpy.attr("bool_")(0).attr("__reduce__")()[0]);
  }
  static PyObject* owned(nb::object object) { return object.release().ptr(); }
};

const numpy_objects& objects() {
  static const numpy_objects loaded;
  return loaded;
}

// bfloat16's is ml_dtypes', which may be missing.
nb::object dtype_object(dtype type) {
  if (PyObject* found = objects().dtypes[std::size_t(type)]) return nb::borrow(found);
  return nb::module_::import_("onefold._numpy").attr("numpy_dtype")(int(type));
}

nb::object checked(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

}  // namespace

bool is_numpy_array(PyObject* object) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == objects().array;
}

nb::object numpy_scalar(dtype type, const void* value) {
  if (type == dtype::f64) {  // no conversion: Python's floats have the same bits
    double number = 0;
    std::memcpy(&number, value, sizeof number);
    return nb::handle(objects().float64)(checked(PyFloat_FromDouble(number)));
  }
  const nb::object bits = nb::bytes(value, size_bytes(type));
  return nb::handle(objects().scalar)(dtype_object(type), bits);
}

nb::object shape_tuple(std::span<const std::int64_t> shape) {
  nb::object tuple = checked(PyTuple_New(Py_ssize_t(shape.size())));
  for (std::size_t i = 0; i < shape.size(); ++i)
    PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i),
                    checked(PyLong_FromLongLong(shape[i])).release().ptr());
  return tuple;
}

nb::object numpy_empty(dtype type, std::span<const std::int64_t> shape) {
  return nb::handle(objects().empty)(shape_tuple(shape), dtype_object(type));
}

array memory_of_numpy(nb::handle made, dtype type) {
  if (type != dtype::bf16) return array::from_buffer(made, true);
  return array::from_buffer(made.attr("view")("uint16"), true, type);
}

}  // namespace onefold::python
