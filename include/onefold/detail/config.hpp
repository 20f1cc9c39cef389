// SPDX-License-Identifier: Apache-2.0
// The macros of the public headers, and the language that they need.
#pragma once

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
#error "onefold needs C++20: compile with -std=c++20, or in CMake with the feature cxx_std_20"
#include <the_error_above_says_what_to_do>  // ends the compilation before further errors
#endif

#include "onefold/detail/export.hpp"

#if defined(__CUDACC__)
#define ONEFOLD_HOST_DEVICE __host__ __device__
#else
#define ONEFOLD_HOST_DEVICE
#endif

// The body of a function that returns a status or a result: a failed allocation in it is the status
// out_of_memory. Without exceptions it ends the program, as it does in the standard library.
#if defined(__cpp_exceptions)
#define ONEFOLD_TRY try
#define ONEFOLD_CATCH_NO_MEMORY                                                                    \
  catch (...) {                                                                                    \
    return detail::memory_refused();                                                               \
  }
#else
#define ONEFOLD_TRY
#define ONEFOLD_CATCH_NO_MEMORY
#endif
