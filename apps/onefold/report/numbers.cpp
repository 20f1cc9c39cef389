// SPDX-License-Identifier: Apache-2.0
// Storage of the answers by element type.
#include "report/numbers.hpp"

#include <cstring>
#include <utility>

namespace onefold::program {

numbers::numbers(dtype type, std::vector<std::int64_t> shape)
    : type_(type), shape_(std::move(shape)) {
  for (const std::int64_t extent : shape_) size_ *= extent;
  bytes_.resize(std::size_t(size_) * size_bytes(type));
}

numbers::numbers(const number& one) : numbers(one.type()) {
  set(0, one);
}

number numbers::operator[](std::int64_t i) const {
  number one(type_);
  const std::size_t item_bytes = size_bytes(type_);
  std::memcpy(one.place().data(), bytes_.data() + std::size_t(i) * item_bytes, item_bytes);
  return decimal() && !digits_[std::size_t(i)].empty()
             ? number::decimal(digits_[std::size_t(i)], one.as<double>())
             : one;
}

void numbers::set(std::int64_t i, const number& value) {
  number copy = value;
  const std::size_t item_bytes = size_bytes(type_);
  std::memcpy(bytes_.data() + std::size_t(i) * item_bytes, copy.place().data(), item_bytes);
  if (value.digits().empty()) return;
  digits_.resize(std::size_t(size_));
  digits_[std::size_t(i)] = value.digits();
}

output_view numbers::place() {
  return {bytes_.data(), type_, row_major(shape_, std::int64_t(size_bytes(type_)))};
}

output_view numbers::place(std::int64_t i, std::int64_t count) {
  const auto item_bytes = std::int64_t(size_bytes(type_));
  axis_list axes;
  if (count > 1) axes.push_back({count, item_bytes});
  return {bytes_.data() + i * item_bytes, type_, axes};
}

}  // namespace onefold::program
