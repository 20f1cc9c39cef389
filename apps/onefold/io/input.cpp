// SPDX-License-Identifier: Apache-2.0
// Opens an input and reads its header by its format.
#include "io/input.hpp"

#include "failure.hpp"
#include "io/npy.hpp"
#include "io/standard_streams.hpp"
#include "messages.hpp"
#include "report/escape.hpp"

namespace onefold::program {
namespace {

void warn(const std::string& text) {
  complain("onefold: warning: " + printable(text) + "\n");
}

void warn_of_trailing_bytes(const input& opened) {
  const auto size = opened.stream.size_bytes();
  const auto data = opened.described.data_bytes();
  if (!size || !data) return;
  const std::uint64_t end = opened.described.data_offset + *data;
  if (*size > end) warn(messages::trailing_bytes(opened.stream.name(), *size - end));
}

// --as f64 has another type than the file.
void describe_as_reduced(input& opened, const request& request) {
  opened.stored = opened.described;
  if (!request.as_f64) return;
  opened.described.type = dtype::f64;
  if (!count_items(opened.described.shape, sizeof(double)))
    throw failure(messages::shape_too_large(opened.name), opened.name);
}

void check_options(const input& opened, const request& request) {
  const bool fits = opened.format == file_format::raw ||
                    (opened.format == file_format::npy && request.raw.only(dtype::bf16));
  if (request.raw.any() && !fits)
    throw failure(messages::raw_options_without_raw(opened.name, name(opened.format)), opened.name);
}

}  // namespace

input open_input(const std::string& name, const request& request) {
  input opened{name, require(source::open(name), name), request.format, {}};
  if (opened.format == file_format::automatic) opened.format = require(format_of(name), name);
  check_options(opened, request);
  if (opened.format == file_format::npy)
    opened.described = require(read_npy_header(opened.stream, request.raw.any()), name);
  if (opened.format == file_format::raw)
    opened.described = require(open_raw(opened.stream, request.raw), name);
  if (opened.format == file_format::safetensors) {
    opened.tensors = require(read_safetensors_header(opened.stream), name);
    opened.first_tensor = require(opened.stream.position(), name);
    if (opened.tensors.empty()) warn(messages::safetensors_empty(opened.stream.name()));
    return opened;
  }
  if (opened.format != file_format::text) warn_of_trailing_bytes(opened);
  describe_as_reduced(opened, request);
  return opened;
}

void select_tensor(input& from, const std::string& file, const tensor& which,
                   const request& request) {
  from.name = messages::tensor_name(file, which.name);
  if (!which.type)
    throw failure(messages::safetensors_type(file, which.type_name), file).with_exit_code(4);
  from.described = which.described();
  require(from.stream.seek(from.first_tensor + which.begin), file);
  describe_as_reduced(from, request);
}

}  // namespace onefold::program
