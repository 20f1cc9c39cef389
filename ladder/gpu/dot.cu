// SPDX-License-Identifier: Apache-2.0
#include "ladder/kernels/dot.cuh"
