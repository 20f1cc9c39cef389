// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of PyTorch's tensors, and where a call on them runs.

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stop_token>

#include <onefold/array_view.hpp>
#include <onefold/executor.hpp>

#include "arguments.hpp"
#include "run.hpp"

namespace onefold::python {

/// Numbers that are read or written next to rows; no address: none.
struct numbers {
  void* data = nullptr;
  dtype type = dtype::f64;
  std::int64_t count = 0;

  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  array_view view() const { return {data, type, {{count, std::int64_t(size_bytes(type))}}}; }
  std::optional<array_view> if_any() const {
    return data == nullptr ? std::nullopt : std::optional(view());
  }
};

/// The rows of a tensor: adjacent elements of its last `dims` dimensions, one stride apart.
class tensor_rows {
 public:
  /// Fails: ValueError if the strides are others; what array::from_tensor() fails with.
  tensor_rows(nanobind::handle tensor, int dims);
  /// Rows that are read as others are. Fails: also ValueError if they are of another type, shape or
  /// device.
  tensor_rows(nanobind::handle tensor, int dims, const tensor_rows& others);

  dtype type() const noexcept { return memory_.type(); }
  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t n() const noexcept { return n_; }
  array_view view() const;

  /// `count` adjacent numbers on the device of the rows; None: none.
  /// Fails: ValueError for others, or another type than `type`.
  numbers beside(nanobind::handle tensor, std::int64_t count,
                 std::optional<dtype> type = std::nullopt) const;
  /// A number for each column, of any type.
  numbers columns(nanobind::handle tensor) const { return beside(tensor, n_); }
  /// As many elements as the rows have, of their type.
  void* elements(nanobind::handle tensor) const { return beside(tensor, rows_ * n_, type()).data; }

  /// call: (executor, stop token) -> status.
  template <class Call>
  void run(const Call& call) const {
    const int device = memory_.device();
    // Work on a GPU is only launched here: no thread is needed to watch it.
    const std::int64_t bytes = 2 * rows_ * n_ * std::int64_t(size_bytes(type()));
    const executor on = executor_of(memory_, stream_of_tensor(tensor_, device));
    python::run(device < 0 ? bytes : std::min(bytes, std::int64_t(1) << 20),
                [&](const std::stop_token& stop) { return call(on, stop); });
  }

 private:
  nanobind::handle tensor_;
  array memory_;
  std::int64_t rows_ = 1, n_ = 1, apart_ = 0;  // apart: bytes from a row to the next one
};

}  // namespace onefold::python
