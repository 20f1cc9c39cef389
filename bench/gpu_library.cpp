// SPDX-License-Identifier: Apache-2.0
// Requests over device memory behind a C interface, so that bench/gpu_peers.py can time the library
// beside peers in Python, in one process and on one stream. Each returns null, or a message.
#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>

#include "onefold/onefold.hpp"

namespace {

using onefold::dtype;

const char* message_of(const onefold::status& done) {
  static thread_local std::string kept;
  if (done) return nullptr;
  kept = done.message();
  return kept.c_str();
}

onefold::executor::cuda on(void* stream) {
  onefold::executor::cuda gpu;
  gpu.stream = stream;
  return gpu;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): C
extern "C" {

[[gnu::visibility("default")]] const char* gpu_library_version() {
  return ONEFOLD_VERSION_STRING;
}

/// Row-major x (and y, of two inputs) of `rank` extents; axes: axis_count of them, none for all.
/// The answers go to `out` in the order of the kept axes, as the operator's default type. `status`:
/// a word in device memory, so that the call does not wait for the stream.
[[gnu::visibility("default")]] const char*
gpu_library_reduce(const char* op_name, const char* type_name, int fast, const void* x,
                   const void* y, int rank, const std::int64_t* extents, int axis_count,
                   const int* axes, void* out, std::int32_t* status, void* stream) {
  const auto op = onefold::parse_op(op_name);
  const auto type = onefold::parse_dtype(type_name);
  if (!op || !type) return "an operator or a type without that name";
  const onefold::axis_list layout =
      onefold::row_major({extents, std::size_t(rank)}, std::int64_t(size_bytes(*type)));
  onefold::options options;
  options.accuracy = fast != 0 ? onefold::accuracy::fast : onefold::accuracy::exact;
  options.status_out = status;
  if (axis_count > 0) options.axes = onefold::axis_set(std::span(axes, std::size_t(axis_count)));
  const onefold::array_view first(x, *type, layout), second(y, *type, layout);
  const dtype output = default_output(*op, *type);
  onefold::axis_list kept;
  for (const std::int64_t extent : onefold::answer_shape(first, options))
    kept.push_back({extent, 0});
  if (answers_of(*op) > 1) kept.push_back({answers_of(*op), 0});
  std::int64_t step = std::int64_t(size_bytes(output));
  for (int i = kept.size() - 1; i >= 0; --i) {
    kept[i].stride_bytes = step;
    step *= kept[i].extent;
  }
  const onefold::output_view to(out, output, kept);
  return message_of(inputs_of(*op) > 1
                        ? onefold::reduce(on(stream), *op, {first, second}, to, options)
                        : onefold::reduce(on(stream), *op, {first}, to, options));
}

/// Sums of x[n] by keys[n] of 64 bits, in any order. The groups' keys and sums go to keys_out and
/// out, which have room for `room` groups.
[[gnu::visibility("default")]] const char*
gpu_library_sums_by_key(const char* type_name, const void* keys, const void* x, std::int64_t n,
                        void* keys_out, void* out, std::int64_t room, void* stream) try {
  const auto type = onefold::parse_dtype(type_name);
  if (!type) return "a type without that name";
  const auto width = std::int64_t(size_bytes(*type));
  const onefold::array_view by(keys, dtype::i64, {{n, 8}}), values(x, *type, {{n, width}});
  const auto make = [&](std::int64_t groups) -> onefold::group_outputs {
    if (groups > room) throw std::length_error("more groups than there is room for");
    return {keys_out, {out, *type, {{groups, width}}}};
  };
  return message_of(onefold::reduce_by_key(on(stream), onefold::op::sum, by, values, make));
} catch (const std::exception& failure) {
  return message_of({onefold::status_code::usage, failure.what()});
}

/// x[rows][columns] to out[columns][rows].
[[gnu::visibility("default")]] const char* gpu_library_transpose(const char* type_name,
                                                                 const void* x, std::int64_t rows,
                                                                 std::int64_t columns, void* out,
                                                                 void* stream) {
  const auto type = onefold::parse_dtype(type_name);
  if (!type) return "a type without that name";
  const auto width = std::int64_t(size_bytes(*type));
  return message_of(onefold::transpose(on(stream),
                                       {x, *type, {{rows, columns * width}, {columns, width}}}, out,
                                       {{columns, rows * width}, {rows, width}}));
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
