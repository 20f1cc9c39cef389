// SPDX-License-Identifier: Apache-2.0
#include "ladder/kernels/image.cuh"
