// SPDX-License-Identifier: Apache-2.0
// What the kernel of large arrays takes whose answers an interval decides.
#pragma once

#include "cuda/rounding/epilogue_outputs.hpp"
#include "onefold/dtype.hpp"

namespace onefold::cuda {

struct quick_arguments {
  const void* x;  ///< aligned to its elements
  dtype input;    ///< floating
  std::int64_t n;
  bool squares;           ///< else moments
  void* workspace;        ///< of the kernel's bytes, zero before and after
  std::int64_t* decided;  ///< whether the answers have been written
  finish_list list;
};

}  // namespace onefold::cuda
