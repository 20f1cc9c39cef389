// SPDX-License-Identifier: Apache-2.0
#pragma once
// Views of the memory of Python's arrays: by the buffer protocol, or by DLPack. Nothing is copied.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <onefold/array_view.hpp>
#include <onefold/dtype.hpp>

namespace onefold::python {

struct dl_tensor;

/// The memory of a Python object, which stays alive and does not move as long as this lives.
class array {
 public:
  /// By the buffer protocol (NumPy, array.array, memoryview, bytes). `type` overrides the format,
  /// whose items must be of its size: bfloat16 has no format of its own.
  /// Fails: TypeError (no buffer; elements that are no numbers, or of the other byte order),
  /// ValueError (more than 64 axes; read-only memory where it is to be written).
  static array from_buffer(nanobind::handle object, bool writable,
                           std::optional<dtype> type = std::nullopt);

  /// By a DLPack capsule, versioned or not, which is consumed unless this fails.
  /// Fails: TypeError (not a capsule, or used before; elements that are no numbers; a device that
  /// is neither the host nor CUDA's), ValueError (a malformed shape; more than 64 axes; read-only
  /// memory where it is to be written).
  static array from_dlpack(nanobind::handle capsule, bool writable);

  /// A tensor of PyTorch, by the exchange API of its type (DLPack 1.3), in which case the caller
  /// keeps it alive; where there is none (PyTorch before 2.10) by a capsule.
  /// Fails: as from_dlpack(), and with the exception of the exchange API.
  static array from_tensor(nanobind::handle tensor);

  /// One axis of contiguous read-only elements, which `owner` keeps alive.
  static array from_memory(void* data, dtype type, std::int64_t extent,
                           std::shared_ptr<void> owner);

  /// The same memory with a shape that it broadcasts to by NumPy's rules, read-only.
  /// Fails: ValueError.
  array broadcast_to(std::span<const std::int64_t> shape) const;

  /// The same memory as elements of another type of the same size.
  array as(dtype type) const;

  array_view view() const noexcept { return {data_, type_, axes_}; }
  dtype type() const noexcept { return type_; }
  const axis_list& axes() const noexcept { return axes_; }
  void* data() const noexcept { return data_; }
  bool writable() const noexcept { return writable_; }
  /// The CUDA device that holds the memory; -1: host memory.
  int device() const noexcept { return device_; }
  /// The number of elements, and of their bytes.
  std::int64_t items() const noexcept;
  std::int64_t bytes() const noexcept { return items() * std::int64_t(size_bytes(type_)); }

 private:
  static array described_by(const dl_tensor& x, bool writable);  // owns nothing

  void* data_ = nullptr;
  axis_list axes_;
  dtype type_ = dtype::f64;
  bool writable_ = false;
  int device_ = -1;
  std::shared_ptr<void> owner_;
};

/// The current stream of PyTorch for work on a tensor, which is on this device; 0: on a CPU.
std::uintptr_t stream_of_tensor(nanobind::handle tensor, int device);

/// The integer type of so many bytes, if there is one.
std::optional<dtype> integer_type(bool is_signed, std::size_t size);

/// Fails: ValueError if an array has more axes than the library takes.
void check_rank(std::size_t rank);

/// Raises TypeError: `elements` is the name of their type, in an output or in an input.
[[noreturn]] void refuse_elements(std::string_view elements, bool output);

/// Whether the two share a byte.
bool overlap(const array& a, const array& b);

}  // namespace onefold::python
