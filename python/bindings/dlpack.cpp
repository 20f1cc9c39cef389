// SPDX-License-Identifier: Apache-2.0
// Arrays from DLPack: from capsules, and from tensors by the exchange API of their type. Every
// field is checked before it is used.
#include "dlpack.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "arrays.hpp"
#include "errors.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

constexpr std::uint64_t read_only = 1;
enum device_type : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum type_code : std::uint8_t {
  int_code = 0,
  uint_code = 1,
  float_code = 2,
  bfloat = 4,
  complex_code = 5,
  bool_code = 6,
  float8_first = 7,
  float8_last = 14
};

// The last owner may be on a thread without the interpreter's lock.
template <class M>
std::shared_ptr<void> owner_of(M* tensor) {
  return {tensor, [](M* last) {
            const nb::gil_scoped_acquire acquired;
            if (last->deleter != nullptr) last->deleter(last);
          }};
}

std::optional<dtype> type_of(const dl_tensor& x) {
  if (x.lanes != 1 || x.bits % 8 != 0) return std::nullopt;
  switch (x.code) {
  case bool_code:
    return x.bits == 8 ? std::optional(dtype::boolean) : std::nullopt;
  case int_code:
  case uint_code:
    return integer_type(x.code == int_code, x.bits / 8);
  case bfloat:
    return x.bits == 16 ? std::optional(dtype::bf16) : std::nullopt;
  case float_code:
    break;
  default:
    return std::nullopt;
  }
  switch (x.bits) {
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

std::string name_of(const dl_tensor& x) {
  if (x.code == complex_code) return "complex" + std::to_string(x.bits);
  if (x.code >= float8_first && x.code <= float8_last) return "float8";
  return "DLPack code " + std::to_string(x.code) + ", " + std::to_string(x.bits) + " bits, " +
         std::to_string(x.lanes) + " lanes";
}

[[noreturn]] void refuse_layout(const std::string& why) {
  raise(PyExc_ValueError, "the DLPack capsule is malformed: " + why);
}

// The extents and the strides in bytes. Refuses elements beyond the address space.
axis_list axes_of(const dl_tensor& x, std::int64_t size) {
  if (x.ndim < 0) refuse_layout("a negative number of axes");
  check_rank(std::size_t(x.ndim));
  if (x.ndim > 0 && x.shape == nullptr) refuse_layout("axes without a shape");
  axis_list axes;
  bool empty = false;
  for (int i = 0; i < x.ndim; ++i) {
    if (x.shape[i] < 0) refuse_layout("a negative extent");
    empty = empty || x.shape[i] == 0;
    axes.push_back({x.shape[i], 0});
  }
  if (empty) return axes;
  std::int64_t items = 1, reach = size, row = size;
  for (int i = x.ndim - 1; i >= 0; --i) {
    const std::int64_t extent = x.shape[i];
    std::int64_t stride = row, step = 0;
    bool over = __builtin_mul_overflow(items, extent, &items);
    if (extent > 1) {
      if (x.strides != nullptr) over |= __builtin_mul_overflow(x.strides[i], size, &stride);
      over |= __builtin_mul_overflow(stride, extent - 1, &step);
      over = over || step == std::numeric_limits<std::int64_t>::min();
      over = over || __builtin_add_overflow(reach, step < 0 ? -step : step, &reach);
    }
    over |= __builtin_mul_overflow(row, extent, &row);
    if (over) refuse_layout("extents and strides beyond 2^63 bytes");
    axes[i].stride_bytes = extent > 1 ? stride : size;
  }
  if (x.data == nullptr) refuse_layout("elements at address 0");
  return axes;
}

// The exchange API of the type of `object`; null if it has none that is known here.
const dl_exchange_api* exchange_api_of(nb::handle object) {
  static PyObject* const name = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  PyObject* const found =
      PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())), name);
  const nb::object capsule = nb::steal(found);
  const auto* api =
      found == nullptr
          ? nullptr
          : static_cast<const dl_exchange_api*>(PyCapsule_GetPointer(found, "dlpack_exchange_api"));
  if (api == nullptr) PyErr_Clear();
  while (api != nullptr && api->major != 1) api = api->older;
  return api;
}

