// SPDX-License-Identifier: Apache-2.0
// Segments on a device: the CPU's answers and statuses. Skipped where there is no device.
#include <cstring>
#include <string>
#include <vector>

#include "cuda/device_test.hpp"
#include "cuda/kernels/segments/segments.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "onefold/onefold.hpp"
#include "onefold/segments.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::random_source;
using onefold::test::seed;
using onefold::test::source_of;
using offset_list = std::vector<std::int64_t>;
using byte_list = std::vector<std::byte>;

class segments_on_gpu : public with_device {};

struct tested_request {
  onefold::op op = onefold::op::sum;
  dtype input = dtype::f32, output = dtype::f32;
  options how;
  offset_list offsets;
  byte_list x;
  std::size_t shift = 0;
  bool host_offsets = false;

  std::int64_t width() const { return std::int64_t(size_bytes(input)); }
  std::int64_t items() const { return std::int64_t(x.size()) / width(); }
  std::int64_t count() const { return std::int64_t(offsets.size()) - 1; }
  std::size_t output_bytes() const {
    return std::size_t(count() * answers_of(op)) * size_bytes(output);
  }
  output_view out(void* at) const {
    const auto item = std::int64_t(size_bytes(output));
    const axis_list pairs = {{count(), 2 * item}, {2, item}}, single = {{count(), item}};
    return {at, output, answers_of(op) > 1 ? pairs : single};
  }
  std::string text() const {
    return std::string(name(op)) + " of " + std::string(name(input)) + " to " +
           std::string(name(output)) + ", " + std::to_string(count()) + " segments of " +
           std::to_string(items()) + " elements, shift " + std::to_string(shift) + ", seed " +
           std::to_string(seed());
  }
};

struct outcome {
  status done;
  byte_list bytes;
};

outcome on_cpu(const tested_request& request) {
  outcome made{{}, byte_list(request.output_bytes())};
  const array_view x(request.x.data(), request.input, {{request.items(), request.width()}});
  made.done = reduce_segments(executor::cpu{}, request.op, x, request.offsets,
                              request.out(made.bytes.data()), request.how);
  return made;
}

outcome on_gpu(const tested_request& request) {
  outcome made{{}, byte_list(request.output_bytes())};
  const device_bytes x(request.x, request.shift), offsets(request.offsets), out(made.bytes);
  const std::span<const std::int64_t> there(reinterpret_cast<const std::int64_t*>(offsets.data()),
                                            request.offsets.size());
  const array_view view(x.data(), request.input, {{request.items(), request.width()}});
  made.done = reduce_segments(executor::cuda{}, request.op, view,
                              request.host_offsets ? std::span(request.offsets) : there,
                              request.out(out.data()), request.how);
  EXPECT_EQ(cudaMemcpy(made.bytes.data(), out.data(), made.bytes.size(), cudaMemcpyDefault),
            cudaSuccess);
  return made;
}

void expect_same(const tested_request& request) {
  const outcome wanted = on_cpu(request), got = on_gpu(request);
  ASSERT_EQ(got.done.code(), wanted.done.code()) << request.text() << ": " << got.done.message();
  EXPECT_EQ(got.done.message(), wanted.done.message()) << request.text();
  if (wanted.done.ok()) {
    EXPECT_EQ(std::memcmp(got.bytes.data(), wanted.bytes.data(), got.bytes.size()), 0)
        << request.text();
  }
}

// Lengths of every kind: none, one, few, thousands, one long segment.
offset_list random_offsets(random_source& random, std::int64_t start) {
  offset_list made = {start};
  const std::uint64_t kind = random.below(5);
  const int count = kind == 3 ? random.between(1, 40) : random.between(1, 5000);
  const int long_one = kind == 4 ? random.between(0, count - 1) : -1;
  for (int k = 0; k < count; ++k) {
    int length = kind == 0 ? 1 : kind == 1 ? random.between(0, 3) : random.between(0, 40);
    if (kind == 3) length = random.between(0, 8000);
    if (k == long_one) length = random.between(100'000, 400'000);
    made.push_back(made.back() + length);
  }
  return made;
}

