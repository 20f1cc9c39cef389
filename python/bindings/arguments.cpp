// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "errors.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

std::atomic<int> threads_of_a_call = 0;

std::string_view text_of(nb::handle word, const char* argument) {
  Py_ssize_t size = 0;
  const char* text =
      PyUnicode_Check(word.ptr()) != 0 ? PyUnicode_AsUTF8AndSize(word.ptr(), &size) : nullptr;
  if (text == nullptr)
    raise(PyExc_TypeError,
          std::string(argument) + " must be a string, not '" + type_of_object(word) + "'");
  return {text, std::size_t(size)};
}

int axis_number(nb::handle axis, int rank) {
  const std::int64_t number = integer_of(axis, "axis");
  if (number < -rank || number >= rank) {
    const nb::object error = nb::module_::import_("numpy").attr("exceptions").attr("AxisError");
    raise(error.ptr(), "axis " + std::to_string(number) + " is out of bounds for an array of " +
                           std::to_string(rank) + (rank == 1 ? " axis" : " axes"));
  }
  return int(number);
}

struct binary_format {
  std::string_view name;
  int fraction_bits, exponent_bits;
};
constexpr binary_format narrow_formats[] = {
    {"float16", 10, 5}, {"bfloat16", 7, 8}, {"float32", 23, 8}};

// No step has a subnormal operand or value: a double has a normal number for each of a float's.
double value_of_bits(std::uint32_t bits, const binary_format& format) {
  const std::uint32_t hidden = 1u << format.fraction_bits, fraction = bits & (hidden - 1);
  const int largest = (1 << format.exponent_bits) - 1;
  const int exponent = int(bits >> format.fraction_bits) & largest;
  const int scale = std::max(exponent, 1) - largest / 2 - format.fraction_bits;
  double value = std::ldexp(double(exponent == 0 ? fraction : fraction + hidden), scale);
  if (exponent == largest) value = fraction == 0 ? HUGE_VAL : std::nan("");
  return bits >> (format.fraction_bits + format.exponent_bits) != 0 ? -value : value;
}

// The value of a scalar of NumPy's or ml_dtypes', or of an array of one element, by its bits:
// `float()` of a float32 is a conversion, which loses subnormals where DAZ is set.
std::optional<double> value_of_narrow_float(nb::handle number) {
  const nb::object type = nb::getattr(number, "dtype", nb::none());
  const nb::object name = nb::getattr(type, "name", nb::none());
  if (PyUnicode_Check(name.ptr()) == 0 || !nb::hasattr(number, "tobytes") ||
      !bool_of(nb::getattr(type, "isnative", nb::bool_(false))))
    return std::nullopt;
  for (const binary_format& format : narrow_formats) {
    if (text_of(name, "dtype") != format.name) continue;
    const auto data = nb::cast<nb::bytes>(number.attr("tobytes")());
    const std::size_t size = std::size_t(1 + format.fraction_bits + format.exponent_bits) / 8;
    if (data.size() != size) return std::nullopt;
    std::uint16_t half = 0;
    std::uint32_t bits = 0;
    std::memcpy(size == 2 ? static_cast<void*>(&half) : &bits, data.data(), size);
    return value_of_bits(bits | half, format);
  }
  return std::nullopt;
}

}  // namespace

array array_of(nb::handle object, bool writable) {
  if (const array_class * own; nb::try_cast(object, own, false)) {
    if (writable && !own->writable()) raise(PyExc_ValueError, "the output is read-only");
    return *own;
  }
  if (PyCapsule_CheckExact(object.ptr()) != 0) return array::from_dlpack(object, writable);
  return array::from_buffer(object, writable);
}

axis_set axes_of(nb::handle axis, int rank) {
  if (axis.is_none()) return all_axes;
  if (PyTuple_Check(axis.ptr()) == 0 && PyList_Check(axis.ptr()) == 0)
    return {axis_number(axis, rank)};
  int numbers[max_rank + 1];
  std::size_t count = 0;
  for (const nb::handle one : nb::borrow<nb::sequence>(axis)) {
    const int number = axis_number(one, rank);
    if (count <= std::size_t(max_rank)) numbers[count++] = number;
  }
  return axis_set(std::span<const int>(numbers, count));
}

