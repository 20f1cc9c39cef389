// SPDX-License-Identifier: Apache-2.0
#pragma once
// The structs of dlpack.h 1.3 (https://dmlc.github.io/dlpack/latest/c_api.html).

#include <cstdint>

namespace onefold::python {

struct dl_tensor {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t ndim;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: row major
  std::uint64_t byte_offset;
};

struct dl_managed {
  dl_tensor tensor;
  void* context;
  void (*deleter)(dl_managed*);
};

struct dl_managed_versioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(dl_managed_versioned*);
  std::uint64_t flags;
  dl_tensor tensor;
};

/// What a type of tensors has in its attribute __dlpack_c_exchange_api__. Functions return 0, or
/// another number and a Python exception.
struct dl_exchange_api {
  std::uint32_t major, minor;
  const dl_exchange_api* older;
  void (*unused[3])();  // allocation, and owned tensors from Python's objects and back
  int (*describe)(void* object, dl_tensor* out);  // while the object lives; null: not supported
  int (*stream_of)(std::int32_t device_type, std::int32_t device_id, void** out);
};

}  // namespace onefold::python
