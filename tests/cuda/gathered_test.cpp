// SPDX-License-Identifier: Apache-2.0
// Requests of elements that are not contiguous: the windows that are copied, and answers over a
// runtime that works when it is waited for.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "cuda/fake_runtime.hpp"
#include "cuda/plan/launch.hpp"
#include "cuda/runtime/slot.hpp"
#include "cuda/runtime/workspace.hpp"
#include "onefold/onefold.hpp"
#include "request/reduction.hpp"
#include "support/random.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;

// Where the elements of all indices are, the last axis fastest.
std::vector<std::int64_t> places_of(const loop_nest& axes, std::int64_t first) {
  std::vector<std::int64_t> places = {first};
  for (const loop_axis& axis : axes) {
    std::vector<std::int64_t> next;
    for (const std::int64_t place : places)
      for (std::int64_t i = 0; i < axis.extent; ++i) next.push_back(place + i * axis.x_bytes);
    places = next;
  }
  return places;
}

TEST(cuda_gathered, windows_have_all_answers_in_order) {
  for (std::uint64_t k = 0; k < 300; ++k) {
    random_source random = source_of(770, k);
    loop_nest kept;
    for (int i = int(random.below(5)); i > 0; --i)
      kept.push_back({random.between(1, 12), random.between(1, 1000), 0, 0, 0});
    const std::int64_t bytes = random.between(1, 64), most = random.between(1, 4000);
    std::vector<std::int64_t> found;
    for (const answer_window& window : windows_of(kept, bytes, most)) {
      EXPECT_EQ(window.first, std::int64_t(found.size()));
      const auto part = places_of(window.kept, window.x_bytes);
      EXPECT_TRUE(part.size() == 1 || std::int64_t(part.size()) * bytes <= most);
      found.insert(found.end(), part.begin(), part.end());
    }
    EXPECT_EQ(found, places_of(kept, 0)) << "ONEFOLD_TEST_SEED=" << seed();
  }
}

TEST(cuda_gathered, windows_are_as_large_as_they_may_be) {
  loop_nest kept;
  for (const std::int64_t extent : {6, 5, 1000}) kept.push_back({extent, 8, 0, 0, 0});
  EXPECT_EQ(windows_of(kept, 4, 30 * 4000).size(), 1u);
  EXPECT_EQ(windows_of(kept, 4, 20 * 4000).size(), 2u) << "four of the six, and two";
  EXPECT_EQ(windows_of(kept, 4, 4 * 4000).size(), 12u) << "of each of the six four, and one";
  EXPECT_EQ(windows_of(kept, 4, 3999).size(), 60u) << "of whole vectors: 992 of 1000, and 8";
}

class device_copy {
 public:
  explicit device_copy(std::size_t bytes) { EXPECT_EQ(cudaMalloc(&at_, bytes), cudaSuccess); }
  device_copy(const device_copy&) = delete;
  device_copy& operator=(const device_copy&) = delete;
  ~device_copy() { cudaFree(at_); }
  std::byte* data() const { return static_cast<std::byte*>(at_); }

 private:
  void* at_ = nullptr;
};

/// A view of any axes, and the memory that it spans.
struct sample {
  axis_list axes;
  axis_set over;
  std::int64_t origin = 0, bytes = 0;
  std::vector<std::byte> memory;
};

sample random_sample(dtype type, random_source& random) {
  const auto width = std::int64_t(size_bytes(type));
  std::vector<axis_layout> axes;
  std::int64_t step = width, below = 0;
  for (int i = int(random.between(1, 4)); i > 0; --i) {
    const std::int64_t extent = random.between(1, 9);
    if (random.one_in(2)) step += width * std::int64_t(random.below(3));
    axes.push_back({extent, step});
    step *= extent;
  }
  for (std::size_t i = axes.size(); i > 1; --i)
    std::swap(axes[i - 1], axes[random.below(std::uint64_t(i))]);
  sample made;
  std::vector<int> over;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (random.one_in(4)) axes[i].stride_bytes = -axes[i].stride_bytes;
    below += std::max<std::int64_t>(0, -axes[i].stride_bytes) * (axes[i].extent - 1);
    made.axes.push_back(axes[i]);
    if (random.one_in(2)) over.push_back(int(i));
  }
  made.over = axis_set(over);
  made.origin = below + (random.one_in(4) ? width : 0), made.bytes = step + 2 * width;
  made.memory.resize(std::size_t(made.bytes));
  for (std::int64_t at = 0; at + width <= made.bytes; at += width) {
    const float value = float(random.between(-40, 40)) / 8;
    // Integers whose squares' sums fit: a byte, and zeros.
    if (type == dtype::f32)
      std::memcpy(&made.memory[std::size_t(at)], &value, sizeof value);
    else
      made.memory[std::size_t(at)] = std::byte(random() >> 56);
  }
  return made;
}

