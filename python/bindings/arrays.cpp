// SPDX-License-Identifier: Apache-2.0
#include "arrays.hpp"

#include <nanobind/ndarray.h>

#include <bit>
#include <string>
#include <string_view>
#include <utility>

#include "errors.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

std::string type_of_object(nb::handle object) {
  return Py_TYPE(object.ptr())->tp_name;
}

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

void check_rank(std::size_t rank) {
  if (rank > std::size_t(max_rank))
    raise(PyExc_ValueError, "an array of " + std::to_string(rank) + " axes; at most " +
                                std::to_string(max_rank) + " are supported");
}

[[noreturn]] void refuse_elements(std::string_view elements) {
  raise(PyExc_TypeError,
        "elements of type '" + std::string(elements) +
            "' are not supported; give bool, integers of 8 to 64 bits, float16, bfloat16, float32 "
            "or float64 in this machine's byte order");
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

// The element type of a DLPack array.
std::optional<dtype> type_of(const nb::dlpack::dtype& type) {
  using code = nb::dlpack::dtype_code;
  if (type.lanes != 1 || type.bits % 8 != 0) return std::nullopt;
  switch (code(type.code)) {
  case code::Bool:
    return type.bits == 8 ? std::optional(dtype::boolean) : std::nullopt;
  case code::Int:
    return integer_type(true, type.bits / 8);
  case code::UInt:
    return integer_type(false, type.bits / 8);
  case code::Bfloat:
    return type.bits == 16 ? std::optional(dtype::bf16) : std::nullopt;
  case code::Float:
    break;
  default:
    return std::nullopt;
  }
  switch (type.bits) {
  case 16:
    return dtype::f16;
  case 32:
    return dtype::f32;
  case 64:
    return dtype::f64;
  default:
    return std::nullopt;
  }
}

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

array array::from_buffer(nb::handle object, bool writable, std::optional<dtype> type) {
  const auto held = std::make_shared<released_buffer>();
  Py_buffer& buffer = held->buffer;
  if (PyObject_CheckBuffer(object.ptr()) == 0)
    raise(PyExc_TypeError, "'" + type_of_object(object) + "' is not an array");
  if (PyObject_GetBuffer(object.ptr(), &buffer, writable ? PyBUF_RECORDS : PyBUF_RECORDS_RO) != 0) {
    const nb::python_error cause;
    if (writable && cause.matches(PyExc_BufferError))
      raise(PyExc_ValueError, std::string("the output cannot be written: ") + cause.what());
    refuse_elements(cause.what());
  }
  held->held = true;
  check_rank(std::size_t(buffer.ndim));

  const std::string_view format = buffer.format != nullptr ? buffer.format : "B";
  if (!type) type = type_of_format(format, std::size_t(buffer.itemsize));
  if (!type) refuse_elements(format);
  if (size_bytes(*type) != std::size_t(buffer.itemsize))
    raise(PyExc_TypeError, "items of " + std::to_string(buffer.itemsize) + " bytes are not " +
                               std::string(name(*type)));
  array result;
  result.data_ = buffer.buf;
  result.type_ = *type;
  result.writable_ = buffer.readonly == 0;
  for (int i = 0; i < buffer.ndim; ++i)
    result.axes_.push_back({buffer.shape[i], buffer.strides[i]});
  result.owner_ = held;
  return result;
}

array array::from_dlpack(nb::handle capsule, bool writable) {
  if (!PyCapsule_CheckExact(capsule.ptr()))
    raise(PyExc_TypeError, "'" + type_of_object(capsule) + "' is not a DLPack capsule");
  nb::ndarray<> changeable;
  nb::ndarray<nb::ro> source;
  if (writable) {
    if (!nb::try_cast(capsule, changeable, false))
      raise(PyExc_ValueError, "the output cannot be written: its DLPack capsule is read-only, "
                              "invalid or was used before");
    source = nb::ndarray<nb::ro>(changeable);
  } else if (!nb::try_cast(capsule, source, false)) {
    raise(PyExc_TypeError, "the DLPack capsule is invalid or was used before");
  }
  const auto type = type_of(source.dtype());
  if (!type)
    refuse_elements("DLPack code " + std::to_string(source.dtype().code) + ", " +
                    std::to_string(source.dtype().bits) + " bits");
  check_rank(source.ndim());
  array result;
  const int kind = source.device_type();
  const bool on_gpu = kind == nb::device::cuda::value || kind == nb::device::cuda_managed::value;
  if (!on_gpu && kind != nb::device::cpu::value && kind != nb::device::cuda_host::value)
    raise(PyExc_TypeError, "arrays of DLPack's device type " + std::to_string(kind) +
                               " are not supported; copy it to the host or to a CUDA device");
  if (on_gpu) result.device_ = source.device_id();
  result.data_ = const_cast<void*>(source.data());
  result.type_ = *type;
  result.writable_ = writable;
  for (std::size_t i = 0; i < source.ndim(); ++i)
    result.axes_.push_back(
        {std::int64_t(source.shape(i)), source.stride(i) * std::int64_t(size_bytes(*type))});
  result.owner_ = std::make_shared<nb::ndarray<nb::ro>>(std::move(source));
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