byte_list random_elements(random_source& random, dtype type, std::int64_t n) {
  byte_list bytes(std::size_t(n) * size_bytes(type));
  const std::uint64_t kind = random.below(3);  // any bits, few different ones, small values
  for (auto& byte : bytes) byte = std::byte(kind == 1 && random.one_in(3) ? 0 : random());
  // The lowest byte of each alone: small integers, or tiny floats.
  const std::size_t width = size_bytes(type);
  for (std::size_t i = 0; kind == 2 && i < bytes.size(); ++i)
    if (i % width != 0) bytes[i] = std::byte(0);
  return bytes;
}

tested_request random_request(random_source& random, op op, dtype type) {
  tested_request request;
  request.op = op, request.input = type, request.output = default_output(op, type);
  request.offsets = random_offsets(random, random.one_in(2) ? 0 : random.between(0, 100));
  const std::int64_t items = request.offsets.back() + random.between(0, 10);
  request.x = random_elements(random, type, items);
  request.shift = random.one_in(2) ? 0 : random.below(16 / size_bytes(type)) * size_bytes(type);
  request.host_offsets = random.one_in(4);
  request.how.first_index = random.between(0, 3);
  return request;
}

TEST_F(segments_on_gpu, random_ones_of_every_operator_and_type) {
  int taken = 0;
  for (const op op : all_ops)
    for (const dtype type : all_dtypes) {
      const kernel_query plain = {op, accuracy::exact, type, default_output(op, type)};
      if (!has_kernel(kernel_family::segments, plain)) continue;
      for (std::int64_t i = 0; i < cases(3); ++i, ++taken) {
        random_source random =
            source_of(std::uint64_t(op) * 100 + std::uint64_t(type), std::uint64_t(i));
        expect_same(random_request(random, op, type));
        if (HasFatalFailure()) return;
      }
    }
  EXPECT_GT(taken, 30);
}

TEST_F(segments_on_gpu, offsets_that_are_wrong_are_named_as_by_the_cpu) {
  tested_request request;
  request.x.resize(400);
  for (const offset_list& offsets :
       {offset_list{-1, 3}, offset_list{0, 5, 4, 9}, offset_list{0, 101}, offset_list{7},
        offset_list{101}, offset_list{0, std::int64_t(1) << 62, 100}})
    for (const bool host : {false, true}) {
      request.offsets = offsets, request.host_offsets = host;
      expect_same(request);
    }
}

TEST_F(segments_on_gpu, sums_that_do_not_fit_are_refused) {
  tested_request request;
  request.input = request.output = dtype::i64;
  const std::vector<std::int64_t> x(100, std::int64_t(1) << 62);
  request.x.resize(800);
  std::memcpy(request.x.data(), x.data(), 800);
  request.offsets = {0, 1, 2, 100};
  expect_same(request);
}

TEST_F(segments_on_gpu, what_is_not_served_is_refused_with_a_remedy) {
  const std::vector<float> x(8, 1.0F);
  const device_bytes there(x), out(x);
  const offset_list offsets = {0, 3, 8};
  float answers[2] = {};
  const auto refused = [&](const array_view& view, void* to, dtype type, const options& how) {
    const output_view output(to, type, {{2, std::int64_t(size_bytes(type))}});
    const auto got = reduce_segments(executor::cuda{}, op::sum, view, offsets, output, how);
    EXPECT_EQ(got.code(), status_code::unsupported) << got.message();
    EXPECT_NE(got.message().find("executor::cpu"), std::string::npos) << got.message();
  };
  const array_view view(there.data(), dtype::f32, {{8, 4}});
  refused(array_view(x), out.data(), dtype::f32, {});
  refused(view, answers, dtype::f32, {});
  refused(view, out.data(), dtype::f64, {});
  refused(array_view(there.data(), dtype::f32, {{8, 0}}), out.data(), dtype::f32, {});
  options how;
  how.initial = scalar(1);
  refused(view, out.data(), dtype::f32, how);
  how = {};
  how.nan_policy = nan_policy::omit;
  refused(view, out.data(), dtype::f32, how);
  how = {};
  const std::uint8_t mask[8] = {};
  how.where = array_view(mask, 8);
  refused(view, out.data(), dtype::f32, how);
}