// Whether the request is answered by windows of so many bytes; then with the host's bits.
bool expect_same(op op, dtype type, const sample& given, std::int64_t window_bytes,
                 const std::string& where) {
  options how;
  how.axes = given.over;
  const device_copy elements(std::size_t(given.bytes));
  EXPECT_EQ(
      cudaMemcpy(elements.data(), given.memory.data(), std::size_t(given.bytes), cudaMemcpyDefault),
      cudaSuccess);
  const array_view host(given.memory.data() + given.origin, type, given.axes);
  const array_view device(elements.data() + given.origin, type, given.axes);
  auto shape = answer_shape(host, how);
  if (answers_of(op) > 1) shape.push_back(2);
  const dtype output = default_output(op, type);
  const axis_list dense = row_major(shape, std::int64_t(size_bytes(output)));
  std::size_t bytes = size_bytes(output);
  for (const std::int64_t extent : shape) bytes *= std::size_t(extent);
  const auto made = make_plan(executor::cuda{}, op, device, how);
  EXPECT_TRUE(made.ok()) << made.why().message();
  const array_view views[] = {device};
  const reduction planned(*made, views, how);
  const request request = {*made,
                           how,
                           planned.x,
                           planned.y,
                           0,
                           made->outputs * made->items,
                           planned.mask,
                           planned.x_type,
                           planned.y_type};
  const device_copy answers(bytes);
  const output_view outputs[] = {{answers.data(), output, dense}};
  const auto launch = plan_gathered(request, outputs, 0, {.window_bytes = window_bytes});
  if (!launch) return false;
  const std::vector<std::byte> zeros(cleared_bytes);
  const device_copy cleared(zeros.size());
  EXPECT_EQ(cudaMemcpy(cleared.data(), zeros.data(), zeros.size(), cudaMemcpyDefault), cudaSuccess);
  const device_copy scratch(launch->answers_bytes + launch->elements_bytes + launch->kernels_bytes +
                            1);
  enqueue_gathered(*launch, 0, cleared.data(), scratch.data(), nullptr);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  std::vector<std::byte> wanted(bytes), got(bytes);
  EXPECT_TRUE(
      reduce(executor::cpu{1}, op, {host}, output_view(wanted.data(), output, dense), how).ok());
  EXPECT_EQ(cudaMemcpy(got.data(), answers.data(), bytes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(got, wanted) << where;
  return true;
}

TEST(cuda_gathered, answers_are_the_hosts) {
  int gathered = 0;
  for (std::uint64_t k = 0; k < 400; ++k) {
    random_source random = source_of(771, k);
    const dtype types[] = {dtype::f32, dtype::i8, dtype::u16, dtype::i64, dtype::boolean};
    const dtype type = types[random.below(5)];
    const op ops[] = {op::sum, op::mean, op::max,   op::argmin,    op::minmax,
                      op::any, op::var,  op::sumsq, op::logsumexp, op::count_nonzero};
    const op op = ops[random.below(10)];
    const sample given = random_sample(type, random);
    const std::int64_t window_bytes = random.between(1, 600);
    gathered +=
        expect_same(op, type, given, window_bytes,
                    std::string(name(op)) + " of " + std::string(name(type)) + ", case " +
                        std::to_string(k) + ", ONEFOLD_TEST_SEED=" + std::to_string(seed()));
  }
  EXPECT_GT(gathered, 100);
}

// Every other element of three rows: no launch waits, and the workspace is known before: sums are
// gathered, extrema read in place.
TEST(cuda_gathered, scattered_elements_are_answered_asynchronously) {
  std::vector<float> host(3 * 400);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = float(i * 7919 % 1013) * 0.37f - 100;
  const device_copy memory(host.size() * sizeof(float) + 256);
  ASSERT_EQ(cudaMemcpy(memory.data(), host.data(), host.size() * sizeof(float), cudaMemcpyDefault),
            cudaSuccess);
  std::byte* const to = memory.data() + host.size() * sizeof(float);
  const axis_list axes = {{3, 1600}, {200, 8}};
  const array_view there(memory.data(), dtype::f32, axes), here(host.data(), dtype::f32, axes);
  for (const bool whole : {false, true}) {
    options how;
    if (!whole) how.axes = {1};
    const axis_list places = whole ? axis_list() : axis_list{{3, 4}};
    const output_view out(to, dtype::f32, places);
    for (const op op : {op::max, op::norm1}) {
      float wanted[3] = {}, got[3] = {};
      ASSERT_TRUE(
          reduce(executor::cpu{1}, op, {here}, output_view(wanted, dtype::f32, places), how).ok());
      const int waited = waits_so_far();
      ASSERT_TRUE(reduce(executor::cuda{}, op, {there}, out, how).ok());
      EXPECT_EQ(waits_so_far(), waited);
      const auto size = workspace_size(executor::cuda{}, op, {there}, {out}, how);
      ASSERT_TRUE(size.ok()) << size.why().message();
      EXPECT_EQ(*size >= 600 * sizeof(float), op == op::norm1);
      ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
      ASSERT_EQ(cudaMemcpy(got, to, sizeof got, cudaMemcpyDefault), cudaSuccess);
      EXPECT_TRUE(std::equal(got, got + (whole ? 1 : 3), wanted));
    }
  }
}

// Where there is no memory for a window, kernels that need none answer.
TEST(cuda_gathered, needs_no_memory_of_windows) {
  const std::int64_t rows = 600, n = 24'000;
  std::vector<float> host(std::size_t(rows * n));
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = float(i * 7919 % 1013) * 0.37f - 100;
  const std::size_t bytes = host.size() * sizeof(float);
  const device_copy memory(bytes + rows * sizeof(float));
  ASSERT_EQ(cudaMemcpy(memory.data(), host.data(), bytes, cudaMemcpyDefault), cudaSuccess);
  const axis_list axes = {{rows, 4 * n}, {n / 2, 8}};
  const array_view there(memory.data(), dtype::f32, axes), here(host.data(), dtype::f32, axes);
  drop_kept_slots(0);
  for (const bool whole : {false, true}) {
    options how;
    if (!whole) how.axes = {1};
    const axis_list places = whole ? axis_list() : axis_list{{rows, 4}};
    std::vector<float> wanted(static_cast<std::size_t>(rows)), got(wanted.size());
    ASSERT_TRUE(reduce(executor::cpu{1}, op::max, {here},
                       output_view(wanted.data(), dtype::f32, places), how)
                    .ok());
    // The buffers of states fit next to the elements, of 16 MiB together; a window does not.
    limit_memory(bytes + (std::size_t(22) << 20));
    const status done = reduce(executor::cuda{}, op::max, {there},
                               output_view(memory.data() + bytes, dtype::f32, places), how);
    limit_memory(0);
    ASSERT_TRUE(done.ok()) << done.message();
    ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(got.data(), memory.data() + bytes, got.size() * sizeof(float),
                         cudaMemcpyDefault),
              cudaSuccess);
    EXPECT_TRUE(std::equal(got.begin(), got.begin() + (whole ? 1 : rows), wanted.begin()));
    drop_kept_slots(0);
  }
}

// To the host, and states: one window after another.
TEST(cuda_gathered, states_and_hosts_answers_of_scattered_elements) {
  std::vector<double> host(2 * 3000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = std::ldexp(double(i * 7919 % 1013), 30);
  const device_copy memory(host.size() * sizeof(double));
  ASSERT_EQ(cudaMemcpy(memory.data(), host.data(), host.size() * sizeof(double), cudaMemcpyDefault),
            cudaSuccess);
  const axis_list axes = {{3000, 16}};
  const array_view there(memory.data(), dtype::f64, axes), here(host.data(), dtype::f64, axes);
  for (const op op : {op::sum, op::argmax, op::var, op::logsumexp}) {
    options how;
    how.first_index = 7;
    double wanted = 0, got = 1;
    ASSERT_TRUE(reduce(executor::cpu{1}, op, {here}, output_view(wanted), how).ok());
    ASSERT_TRUE(reduce(executor::cuda{}, op, {there}, output_view(got), how).ok());
    EXPECT_EQ(got, wanted) << name(op);
    EXPECT_EQ(try_partial(executor::cuda{}, op, there, how).value(),
              try_partial(executor::cpu{1}, op, here, how).value())
        << name(op);
  }
}

}  // namespace
}  // namespace onefold::cuda::test
