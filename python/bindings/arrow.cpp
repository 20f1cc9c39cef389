// SPDX-License-Identifier: Apache-2.0
// Columns of Arrow by the Arrow PyCapsule interface. The structs are those of the Arrow C data and
// C stream interfaces (https://arrow.apache.org/docs/format/CDataInterface.html). Numbers are not
// copied; bits, which no view describes, are expanded to a byte each.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "arrays.hpp"
#include "errors.hpp"
#include "numpy_output.hpp"
#include "reduce.hpp"
#include "run.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

struct arrow_schema {
  const char *format, *name, *metadata;
  std::int64_t flags, n_children;
  arrow_schema **children, *dictionary;
  void (*release)(arrow_schema*);
  void* private_data;
};

struct arrow_array {
  std::int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  arrow_array **children, *dictionary;
  void (*release)(arrow_array*);
  void* private_data;
};

struct arrow_stream {
  int (*get_schema)(arrow_stream*, arrow_schema*);
  int (*get_next)(arrow_stream*, arrow_array*);
  const char* (*last_error)(arrow_stream*);
  void (*release)(arrow_stream*);
  void* private_data;
};

// One of the structs, moved out of its producer and released with its last owner.
template <class T>
struct owned : T {
  owned() : T{} {}
  explicit owned(T& from) : T(from) { from.release = nullptr; }
  owned(const owned&) = delete;
  owned& operator=(const owned&) = delete;
  ~owned() {
    if (this->release == nullptr) return;
    const nb::gil_scoped_acquire acquired;
    this->release(this);
  }
};

template <class T>
T& struct_of(nb::handle capsule, const char* name) {
  if (PyCapsule_IsValid(capsule.ptr(), name) == 0)
    raise(PyExc_TypeError,
          "'" + type_of_object(capsule) + "' is not a capsule named '" + name + "'");
  T& found = *static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (found.release == nullptr)
    raise(PyExc_TypeError, "the capsule '" + std::string(name) + "' was used before");
  return found;
}

[[noreturn]] void refuse_column(const std::string& elements, const char* remedy) {
  raise(PyExc_TypeError, "an Arrow column of " + elements + " is not supported; " + remedy);
}

// A value of the schema's metadata, which is a list of lengths and texts; "": there is none.
std::string_view value_of(const char* metadata, std::string_view key) {
  if (metadata == nullptr) return "";
  const auto next_number = [&] {
    std::int32_t number = 0;
    std::memcpy(&number, metadata, sizeof number);
    metadata += sizeof number;
    return number;
  };
  const auto next_text = [&] {
    const std::int32_t length = std::max(next_number(), 0);
    metadata += length;
    return std::string_view(metadata - length, std::size_t(length));
  };
  for (std::int32_t pairs = next_number(); pairs > 0; --pairs) {
    const std::string_view name = next_text(), value = next_text();
    if (name == key) return value;
  }
  return "";
}

dtype type_of(const arrow_schema& schema) {
  const std::string_view format = schema.format != nullptr ? schema.format : "";
  const std::string_view extension = value_of(schema.metadata, "ARROW:extension:name");
  if (extension == "arrow.bool8" && format == "c") return dtype::boolean;
  // What the numbers of an unknown type mean is not known either.
  if (!extension.empty())
    refuse_column("extension type '" + std::string(extension) + "'", "give its storage");
  if (schema.dictionary != nullptr) refuse_column("dictionary indices", "decode the dictionary");
  if (format.starts_with('+')) refuse_column("nested values", "give one column of numbers");
  if (format.size() == 1) switch (format.front()) {
    case 'b':
      return dtype::boolean;
    case 'c':
      return dtype::i8;
    case 's':
      return dtype::i16;
    case 'i':
      return dtype::i32;
    case 'l':
      return dtype::i64;
    case 'C':
      return dtype::u8;
    case 'S':
      return dtype::u16;
    case 'I':
      return dtype::u32;
    case 'L':
      return dtype::u64;
    case 'e':
      return dtype::f16;
    case 'f':
      return dtype::f32;
    case 'g':
      return dtype::f64;
    default:
      break;
    }
  refuse_column("format '" + std::string(format) + "'",
                "cast it to bool, integers of 8 to 64 bits or floats of 16 to 64");
}

