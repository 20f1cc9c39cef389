// SPDX-License-Identifier: Apache-2.0
// Elements of several kinds, and one request on the CPU and on the device.
#pragma once

#include <optional>
#include <vector>

#include "cuda/device_test.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {

using byte_list = std::vector<unsigned char>;

/// Elements of a request. Cancelling ones come in pairs whose sum is zero, so that no interval
/// certifies an answer and the exact fallbacks run; integers are then any.
enum class values : unsigned char { tame, any_bits, cancelling };

/// `apart`: so many elements are between the two of a cancelling pair, counted from the first.
byte_list elements_of(dtype type, std::int64_t n, values kind, onefold::test::random_source& random,
                      std::int64_t apart = 1);

/// Where the elements and the answers of a device request are.
enum class places : unsigned char { device, host_answers, host };

struct tested_request {
  op_list ops;  ///< at most three
  dtype type = dtype::f32;
  axis_list axes;
  byte_list x;
  options how = {};
  std::optional<dtype> output = {};  ///< none: the default
  byte_list y = {}, mask = {};
  std::size_t shift = 0, y_shift = 0;  ///< of the device's elements behind an aligned address
  places at = places::device;
};

/// The device's status and answers are the CPU's, or the device does not serve the request.
void expect_same(const tested_request& request);

/// A list of elements next to each other.
inline axis_list line(std::int64_t n, dtype type) {
  return {{n, std::int64_t(size_bytes(type))}};
}

/// Whether the operator has answers of such elements.
inline bool has_answers(op operation, dtype type) {
  const bool bits = operation == op::bit_and || operation == op::bit_or || operation == op::bit_xor;
  return !bits || !is_floating(type);
}

}  // namespace onefold::cuda::test
