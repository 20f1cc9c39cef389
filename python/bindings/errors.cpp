// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include "names.hpp"

namespace onefold::python {
namespace {

// ValueError, TypeError, OverflowError …

PyObject* exception_of(status_code code) {
  switch (code) {
  case status_code::io_error:
    return PyExc_OSError;
  case status_code::overflow:
    return PyExc_OverflowError;
  case status_code::unsupported:
    return PyExc_TypeError;
  case status_code::out_of_memory:
    return PyExc_MemoryError;
  case status_code::cancelled:
    return PyExc_KeyboardInterrupt;
  case status_code::unsound_arithmetic:
    return PyExc_ArithmeticError;
  case status_code::device_error:
    return PyExc_RuntimeError;
  case status_code::ok:
  case status_code::usage:
  case status_code::malformed:
  case status_code::empty:
  case status_code::not_a_number:
  case status_code::missing_value:
  case status_code::mismatch:
    break;
  }
  return PyExc_ValueError;
}

}  // namespace

std::string type_of_object(nanobind::handle object) {
  return nanobind::str(object.type().attr("__name__")).c_str();
}

void raise(PyObject* exception, const std::string& message) {
  // A message may quote bytes that are not UTF-8.
  const auto text = nanobind::steal(
      PyUnicode_DecodeUTF8(message.data(), Py_ssize_t(message.size()), "backslashreplace"));
  if (text.is_valid()) PyErr_SetObject(exception, text.ptr());
  throw nanobind::python_error();
}

void raise(const status& status) {
  raise(exception_of(status.code()), in_python_words(status.message()));
}

}  // namespace onefold::python
