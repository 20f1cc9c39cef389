// SPDX-License-Identifier: Apache-2.0
// Answers by keys on a device: the CPU's groups. Skipped where there is no device.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/device_test.hpp"
#include "onefold/keys.hpp"
#include "onefold/onefold.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;
using byte_list = std::vector<std::byte>;

class keys_on_gpu : public with_device {};

struct outcome {
  status done;
  std::int64_t groups = -1;
  byte_list keys, answers;
};

struct tested_request {
  onefold::op op;
  dtype key_type, type;
  byte_list keys, x;
  options how = {};

  dtype output() const { return default_output(op, type); }
  std::int64_t n() const { return std::int64_t(x.size() / size_bytes(type)); }
  array_view view(const void* at, dtype type) const {
    return {at, type, {{n(), std::int64_t(size_bytes(type))}}};
  }
};

outcome on_cpu(const tested_request& request) {
  outcome made;
  const auto make = [&](std::int64_t n) -> group_outputs {
    made.groups = n;
    made.keys.resize(std::size_t(n) * size_bytes(request.key_type));
    made.answers.resize(std::size_t(n) * size_bytes(request.output()));
    const auto item = std::int64_t(size_bytes(request.output()));
    return {made.keys.data(), {made.answers.data(), request.output(), {{n, item}}}};
  };
  made.done = reduce_by_key(executor::cpu{}, request.op,
                            request.view(request.keys.data(), request.key_type),
                            request.view(request.x.data(), request.type), make, request.how);
  return made;
}

outcome on_gpu(const tested_request& request) {
  outcome made;
  const device_bytes keys(request.keys), x(request.x), left(request.keys.size()),
      out(request.x.size() * 8);
  const auto make = [&](std::int64_t n) -> group_outputs {
    made.groups = n;
    return {left.data(),
            {out.data(), request.output(), {{n, std::int64_t(size_bytes(request.output()))}}}};
  };
  made.done =
      reduce_by_key(executor::cuda{}, request.op, request.view(keys.data(), request.key_type),
                    request.view(x.data(), request.type), make, request.how);
  if (made.groups < 0) return made;
  made.keys = left.get<std::byte>(std::size_t(made.groups) * size_bytes(request.key_type));
  made.answers = out.get<std::byte>(std::size_t(made.groups) * size_bytes(request.output()));
  return made;
}

// Ascending keys in runs of 1 to `longest`.
tested_request random_request(random_source& random, op op, dtype key_type, dtype type, int n,
                              int longest) {
  tested_request made{op, key_type, type, {}, byte_list(std::size_t(n) * size_bytes(type))};
  for (auto& byte : made.x) byte = std::byte(random());
  with_type(key_type, [&]<class T>(detail::tag<T>) {
    std::vector<T> keys(std::size_t(n), T(0));
    const int most = std::is_same_v<T, bool> ? 1 : sizeof(T) == 1 ? 127 : n;
    int key = std::is_signed_v<T> ? -100 : 0;
    for (int i = 0, left = 0; i < n; ++i, --left) {
      if (left == 0) left = random.between(1, longest), key += i > 0 && key < most;
      keys[std::size_t(i)] = T(key);
    }
    made.keys.resize(keys.size() * sizeof(T));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const T each = keys[i];
      std::memcpy(made.keys.data() + i * sizeof(T), &each, sizeof(T));
    }
  });
  return made;
}

void shuffle_keys(random_source& random, tested_request& request) {
  const std::size_t width = size_bytes(request.key_type);
  for (std::size_t i = request.keys.size() / width; i > 1; --i) {
    const std::size_t other = random.below(i);
    std::swap_ranges(request.keys.begin() + std::ptrdiff_t((i - 1) * width),
                     request.keys.begin() + std::ptrdiff_t(i * width),
                     request.keys.begin() + std::ptrdiff_t(other * width));
  }
}

TEST_F(keys_on_gpu, ascending_ones_of_every_type) {
  for (const dtype key_type : all_dtypes)
    for (const op op : {op::sum, op::max, op::argmin, op::count}) {
      if (is_floating(key_type)) continue;
      random_source random = source_of(std::uint64_t(key_type), std::uint64_t(op));
      const tested_request request =
          random_request(random, op, key_type, random.one_in(2) ? dtype::f32 : dtype::i16,
                         random.between(1, 6000), random.between(1, 200));
      const outcome wanted = on_cpu(request), got = on_gpu(request);
      ASSERT_TRUE(got.done.ok()) << got.done.message() << ", seed " << seed();
      EXPECT_EQ(got.keys, wanted.keys) << name(key_type) << ", seed " << seed();
      EXPECT_EQ(got.answers, wanted.answers) << name(key_type) << ", seed " << seed();
    }
}

// Elements of a key are taken in their order, so that positions are those of the CPU.
TEST_F(keys_on_gpu, in_any_order_of_every_type) {
  for (const dtype key_type : all_dtypes)
    for (const op op : {op::sum, op::mean, op::max, op::argmin, op::argmax, op::count})
      for (const dtype type : {dtype::f16, dtype::f32, dtype::f64, dtype::u8}) {
        if (is_floating(key_type)) continue;
        random_source random =
            source_of(1000 + std::uint64_t(key_type), std::uint64_t(op) * 20 + std::uint64_t(type));
        tested_request request = random_request(random, op, key_type, type, random.between(2, 6000),
                                                random.between(1, 200));
        shuffle_keys(random, request);
        request.how.first_index = random.between(0, 5);
        const outcome wanted = on_cpu(request), got = on_gpu(request);
        ASSERT_TRUE(got.done.ok()) << got.done.message() << ", seed " << seed();
        EXPECT_EQ(got.keys, wanted.keys) << name(key_type) << ", seed " << seed();
        EXPECT_EQ(got.answers, wanted.answers)
            << name(op) << " of " << name(type) << " by " << name(key_type) << ", seed " << seed();
      }
}

TEST_F(keys_on_gpu, a_million_in_any_order) {
  random_source random = source_of(8, 8);
  tested_request request = random_request(random, op::sum, dtype::i32, dtype::f32, 1 << 20, 3);
  shuffle_keys(random, request);
  const outcome wanted = on_cpu(request), got = on_gpu(request);
  ASSERT_TRUE(got.done.ok()) << got.done.message();
  EXPECT_EQ(got.keys, wanted.keys);
  EXPECT_EQ(got.answers, wanted.answers);
}

TEST_F(keys_on_gpu, groups_in_host_memory_are_refused_with_a_remedy) {
  random_source random = source_of(7, 7);
  const tested_request request = random_request(random, op::sum, dtype::i32, dtype::f32, 100, 3);
  const auto never = [](std::int64_t) -> group_outputs {
    ADD_FAILURE() << "asked for room";
    return {nullptr, {nullptr, dtype::f32, {{0, 4}}}};
  };
  const auto got =
      reduce_by_key(executor::cuda{}, op::sum, request.view(request.keys.data(), dtype::i32),
                    request.view(request.x.data(), dtype::f32), never);
  EXPECT_EQ(got.code(), status_code::unsupported);
  EXPECT_NE(got.message().find("host memory"), std::string::npos) << got.message();
}

}  // namespace
}  // namespace onefold::cuda::test
