// SPDX-License-Identifier: Apache-2.0
// Small requests that together launch every kernel of the library: the launches are counted where
// there is no device, and on a device the answers are compared with the CPU's, also under
// compute-sanitizer's tools, which slow a kernel down a hundredfold.
#pragma once

#include <span>

#include "onefold/dtype.hpp"

namespace onefold::cuda::test {

/// Whether kernels compute: false in the program that counts launches without a device, where no
/// answer is compared.
inline bool kernels_compute = true;

/// Requests of elements of one type.
struct request_group {
  const char* name;
  bool (*has)(dtype);
  void (*ask)(dtype);
};

/// Of whole arrays.
std::span<const request_group> whole_requests();
/// Of rows, columns and any other layout of several answers.
std::span<const request_group> several_requests();
/// Rows that are normalized.
std::span<const request_group> normalized_requests();
/// Segments, keys, transposes and what ranks exchange.
std::span<const request_group> other_requests();

}  // namespace onefold::cuda::test
