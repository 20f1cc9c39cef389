// SPDX-License-Identifier: Apache-2.0
#pragma once
// The compiled kernels by rung, element type and operator.
//
// Each table is compiled twice from one text (kernels/reduce.cuh, ...): for the executor by
// reduce.cpp, an instrumented translation unit, and for a GPU by gpu/reduce.cu. So this header is
// light: every inline function in it would be instrumented too.

#include "ladder/kernels/launch.hpp"

namespace onefold::ladder {

enum class element : unsigned char { int32, float32, float64, uint8 };
enum class operation : unsigned char { sum, product, maximum, minimum };

/// What a start function may use; which of it, the room's tables say.
struct kernel_arguments {
  const void* in = nullptr;     ///< the elements, the first vector, the pixels
  const void* other = nullptr;  ///< the second vector
  void* out = nullptr;          ///< partials, sums, the transposed image
  void* scratch = nullptr;      ///< as many elements as `in`, for rungs that ask for it
  unsigned* ticket = nullptr;   ///< zero before the first launch
  void* workspace = nullptr;    ///< rung::workspace_bytes, zero before the first launch
  std::size_t n = 0;
  unsigned width = 0, height = 0;  ///< of an image; a row of pixels is `width` bytes
  unsigned padding = 4;            ///< bytes behind each row of a tile
  unsigned grid = 1, block = 256;
};

struct kernel_entry {
  const char* rung;
  element type;
  operation op;
  /// One pass: every launch the rung needs to turn `in` into `out`.
  void (*start)(engine& where, const kernel_arguments& arguments);
};

struct kernel_table {
  const kernel_entry* entries;
  std::size_t count;
};

#if defined(__CUDACC__)
#define ONEFOLD_LADDER_ENGINE on_gpu
#else
#define ONEFOLD_LADDER_ENGINE under_executor
#endif

namespace under_executor {
extern const kernel_table reduce, dot, image, loop;
}
namespace on_gpu {
extern const kernel_table reduce, dot, image, loop;
extern const kernel_table vendor;  ///< which no executor has
}  // namespace on_gpu

}  // namespace onefold::ladder
