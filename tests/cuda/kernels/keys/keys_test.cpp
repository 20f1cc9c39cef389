// SPDX-License-Identifier: Apache-2.0
// Runs of ascending keys under the executor: where they begin, and what their keys are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "onefold/dtype.hpp"
#include "simt/device.hpp"
#include "support/random.hpp"
#include "tests/cuda/kernels/keys/kernels.hpp"

namespace onefold::test {
namespace {

template <class T>
struct found_runs {
  bool falls;
  std::vector<std::int64_t> offsets;
  std::vector<T> keys;
};

// The keys begin `past` keys behind a multiple of 16 bytes.
template <class T>
found_runs<T> run(const std::vector<T>& keys, int past = 0) {
  simt::device gpu;
  const auto n = std::int64_t(keys.size());
  std::vector<T> padded(std::size_t(past), T(0));
  padded.insert(padded.end(), keys.begin(), keys.end());
  const cuda::key_list list = {gpu.memory().copy(std::span<const T>(padded), "keys") + past, n,
                               cuda::kind_of(dtype_of<T>)};
  const std::vector<std::int64_t> zeros(cuda::key_words(n));
  auto* const words = gpu.memory().copy(std::span<const std::int64_t>(zeros), "words");
  auto* const bits = gpu.memory().allocate<std::uint32_t>(cuda::key_bytes(list) / 4, "bits");
  run_key_counts(gpu, list, words, bits);
  const std::int64_t runs = words[zeros.size() - 2];
  found_runs<T> made{words[zeros.size() - 1] != 0, {}, {}};
  if (made.falls) return made;
  auto* const offsets = gpu.memory().allocate<std::int64_t>(std::size_t(runs) + 1, "offsets");
  auto* const left = gpu.memory().allocate<T>(std::size_t(runs), "left");
  run_key_runs(gpu, list, words, bits, offsets, left);
  for (const simt::finding& f : gpu.report())
    ADD_FAILURE() << n << " keys, seed " << seed() << ": " << f.text();
  made.offsets.assign(offsets, offsets + runs + 1);
  made.keys.assign(left, left + runs);
  return made;
}

template <class T>
void expect_runs(const std::vector<T>& keys, int past) {
  const found_runs<T> got = run(keys, past);
  const auto where = std::to_string(keys.size()) + " keys, seed " + std::to_string(seed());
  EXPECT_FALSE(got.falls) << where;
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (i == 0 || keys[i] != keys[i - 1]) offsets.push_back(std::int64_t(i));
  offsets.push_back(std::int64_t(keys.size()));
  ASSERT_EQ(got.offsets, offsets) << where;
  for (std::size_t k = 0; k < got.keys.size(); ++k)
    ASSERT_EQ(got.keys[k], keys[std::size_t(offsets[k])]) << where;
}

template <class T>
class cuda_keys : public testing::Test {};
using integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(cuda_keys, integers);

TYPED_TEST(cuda_keys, have_their_runs_in_every_number_of_tiles_and_blocks) {
  using T = TypeParam;
  for (const int n : {1, 2, 31, 1023, 1024, 1025, 2049, 5000, 8176, 8177, 8192, 9000, 20'000}) {
    random_source random = source_of(1, std::uint64_t(n));
    const bool few = random.one_in(2);
    std::vector<T> keys(std::size_t(n), T(0));
    for (T& key : keys) key = few ? T(random.below(5)) : T(random());
    if (random.one_in(2)) keys[0] = std::numeric_limits<T>::min();
    if (random.one_in(2)) keys.back() = std::numeric_limits<T>::max();
    std::sort(keys.begin(), keys.end());
    expect_runs(keys, int(random.below(16 / sizeof(T))));
  }
}

// About as many runs of a block as have their keys kept, and one at every place of a lane.
TYPED_TEST(cuda_keys, have_runs_of_every_length) {
  using T = TypeParam;
  for (const int length : {1, 2, 7, 8, 9, 31, 32, 33, 100, 1024}) {
    std::vector<T> keys(std::size_t(17'000), T(0));
    const std::size_t most = sizeof(T) == 1 ? 120 : sizeof(T) == 2 ? 30'000 : 1'000'000;
    for (std::size_t i = 0; i < keys.size(); ++i)
      keys[i] = T(std::min(i / std::size_t(length), most));
    expect_runs(keys, length % int(16 / sizeof(T)));
  }
}

TYPED_TEST(cuda_keys, that_fall_are_found) {
  using T = TypeParam;
  for (int i = 0; i < 6; ++i) {
    random_source random = source_of(2, std::uint64_t(i));
    std::vector<T> keys(std::size_t(random.between(2, 20'000)), T(7));
    keys[1 + random.below(keys.size() - 1)] = T(std::is_signed_v<T> && i % 2 == 0 ? -1 : 6);
    EXPECT_TRUE(run(keys).falls) << "seed " << seed();
  }
}

}  // namespace
}  // namespace onefold::test