std::int64_t integer_of(nb::handle number, const char* argument) {
  if (PyIndex_Check(number.ptr()) == 0)
    raise(PyExc_TypeError,
          std::string(argument) + " must be an integer, not '" + type_of_object(number) + "'");
  const Py_ssize_t value = PyNumber_AsSsize_t(number.ptr(), PyExc_OverflowError);
  if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return value;
}

scalar scalar_of(nb::handle number, const char* argument) {
  PyObject* object = number.ptr();
  if (PyFloat_Check(object) == 0 && PyLong_Check(object) == 0)
    if (const auto value = value_of_narrow_float(number)) return *value;
  nb::object integer;
  if (PyFloat_Check(object) == 0 && PyIndex_Check(object) != 0) {
    integer = nb::steal(PyNumber_Index(object));
    if (!integer.is_valid()) PyErr_Clear();  // an array of one float
  }
  if (integer.is_valid()) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (overflow == 0) return std::int64_t(value);
    if (overflow > 0) {
      const unsigned long long large = PyLong_AsUnsignedLongLong(integer.ptr());
      if (PyErr_Occurred() == nullptr) return std::uint64_t(large);
      PyErr_Clear();
    }
    raise(PyExc_OverflowError, std::string(argument) + " must fit 64 bits");
  }
  const double value = PyComplex_Check(object) != 0 ? -1 : PyFloat_AsDouble(object);
  if (PyComplex_Check(object) != 0 || (value == -1 && PyErr_Occurred() != nullptr)) {
    PyErr_Clear();
    raise(PyExc_TypeError,
          std::string(argument) + " must be a real number, not '" + type_of_object(object) + "'");
  }
  return value;
}

bool bool_of(nb::handle object) {
  const int value = PyObject_IsTrue(object.ptr());
  if (value < 0) throw nb::python_error();
  return value != 0;
}

accuracy accuracy_of(nb::handle word) {
  const std::string_view text = text_of(word, "accuracy");
  for (const accuracy one : {accuracy::exact, accuracy::fast})
    if (text == name(one)) return one;
  raise(PyExc_ValueError, "accuracy must be 'exact' or 'fast', not '" + std::string(text) + "'");
}

nan_policy nan_policy_of(nb::handle word) {
  const std::string_view text = text_of(word, "nan");
  for (const nan_policy one : {nan_policy::propagate, nan_policy::omit, nan_policy::error})
    if (text == name(one)) return one;
  raise(PyExc_ValueError,
        "nan must be 'propagate', 'omit' or 'error', not '" + std::string(text) + "'");
}

int threads() noexcept {
  return threads_of_a_call.load(std::memory_order_relaxed);
}

void set_threads(nb::handle threads) {
  const std::int64_t count = integer_of(threads, "threads");
  if (!std::in_range<std::uint16_t>(count))
    raise(PyExc_ValueError,
          "threads must be from 0 (as many as there are) to 65535, not " + std::to_string(count));
  threads_of_a_call.store(int(count), std::memory_order_relaxed);
}

executor executor_of(const array& x, std::uintptr_t stream) {
  if (x.device() < 0) return executor::cpu{.threads = threads()};
  return executor::cuda{.stream = reinterpret_cast<void*>(stream), .device = x.device()};
}

options options_of(const arguments& given, int rank, std::optional<array>& where) {
  options options;
  options.axes = axes_of(given.axis, rank);
  options.keepdims = given.keepdims;
  options.accuracy = accuracy_of(given.accuracy);
  options.nan_policy = nan_policy_of(given.nan);
  if (!given.where.is_none()) {
    where = array_of(given.where);
    options.where = where->view();
  }
  if (!given.initial.is_none()) options.initial = scalar_of(given.initial, "initial");
  if (!given.correction.is_none())
    options.correction =
        scalar_of(given.correction, "correction").visit([](auto number) { return double(number); });
  return options;
}

}  // namespace onefold::python
