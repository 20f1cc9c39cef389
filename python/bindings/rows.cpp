// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <string>

#include "errors.hpp"
#include "names.hpp"

namespace onefold::python {
namespace {

namespace nb = nanobind;

std::string place_of(const array& x) {
  return x.device() < 0 ? "the host" : "CUDA device " + std::to_string(x.device());
}

// Whether all elements are adjacent, in their order.
bool is_contiguous(const array& x) {
  if (x.items() == 0) return true;
  std::int64_t step = std::int64_t(size_bytes(x.type()));
  for (int i = x.axes().size() - 1; i >= 0; --i) {
    const axis_layout& axis = x.axes()[i];
    if (axis.extent != 1 && axis.stride_bytes != step) return false;
    step *= axis.extent;
  }
  return true;
}

std::string text_of(const tensor_rows& x, const array& memory) {
  return std::to_string(x.rows()) + " rows of " + std::to_string(x.n()) + " " +
         numpy_name(memory.type()) + " on " + place_of(memory);
}

}  // namespace

tensor_rows::tensor_rows(nb::handle tensor, int dims)
    : tensor_(tensor), memory_(array::from_tensor(tensor)) {
  const axis_list& axes = memory_.axes();
  const int leading = axes.size() - dims;
  if (dims < 0 || leading < 0)
    raise(PyExc_ValueError, "rows of " + std::to_string(dims) + " dimensions, of a tensor of " +
                                std::to_string(axes.size()));
  const auto item = std::int64_t(size_bytes(type()));
  bool adjacent = true;
  for (int i = axes.size() - 1; i >= leading; --i) {
    adjacent = adjacent && (axes[i].extent == 1 || axes[i].stride_bytes == n_ * item);
    n_ *= axes[i].extent;
  }
  apart_ = n_ * item;
  for (int i = leading - 1; i >= 0; --i) {
    if (axes[i].extent == 1) continue;
    if (rows_ == 1) apart_ = axes[i].stride_bytes;
    adjacent = adjacent && axes[i].stride_bytes == apart_ * rows_;
    rows_ *= axes[i].extent;
  }
  if (rows_ == 0 || n_ == 0) apart_ = n_ * item;
  if (!adjacent && rows_ != 0 && n_ != 0)
    raise(PyExc_ValueError, "the rows of a tensor are not of adjacent elements, one stride apart");
}

tensor_rows::tensor_rows(nb::handle tensor, int dims, const tensor_rows& others)
    : tensor_rows(tensor, dims) {
  if (type() != others.type() || rows_ != others.rows_ || n_ != others.n_ ||
      memory_.device() != others.memory_.device())
    raise(PyExc_ValueError,
          text_of(*this, memory_) + " next to " + text_of(others, others.memory_));
}

array_view tensor_rows::view() const {
  return {memory_.data(), type(), {{rows_, apart_}, {n_, std::int64_t(size_bytes(type()))}}};
}

numbers tensor_rows::beside(nb::handle tensor, std::int64_t count,
                            std::optional<dtype> type) const {
  if (tensor.is_none()) return {};
  const array found = array::from_tensor(tensor);
  const dtype expected = type.value_or(found.type());
  if (found.type() != expected || found.items() != count || !is_contiguous(found) ||
      found.device() != memory_.device())
    raise(PyExc_ValueError, std::to_string(found.items()) + " elements of " +
                                numpy_name(found.type()) + " on " + place_of(found) + ", not " +
                                std::to_string(count) + " adjacent ones of " +
                                numpy_name(expected) + " on " + place_of(memory_));
  return {found.data(), found.type(), count};
}

}  // namespace onefold::python