void check_exchange(int failed) {
  if (failed == 0) return;
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  raise(PyExc_RuntimeError, "DLPack's exchange API failed, and gave no reason");
}

}  // namespace

array array::described_by(const dl_tensor& x, bool writable) {
  const auto type = type_of(x);
  if (!type) refuse_elements(name_of(x), writable);
  const bool on_gpu = x.device_type == cuda || x.device_type == cuda_managed;
  if (!on_gpu && x.device_type != cpu && x.device_type != cuda_host)
    raise(PyExc_TypeError, "arrays of DLPack's device type " + std::to_string(x.device_type) +
                               " are not supported; copy it to the host or to a CUDA device");
  if (on_gpu && x.device_id < 0) refuse_layout("a negative device number");
  array result;
  result.axes_ = axes_of(x, std::int64_t(size_bytes(*type)));
  result.data_ = static_cast<char*>(x.data) + (x.data != nullptr ? x.byte_offset : 0);
  result.type_ = *type;
  result.writable_ = true;
  if (on_gpu) result.device_ = x.device_id;
  return result;
}

array array::from_tensor(nb::handle tensor) {
  const dl_exchange_api* const api = exchange_api_of(tensor);
  if (api == nullptr || api->describe == nullptr)
    return from_dlpack(nb::module_::import_("torch.utils.dlpack").attr("to_dlpack")(tensor), false);
  dl_tensor x{};
  check_exchange(api->describe(tensor.ptr(), &x));
  return described_by(x, false);
}

std::uintptr_t stream_of_tensor(nb::handle tensor, int device) {
  if (device < 0) return 0;
  const dl_exchange_api* const api = exchange_api_of(tensor);
  if (api == nullptr)
    return nb::cast<std::uintptr_t>(
        nb::module_::import_("onefold._libraries").attr("stream_of_tensor")(tensor));
  void* stream = nullptr;
  check_exchange(api->stream_of(cuda, device, &stream));
  return reinterpret_cast<std::uintptr_t>(stream);
}

array array::from_dlpack(nb::handle capsule, bool writable) {
  PyObject* object = capsule.ptr();
  if (PyCapsule_CheckExact(object) == 0)
    raise(PyExc_TypeError, "'" + type_of_object(object) + "' is not a DLPack capsule");
  const char* name = PyCapsule_GetName(object);
  const std::string_view text = name != nullptr ? name : "";
  const bool versioned = text == "dltensor_versioned";
  if (!versioned && text != "dltensor")
    raise(PyExc_TypeError, "a capsule named '" + std::string(text) +
                               "' is not a DLPack capsule, or was used before");
  void* const memory = PyCapsule_GetPointer(object, name);
  if (memory == nullptr) throw nb::python_error();
  auto* const with_version = static_cast<dl_managed_versioned*>(memory);
  auto* const plain = static_cast<dl_managed*>(memory);
  if (versioned && with_version->major != 1)
    raise(PyExc_TypeError, "a DLPack capsule of version " + std::to_string(with_version->major) +
                               " is not supported; onefold reads version 1");
  const dl_tensor& x = versioned ? with_version->tensor : plain->tensor;
  array result = described_by(x, writable);
  result.writable_ = !versioned || (with_version->flags & read_only) == 0;
  if (writable && !result.writable_)
    raise(PyExc_ValueError, "the output cannot be written: its DLPack capsule is read-only");

  // Renamed, the capsule no longer owns the memory.
  if (PyCapsule_SetName(object, versioned ? "used_dltensor_versioned" : "used_dltensor") != 0)
    throw nb::python_error();
  result.owner_ = versioned ? owner_of(with_version) : owner_of(plain);
  return result;
}

}  // namespace onefold::python