// A bool byte, 0 or 1, for each of the bits from `first` on, or for each of the bytes.
nb::object bools_of(const void* data, std::int64_t first, std::int64_t length, bool bits = true) {
  nb::object made = numpy_empty(dtype::boolean, {{length}});
  const array target = array::from_buffer(made, true);
  auto* const out = static_cast<unsigned char*>(target.data());
  const auto* const in = static_cast<const unsigned char*>(data);
  run(length, [&](const std::stop_token&) -> status {
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t place = first + i;
      out[i] = bits ? in[place / 8] >> place % 8 & 1 : in[place] != 0;
    }
    return {};
  });
  return made;
}

// The elements, and the mask of those that are not null, or None.
nb::object chunk_of(const arrow_schema& schema, std::shared_ptr<owned<arrow_array>> chunk) {
  const dtype type = type_of(schema);
  const arrow_array& x = *chunk;
  const bool sound = x.length >= 0 && x.offset >= 0 && x.length <= (INT64_MAX >> 4) - x.offset &&
                     x.n_buffers == 2 && x.buffers != nullptr &&
                     (x.length == 0 || x.buffers[1] != nullptr);
  if (!sound) raise(PyExc_ValueError, "the Arrow array is malformed: its lengths or buffers");
  nb::object mask = nb::none();
  if (x.null_count != 0 && x.buffers[0] != nullptr)
    mask = bools_of(x.buffers[0], x.offset, x.length);
  else if (x.null_count > 0)
    raise(PyExc_ValueError, "the Arrow array is malformed: nulls without a bitmap");
  if (type == dtype::boolean) {
    const bool bits = schema.format[0] == 'b';
    return nb::make_tuple(bools_of(x.buffers[1], x.offset, x.length, bits), mask);
  }
  const auto* const first = static_cast<const char*>(x.buffers[1]);
  const std::int64_t skipped = first != nullptr ? x.offset * std::int64_t(size_bytes(type)) : 0;
  return nb::make_tuple(
      nb::cast(array::from_memory(const_cast<char*>(first) + skipped, type, x.length, chunk)),
      mask);
}

nb::object column_of_array(nb::handle schema_capsule, nb::handle array_capsule) {
  const auto& schema = struct_of<arrow_schema>(schema_capsule, "arrow_schema");
  const dtype type = type_of(schema);
  auto& source = struct_of<arrow_array>(array_capsule, "arrow_array");
  nb::list chunks;
  chunks.append(chunk_of(schema, std::make_shared<owned<arrow_array>>(source)));
  return nb::make_tuple(int(type), chunks);
}

nb::object column_of_stream(nb::handle capsule) {
  owned<arrow_stream> stream(struct_of<arrow_stream>(capsule, "arrow_array_stream"));
  const auto check_step = [&](int code) {
    if (code == 0) return;
    const char* why = stream.last_error(&stream);
    raise(PyExc_OSError,
          std::string("the Arrow stream failed: ") + (why != nullptr ? why : std::strerror(code)));
  };
  owned<arrow_schema> schema;
  check_step(stream.get_schema(&stream, &schema));
  const dtype type = type_of(schema);
  nb::list chunks;
  while (true) {
    auto chunk = std::make_shared<owned<arrow_array>>();
    check_step(stream.get_next(&stream, chunk.get()));
    if (chunk->release == nullptr) return nb::make_tuple(int(type), chunks);
    chunks.append(chunk_of(schema, std::move(chunk)));
  }
}

}  // namespace

void add_arrow(nb::module_& module) {
  using nb::arg;
  module.def("arrow_array", &column_of_array, arg("schema"), arg("array"));
  module.def("arrow_stream", &column_of_stream, arg("stream"));
}

}  // namespace onefold::python
