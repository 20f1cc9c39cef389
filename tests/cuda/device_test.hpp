// SPDX-License-Identifier: Apache-2.0
// What tests on a device share. Those of this fixture are skipped where there is none.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <vector>

#include "cuda/engine.hpp"
#include "onefold/dtype.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {

class with_device : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto there = check_device({}); !there) GTEST_SKIP() << there.message();
  }
};

/// Memory of the device, `shift` bytes behind an aligned address.
class device_bytes {
 public:
  explicit device_bytes(std::size_t bytes, std::size_t shift = 0, bool managed = false)
      : bytes_(bytes), shift_(shift) {
    const std::size_t all = bytes + shift + 1;
    const auto code = managed ? cudaMallocManaged(&memory_, all) : cudaMalloc(&memory_, all);
    EXPECT_EQ(code, cudaSuccess);
  }
  template <class T>
  explicit device_bytes(const std::vector<T>& from, std::size_t shift = 0, bool managed = false)
      : device_bytes(from.size() * sizeof(T), shift, managed) {
    set(from.data());
  }
  device_bytes(const device_bytes&) = delete;
  device_bytes& operator=(const device_bytes&) = delete;
  ~device_bytes() { cudaFree(memory_); }

  std::byte* data() const { return static_cast<std::byte*>(memory_) + shift_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data());
  }

  /// Waits until they are there: a copy from pageable memory returns when it has been staged, and
  /// work in another stream could be ahead of it.
  void set(const void* from) {
    EXPECT_EQ(cudaMemcpy(data(), from, bytes_, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  }
  /// The first of them, or all. Waits for the default stream.
  template <class T>
  std::vector<T> get(std::size_t bytes) const {
    EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    std::vector<T> made(bytes / sizeof(T));
    EXPECT_EQ(cudaMemcpy(made.data(), data(), bytes, cudaMemcpyDefault), cudaSuccess);
    return made;
  }
  template <class T = unsigned char>
  std::vector<T> get() const {
    return get<T>(bytes_);
  }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_, shift_;
};

/// Any bytes, or many zeros among them.
inline std::vector<unsigned char> random_elements(dtype type, std::int64_t n,
                                                  onefold::test::random_source& random) {
  std::vector<unsigned char> bytes(std::size_t(n) * size_bytes(type));
  const bool few = random.one_in(2);
  for (auto& byte : bytes)
    byte = static_cast<unsigned char>(few && random.one_in(3) ? 0 : random());
  return bytes;
}

}  // namespace onefold::cuda::test
