// SPDX-License-Identifier: Apache-2.0
// The macros of the public headers, all of them.
#pragma once

#if defined(__CUDACC__)
#define ONEFOLD_HOST_DEVICE __host__ __device__
#else
#define ONEFOLD_HOST_DEVICE
#endif

// What a shared library shows; all else in it is hidden. A static one takes no notice.
#if defined(__GNUC__)
#define ONEFOLD_API __attribute__((visibility("default")))
#else
#define ONEFOLD_API
#endif
