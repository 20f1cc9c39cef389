// SPDX-License-Identifier: Apache-2.0
// The macros of the public headers.
#pragma once

#if defined(__CUDACC__)
#define ONEFOLD_HOST_DEVICE __host__ __device__
#else
#define ONEFOLD_HOST_DEVICE
#endif

// Exports a symbol from a shared library; all others are hidden. No effect in a static library.
#if defined(__GNUC__)
#define ONEFOLD_API __attribute__((visibility("default")))
#else
#define ONEFOLD_API
#endif
