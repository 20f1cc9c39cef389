// SPDX-License-Identifier: Apache-2.0
// What other libraries do on a GPU for the same request, as calls that a clock can stand beside.
// Plain C++: each library has a file of its own.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "onefold/dtype.hpp"

namespace bench {

enum class peer_work : unsigned char {
  sum,
  norm1,
  norm2,
  dot,
  min,
  argmin,
  argmax,
  argmax_magnitude,
  row_sums,
  row_argmax,
  key_sums,
  transpose,
};

/// All in device memory. One answer: of x[n], and for dot of y[n]. row_sums and row_argmax: of
/// x[rows][columns] to out[rows]; offsets: rows + 1 of them, the start of each row. key_sums: of
/// x[n] by the keys of offsets[n], `rows` runs of them, to out[rows] and y[rows]. transpose: to
/// out[columns][rows].
struct peer_request {
  peer_work work;
  onefold::dtype type;
  const void* x = nullptr;
  const void* y = nullptr;
  void* out = nullptr;
  std::int64_t n = 0, rows = 0, columns = 0;
  const int* offsets = nullptr;
};

using launcher = std::function<void(cudaStream_t)>;

/// A library's way; reproducible: the same bits on every GPU, by its own word.
struct peer {
  std::string name;
  launcher launch;
  bool reproducible = false;
};

/// The ways of each library, none for what it does not have. They hold their scratch memory.
std::vector<peer> cub_peers(const peer_request& request);
std::vector<peer> thrust_peers(const peer_request& request);
std::vector<peer> cublas_peers(const peer_request& request);

/// Versions, as a JSON object's members; of cuBLAS, which is opened at run time, also why it is not
/// there.
std::string peer_versions();
std::string cublas_version();

}  // namespace bench
