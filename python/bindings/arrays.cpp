// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "errors.hpp"
#include "names.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

// The element type of a format of the struct module.
std::optional<dtype> type_of_format(std::string_view format, std::size_t size) {
  constexpr bool little = std::endian::native == std::endian::little;
  if (!format.empty()) {
    const char order = format.front();
    if (order == '@' || order == '=' || order == (little ? '<' : '>')) format.remove_prefix(1);
  }
  if (format.size() != 1) return std::nullopt;
  const char code = format.front();
  if (std::string_view("bhilqn").find(code) != format.npos) return integer_type(true, size);
  if (std::string_view("BHILQN").find(code) != format.npos) return integer_type(false, size);
  switch (code) {
  case '?':
    return dtype::boolean;
  case 'e':
    return dtype::f16;
  case 'f':
    return dtype::f32;
  case 'd':
    return dtype::f64;
  default:
    return std::nullopt;
  }
}

struct released_buffer {
  Py_buffer buffer{};
  bool held = false;

  released_buffer() = default;
  released_buffer(const released_buffer&) = delete;
  released_buffer& operator=(const released_buffer&) = delete;
  // The last owner may be on a thread without the interpreter's lock.
  ~released_buffer() {
    if (!held) return;
    const nb::gil_scoped_acquire acquired;
    PyBuffer_Release(&buffer);
  }
};

// The first byte and the one after the last.
std::pair<const char*, const char*> range_of(const array& x) {
  const char *first = static_cast<const char*>(x.data()), *last = first;
  for (const axis_layout& axis : x.axes()) {
    if (axis.extent == 0) return {first, first};
    const std::int64_t step = (axis.extent - 1) * axis.stride_bytes;
    (step < 0 ? first : last) += step;
  }
  return {first, last + size_bytes(x.type())};
}

}  // namespace

std::optional<dtype> integer_type(bool is_signed, std::size_t size) {
  switch (size) {
  case 1:
    return is_signed ? dtype::i8 : dtype::u8;
  case 2:
    return is_signed ? dtype::i16 : dtype::u16;
  case 4:
    return is_signed ? dtype::i32 : dtype::u32;
  case 8:
    return is_signed ? dtype::i64 : dtype::u64;
  default:
    return std::nullopt;
  }
}

void check_rank(std::size_t rank) {
  if (rank > std::size_t(max_rank))
    raise(PyExc_ValueError, "an array of " + std::to_string(rank) + " axes; at most " +
                                std::to_string(max_rank) + " are supported");
}

void refuse_elements(std::string_view elements, bool output) {
  raise(PyExc_TypeError,
        std::string(output ? "an output" : "an array") + " of elements of type '" +
            std::string(elements) +
            "' is not supported; give bool, integers of 8 to 64 bits, float16, bfloat16, float32 "
            "or float64 in this machine's byte order");
}

array array::from_buffer(nb::handle object, bool writable, std::optional<dtype> type) {
  const auto held = std::make_shared<released_buffer>();
  Py_buffer& buffer = held->buffer;
  if (PyObject_CheckBuffer(object.ptr()) == 0)
    raise(PyExc_TypeError, "'" + type_of_object(object) + "' is not an array");
  if (PyObject_GetBuffer(object.ptr(), &buffer, writable ? PyBUF_RECORDS : PyBUF_RECORDS_RO) != 0) {
    const nb::python_error cause;
    if (writable && PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_RECORDS_RO) == 0) {
      held->held = true;
      raise(PyExc_ValueError, "the output is read-only; give an array that can be written");
    }
    PyErr_Clear();
    refuse_elements(cause.what(), writable);
  }
  held->held = true;
  check_rank(std::size_t(buffer.ndim));

  const std::string_view format = buffer.format != nullptr ? buffer.format : "B";
  if (!type) type = type_of_format(format, std::size_t(buffer.itemsize));
  if (!type) refuse_elements(format, writable);
  if (size_bytes(*type) != std::size_t(buffer.itemsize))
    raise(PyExc_TypeError,
          "items of " + std::to_string(buffer.itemsize) + " bytes are not " + numpy_name(*type));
  array result;
  result.data_ = buffer.buf;
  result.type_ = *type;
  result.writable_ = buffer.readonly == 0;
  if (buffer.strides != nullptr) {
    for (int i = 0; i < buffer.ndim; ++i)
      result.axes_.push_back({buffer.shape[i], buffer.strides[i]});
  } else {  // ctypes
    std::int64_t extents[max_rank];
    std::copy_n(buffer.shape, buffer.ndim, extents);
    result.axes_ = row_major(std::span(extents, std::size_t(buffer.ndim)), buffer.itemsize);
  }
  result.owner_ = held;
  return result;
}

array array::from_memory(void* data, dtype type, std::int64_t extent, std::shared_ptr<void> owner) {
  array result;
  result.data_ = data;
  result.type_ = type;
  result.axes_.push_back({extent, std::int64_t(size_bytes(type))});
  result.owner_ = std::move(owner);
  return result;
}

array array::broadcast_to(std::span<const std::int64_t> shape) const {
  const int added = int(shape.size()) - axes_.size();
  if (added < 0) raise(PyExc_ValueError, "an array does not broadcast to fewer axes");
  check_rank(shape.size());
  array result = *this;
  result.writable_ = false;
  result.axes_.resize(0);
  for (int i = 0; i < int(shape.size()); ++i) {
    const std::int64_t extent = shape[std::size_t(i)];
    const axis_layout own = i < added ? axis_layout{1, 0} : axes_[i - added];
    if (own.extent != extent && own.extent != 1)
      raise(PyExc_ValueError, "an axis of " + std::to_string(own.extent) +
                                  " elements does not broadcast to " + std::to_string(extent));
    result.axes_.push_back({extent, own.extent == extent ? own.stride_bytes : 0});
  }
  return result;
}

array array::as(dtype type) const {
  array result = *this;
  result.type_ = type;
  return result;
}

std::int64_t array::items() const noexcept {
  std::int64_t product = 1;
  for (const axis_layout& axis : axes_) product *= axis.extent;
  return product;
}

bool overlap(const array& a, const array& b) {
  if (a.device() != b.device()) return false;
  const auto [a_first, a_last] = range_of(a);
  const auto [b_first, b_last] = range_of(b);
  return a_first < b_last && b_first < a_last;
}

}  // namespace onefold::python
