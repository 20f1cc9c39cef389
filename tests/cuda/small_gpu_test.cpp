// SPDX-License-Identifier: Apache-2.0
// Every accumulator of kernels once, over so few elements that compute-sanitizer's racecheck comes
// to an end: three blocks of whole arrays, a few rows, one tile. Skipped where there is no device.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "cuda/engine.hpp"
#include "onefold/onefold.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

/// Elements of the host, and the same in device memory.
class both {
 public:
  both(dtype type, std::int64_t n, random_source& random)
      : type_(type), host_(std::size_t(n) * size_bytes(type)) {
    for (std::int64_t i = 0; i < n; ++i) put(i, random);
    EXPECT_EQ(cudaMalloc(&device_, host_.size()), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(device_, host_.data(), host_.size(), cudaMemcpyDefault), cudaSuccess);
  }
  both(const both&) = delete;
  both& operator=(const both&) = delete;
  ~both() { cudaFree(device_); }

  array_view host(const axis_list& axes) const { return {host_.data(), type_, axes}; }
  array_view device(const axis_list& axes) const { return {device_, type_, axes}; }
  const std::vector<std::byte>& bytes() const { return host_; }
  void* memory() const { return device_; }

 private:
  // Floats of like size: nothing overflows, and products stay products.
  void put(std::int64_t i, random_source& random) {
    std::byte* const to = host_.data() + std::size_t(i) * size_bytes(type_);
    const float value = 1 + float(random.normal()) / 64;
    if (type_ == dtype::f32)
      std::memcpy(to, &value, sizeof value);
    else
      for (std::size_t k = 0; k < size_bytes(type_); ++k) to[k] = std::byte(random.below(4));
  }

  dtype type_;
  std::vector<std::byte> host_;
  void* device_ = nullptr;
};

class small : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto there = check_device({}); !there) GTEST_SKIP() << there.message();
  }

  // What the GPU serves, it answers as the CPU does. Returns whether it serves it.
  bool expect_equal(op what, const both& x, const axis_list& axes, const options& how) {
    const auto shape = answer_shape(x.host(axes), how);
    std::int64_t answers = answers_of(what);
    for (const std::int64_t extent : shape) answers *= extent;
    const dtype output = default_output(what, x.host(axes).type());
    auto extents = shape;
    if (answers_of(what) > 1) extents.push_back(answers_of(what));
    const axis_list places = row_major(extents, std::int64_t(size_bytes(output)));
    std::vector<std::byte> wanted(std::size_t(answers) * size_bytes(output)), got(wanted.size());
    const auto run = [&](const executor& on, const array_view& from, std::vector<std::byte>& to) {
      const output_view out(to.data(), output, places);
      return inputs_of(what) == 2 ? reduce(on, what, {from, from}, out, how)
                                  : reduce(on, what, {from}, out, how);
    };
    const status cpu = run(executor::cpu{}, x.host(axes), wanted);
    const status gpu = run(executor::cuda{}, x.device(axes), got);
    if (gpu.code() == status_code::unsupported) return false;
    EXPECT_EQ(gpu.code(), cpu.code()) << name(what) << gpu.message();
    EXPECT_TRUE(got == wanted) << name(what) << ", ONEFOLD_TEST_SEED=" << seed();
    return true;
  }

  int served(const both& x, const axis_list& axes, const options& how) {
    int count = 0;
    for (const op what : all_ops) count += expect_equal(what, x, axes, how);
    return count;
  }
};

TEST_F(small, whole_arrays) {
  random_source random = source_of(210, 0);
  for (const dtype type : {dtype::f32, dtype::u8}) {
    const both x(type, 9000, random);
    const axis_list axes = {{9000, std::int64_t(size_bytes(type))}};
    options fast;
    fast.accuracy = accuracy::fast;
    EXPECT_GE(served(x, axes, {}), 20) << name(type);
    EXPECT_GE(served(x, axes, fast), 20) << name(type);
  }
}

TEST_F(small, rows_and_columns) {
  random_source random = source_of(211, 0);
  const both x(dtype::f32, 2400, random);
  const axis_list shapes[] = {{{40, 240}, {60, 4}}, {{3, 3200}, {800, 4}}, {{300, 32}, {8, 4}}};
  for (const axis_list& shape : shapes)
    for (const int axis : {0, 1}) {
      options how;
      how.axes = {axis};
      EXPECT_GE(served(x, shape, how), 15);
    }
}

TEST_F(small, scattered_elements) {
  random_source random = source_of(212, 0);
  const both x(dtype::f32, 2400, random);
  options how;
  how.axes = axis_set({0, 2});
  EXPECT_GE(served(x, {{10, 480}, {12, 4}, {5, 96}}, how), 15);
}

TEST_F(small, transposes) {
  random_source random = source_of(213, 0);
  for (const dtype type : {dtype::u8, dtype::f32}) {
    const auto item = std::int64_t(size_bytes(type));
    const both x(type, 64 * 48, random), out(type, 64 * 48, random);
    for (const std::int64_t columns : {48, 47, 2}) {
      const axis_list axes = {{64, columns * item}, {columns, item}};
      const axis_list turned = {{columns, 64 * item}, {64, item}};
      std::vector<std::byte> wanted(std::size_t(64 * columns * item)), got(wanted.size());
      ASSERT_TRUE(transpose(executor::cpu{}, x.host(axes), wanted.data(), turned).ok());
      const status done = transpose(executor::cuda{}, x.device(axes), out.memory(), turned);
      ASSERT_TRUE(done.ok()) << done.message();
      ASSERT_EQ(cudaMemcpy(got.data(), out.memory(), got.size(), cudaMemcpyDefault), cudaSuccess);
      EXPECT_TRUE(got == wanted) << name(type) << columns;
    }
  }
}

}  // namespace
}  // namespace onefold::cuda::test
