// SPDX-License-Identifier: Apache-2.0
// The class Array: memory that the package's Python files hand to the module's functions.
#include <nanobind/nanobind.h>

#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "errors.hpp"
#include "numpy_output.hpp"
#include "reduce.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

array from_buffer(nb::handle object, int type, bool writable) {
  return array::from_buffer(object, writable, type < 0 ? std::nullopt : std::optional(dtype(type)));
}

nb::object shape_of(const array& x) {
  std::vector<std::int64_t> extents;
  for (const axis_layout& axis : x.axes()) extents.push_back(axis.extent);
  return shape_tuple(extents);
}

nb::object strides_of(const array& x) {
  std::vector<std::int64_t> strides;
  for (const axis_layout& axis : x.axes()) strides.push_back(axis.stride_bytes);
  return shape_tuple(strides);
}

array broadcast_to(const array& x, const nb::tuple& shape) {
  std::vector<std::int64_t> extents;
  for (const nb::handle extent : shape) extents.push_back(nb::cast<std::int64_t>(extent));
  return x.broadcast_to(extents);
}

// bfloat16, of which NumPy has no type, as uint16.
array bits_of(const array& x) {
  if (x.type() != dtype::bf16) raise(PyExc_TypeError, "only bfloat16 is given as bits");
  return x.as(dtype::u16);
}

// NumPy's protocol: numpy.asarray makes an array of the same memory, which keeps x alive.
nb::dict interface_of(const array& x) {
  if (x.device() >= 0 || x.type() == dtype::bf16)
    raise(PyExc_AttributeError, "NumPy has no view of device memory and none of bfloat16");
  constexpr bool little = std::endian::native == std::endian::little;
  const dtype type = x.type();
  const char kind = type == dtype::boolean    ? 'b'
                    : is_floating(type)       ? 'f'
                    : is_signed_integer(type) ? 'i'
                                              : 'u';
  nb::dict interface;
  interface["version"] = 3;
  interface["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(x.data()), !x.writable());
  const std::string text =
      std::string(1, little ? '<' : '>') + kind + std::to_string(size_bytes(type));
  interface["typestr"] = nb::str(text.c_str());
  interface["shape"] = shape_of(x);
  interface["strides"] = strides_of(x);
  return interface;
}

}  // namespace

void add_arrays(nb::module_& module) {
  using nb::arg;
  nb::class_<array>(module, "Array", "The memory of an array: a type, extents and strides.")
      .def_static("from_buffer", &from_buffer, arg("object"), arg("dtype") = -1,
                  arg("writable") = false)
      .def_static("from_dlpack", &array::from_dlpack, arg("capsule"), arg("writable") = false)
      .def("broadcast_to", &broadcast_to, arg("shape"))
      .def("bits", &bits_of)
      .def("overlaps", &overlap, arg("other"))
      .def_prop_ro("dtype", [](const array& x) { return int(x.type()); })
      .def_prop_ro("device", &array::device)
      .def_prop_ro("size", &array::items)
      .def_prop_ro("shape", &shape_of)
      .def_prop_ro("strides", &strides_of)
      .def_prop_ro("address",
                   [](const array& x) { return reinterpret_cast<std::uintptr_t>(x.data()); })
      .def_prop_ro("__array_interface__", &interface_of);
}

}  // namespace onefold::python