// By reduce: those that are answered where they are, and those that are waited for.
void expect_same_rows(random_source& random, op op, dtype type, std::int64_t rows, std::int64_t n,
                      const options& how) {
  const dtype output = default_output(op, type);
  const auto width = std::int64_t(size_bytes(type)), item = std::int64_t(size_bytes(output));
  const std::int64_t row = n + (random.one_in(2) ? 0 : random.between(1, 3));  // dense, or not
  const byte_list x = random_elements(random, type, rows * row);
  const device_bytes there(x, std::size_t(width * random.between(0, 3)));
  const std::int64_t each = answers_of(op);
  byte_list wanted(std::size_t(rows * each * item));
  const device_bytes out(wanted.size());
  const axis_list axes = {{rows, row * width}, {n, width}};
  const axis_list places =
      each > 1 ? axis_list{{rows, 2 * item}, {2, item}} : axis_list{{rows, item}};
  const auto right = reduce(executor::cpu{}, op, {array_view(x.data(), type, axes)},
                            output_view(wanted.data(), output, places), how);
  const auto done = reduce(executor::cuda{}, op, {array_view(there.data(), type, axes)},
                           output_view(out.data(), output, places), how);
  const std::string where = std::string(name(op)) + " of " + std::string(name(type)) + " [" +
                            std::to_string(rows) + "][" + std::to_string(n) + "], seed " +
                            std::to_string(seed());
  EXPECT_EQ(done.code(), right.code()) << where << ": " << done.message();
  if (right.ok()) {
    EXPECT_EQ(out.get<std::byte>(wanted.size()), wanted) << where;
  }
}

TEST_F(segments_on_gpu, rows_of_every_operator_that_selects) {
  const std::int64_t shapes[][2] = {{3000, 1}, {999, 7}, {500, 32}, {77, 1024}, {3, 100'003}};
  std::uint64_t index = 0;
  for (const op op : all_ops) {
    if (!segments_take_rows(op)) continue;
    for (const dtype type : all_dtypes) {
      if (accumulator_of(op) == accumulator::bits && is_floating(type)) continue;
      for (const auto& shape : shapes) {
        random_source random = source_of(93, index++);
        options how;
        how.axes = {1}, how.first_index = random.between(0, 3);
        if (is_floating(type) && random.one_in(3)) how.nan_policy = nan_policy::omit;
        expect_same_rows(random, op, type, shape[0], shape[1], how);
      }
    }
  }
}

// Rows of whole vectors, more than there are warps; of few values, so that the greatest comes
// again.
TEST_F(segments_on_gpu, many_rows_of_whole_vectors) {
  random_source random = source_of(31, 0);
  for (const std::int64_t length : {16, 32, 520}) {
    const std::int64_t rows = length < 100 ? 280'000 : 9'000;
    std::vector<float> x(std::size_t(rows * length));
    for (float& value : x) value = float(random.between(-40, 40));
    const device_bytes there(x);
    for (const op op : {op::max, op::argmin, op::argmax, op::count_nonzero}) {
      const dtype output = default_output(op, dtype::f32);
      const auto item = std::int64_t(size_bytes(output));
      byte_list wanted(std::size_t(rows * item)), got(wanted.size());
      const device_bytes out(got);
      const axis_list shape = {{rows, 4 * length}, {length, 4}};
      options how;
      how.axes = {1};
      const auto on = [&](const executor& device, const void* from, void* to) {
        return reduce(device, op, {array_view(from, dtype::f32, shape)},
                      output_view(to, output, {{rows, item}}), how);
      };
      ASSERT_TRUE(on(executor::cpu{}, x.data(), wanted.data()).ok());
      const status done = on(executor::cuda{}, there.data(), out.data());
      ASSERT_TRUE(done.ok()) << done.message();
      ASSERT_EQ(cudaMemcpy(got.data(), out.data(), got.size(), cudaMemcpyDefault), cudaSuccess);
      EXPECT_TRUE(got == wanted) << name(op) << " of rows of " << length << ", seed " << seed();
    }
  }
}

}  // namespace
}  // namespace onefold::cuda::test
