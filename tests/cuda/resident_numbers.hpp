// SPDX-License-Identifier: Apache-2.0
// What the tests of answers that stay on the device reduce.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "onefold/onefold.hpp"

namespace onefold::cuda::test {

/// Numbers in device memory, and room for answers behind them.
class numbers {
 public:
  explicit numbers(std::int64_t n) : n_(n), host_(std::size_t(n)) {
    for (std::int64_t i = 0; i < n; ++i) host_[std::size_t(i)] = double(i * 7919 % 10'007) - 3000;
    EXPECT_EQ(cudaMalloc(&memory_, std::size_t(n + 4) * sizeof(double)), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(memory_, host_.data(), host_.size() * sizeof(double), cudaMemcpyDefault),
              cudaSuccess);
  }
  numbers(const numbers&) = delete;
  numbers& operator=(const numbers&) = delete;
  ~numbers() { cudaFree(memory_); }

  array_view view() const { return {memory_, dtype::f64, {{n_, 8}}}; }
  array_view host_view() const { return host_; }
  double* answers() const { return static_cast<double*>(memory_) + n_; }
  output_view answer(int i, dtype type = dtype::f64) const { return {answers() + i, type, {}}; }
  double wanted(op op) const { return try_reduce<double>(executor::cpu{}, op, host_).value(); }

 private:
  std::int64_t n_;
  std::vector<double> host_;
  void* memory_ = nullptr;
};

}  // namespace onefold::cuda::test
