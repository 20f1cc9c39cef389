// SPDX-License-Identifier: Apache-2.0
// Instrumented: compiled with the flags of onefold_simt_kernel_flags.
#include "ladder/kernels/reduce.cuh"
