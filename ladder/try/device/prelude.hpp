// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a learner's file finds without including anything, as under nvcc: the words of CUDA, the
// C library, min and max, and a host API that does nothing, so that a file with a main compiles.

#include "ladder/operators.cuh"
#include "ladder/try/device/host_api.hpp"
#include "ladder/try/entry.hpp"

#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define __constant__ static const
#define __noinline__ __attribute__((noinline))
#ifndef __align__
#define __align__(bytes) __attribute__((aligned(bytes)))
#endif

// A maximum is one instruction on the device: uncounted, as in ladder/operators.cuh.
#define ONEFOLD_LEARNER_EXTREMES(T)                                                                \
  ONEFOLD_UNCOUNTED inline T max(T a, T b) { return a < b ? b : a; }                               \
  ONEFOLD_UNCOUNTED inline T min(T a, T b) { return b < a ? b : a; }
ONEFOLD_LEARNER_EXTREMES(int)
ONEFOLD_LEARNER_EXTREMES(unsigned)
ONEFOLD_LEARNER_EXTREMES(long)
ONEFOLD_LEARNER_EXTREMES(unsigned long)
ONEFOLD_LEARNER_EXTREMES(long long)
ONEFOLD_LEARNER_EXTREMES(unsigned long long)
ONEFOLD_LEARNER_EXTREMES(float)
ONEFOLD_LEARNER_EXTREMES(double)
#undef ONEFOLD_LEARNER_EXTREMES

/// `extern __shared__ T name[];` outside functions: the address is known only in a running block.
template <class T>
struct onefold_dynamic_shared {
  __attribute__((always_inline)) operator T*() const {
    return static_cast<T*>(::onefold::simt::dynamic_shared_memory());
  }
};

// The learner's main is never called: its launches are blanked and the API below is inert.
#define main onefold_learner_main
