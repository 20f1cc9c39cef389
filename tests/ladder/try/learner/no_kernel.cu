// SPDX-License-Identifier: Apache-2.0
// __global__ void in_a_comment(const float* in, float* out) {}
const char* text = "__global__ void in_a_string(const float* in, float* out) {}";
__global__ void only_declared(const float* in, float* out);
