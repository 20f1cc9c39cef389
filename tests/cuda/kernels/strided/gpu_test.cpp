// SPDX-License-Identifier: Apache-2.0
// Several answers and scattered elements on a device: the CPU's answers, bit for bit. Skipped where
// there is no device.
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "cuda/device_test.hpp"
#include "cuda/kernels/strided/strided.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "onefold/onefold.hpp"
#include "request/request.hpp"
#include "support/views.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::cases;
using onefold::test::random_source;
using onefold::test::random_view;
using onefold::test::seed;
using onefold::test::source_of;

class answers_on_gpu : public with_device {};

struct tested_request {
  onefold::op op;
  options how;
  dtype output;
  std::vector<std::byte> mask;
};

tested_request make_request(random_source& random, const random_view& x, op operation) {
  tested_request made{operation, {}, default_output(operation, x.type), {}};
  std::vector<int> axes;
  for (int i = 0; i < x.axes.size(); ++i)
    if (random.one_in(2)) axes.push_back(i);
  made.how.axes = axis_set(std::span<const int>(axes));
  made.how.nan_policy = nan_policy(random.below(3));
  made.how.first_index = random.between(0, 3);
  if (random.one_in(2)) made.how.accuracy = accuracy::fast;
  if (random.one_in(3)) made.output = random.one_in(2) ? dtype::f64 : dtype::i64;
  if (random.one_in(4) && operation == op::sum) made.how.initial = scalar(1);
  if (random.one_in(4) && operation != op::argmin && operation != op::argmax) {
    std::int64_t items = 1;
    for (const auto& axis : x.axes) items *= axis.extent;
    made.mask.resize(std::size_t(items) + 1);
    for (auto& byte : made.mask) byte = std::byte(random.one_in(3) ? 0 : random.between(1, 3));
  }
  return made;
}

void add_mask(tested_request& to, const random_view& x, const std::byte* at) {
  if (to.mask.empty()) return;
  std::vector<std::int64_t> extents;
  for (const auto& axis : x.axes) extents.push_back(axis.extent);
  to.how.where = array_view(at, dtype::boolean, row_major(extents, 1));
}

using bytes = std::vector<std::byte>;

output_view output_for(const tested_request& request, const random_view& x, void* at) {
  auto shape = answer_shape(x.view(), request.how);
  if (answers_of(request.op) > 1) shape.push_back(answers_of(request.op));
  return {at, request.output, row_major(shape, std::int64_t(size_bytes(request.output)))};
}

status run(const executor& on, const tested_request& request, const array_view& x,
           const array_view& y, const output_view& to) {
  const array_view both[] = {x, y};
  const bool two = inputs_of(request.op) == 2;
  options how = request.how;
  how.accuracy = accuracy_on_device(request.op, loop_type({both, two ? 2U : 1U}), how.accuracy);
  const options& asked_for = on.gpu() ? request.how : how;
  return two ? reduce(on, request.op, {x, y}, to, asked_for)
             : reduce(on, request.op, {x}, to, asked_for);
}

void expect_equal(random_source& random, op op, const random_view& x, const random_view& y,
                  const std::string& where) {
  tested_request request = make_request(random, x, op);
  add_mask(request, x, request.mask.data());
  std::int64_t outputs = answers_of(op);
  for (const std::int64_t extent : answer_shape(x.view(), request.how)) outputs *= extent;
  const bytes nothing(std::size_t(outputs) * size_bytes(request.output) + 1, std::byte(0x5A));
  bytes wanted = nothing, got = nothing;
  const array_view other(y.origin(), y.type, x.axes);
  const auto cpu =
      run(executor::cpu{1}, request, x.view(), other, output_for(request, x, wanted.data()));
  const auto host =
      run(executor::cuda{}, request, x.view(), other, output_for(request, x, got.data()));
  ASSERT_EQ(host.code(), cpu.code()) << where << "\n" << host.message() << "\n" << cpu.message();
  if (cpu.ok()) {
    EXPECT_EQ(got, wanted) << where << ", data of the host";
  }
  const device_bytes dx(x.memory), dy(y.memory), dmask(request.mask), there_bytes(nothing);
  add_mask(request, x, dmask.data());
  const auto there =
      run(executor::cuda{}, request, {dx.data() + x.before, x.type, x.axes},
          {dy.data() + y.before, y.type, x.axes}, output_for(request, x, there_bytes.data()));
  ASSERT_EQ(there.code(), cpu.code()) << where << "\n"
                                      << there.message() << "\n"
                                      << cpu.message() << ", " << outputs << " answers";
  ASSERT_EQ(cudaMemcpy(got.data(), there_bytes.data(), got.size(), cudaMemcpyDefault), cudaSuccess);
  if (cpu.ok()) {
    EXPECT_EQ(got, wanted) << where << ", data of the device";
  }
}

bool served(op op, dtype type) {
  // Requests without kept axes may be of whole arrays.
  const accumulator kind = accumulator_of(op);
  return has_kernel(kernel_family::strided, kind, accuracy::exact, type) &&
         (kind > accumulator::bits || has_kernel(kernel_family::full, kind, accuracy::exact, type));
}

TEST_F(answers_on_gpu, of_random_requests) {
  const std::int64_t count = cases(600, 100);
  for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
    random_source random = source_of(3500, std::uint64_t(k));
    const dtype type = all_dtypes[random.below(std::size(all_dtypes))];
    const op op = all_ops[random.below(std::size(all_ops))];
    if (!served(op, type)) continue;
    auto x = onefold::test::make_view(random, type, random.between(0, 4), 2000), y = x;
    for (auto& byte : y.memory) byte = std::byte(random() >> 9);
    if (inputs_of(op) == 2 && random.one_in(2))
      y.type = all_dtypes[random.below(std::size(all_dtypes))];
    expect_equal(random, op, x, y,
                 "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + ", request " + std::to_string(k) +
                     ": " + std::string(name(op)) + " of " + onefold::test::text_of(x));
  }
}

std::vector<float> ramp(std::int64_t n) {
  std::vector<float> made(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = float(i * 7919 % 10'007) - 5000.F;
  return made;
}

// Columns and rows in one part and in several, in one piece and in many; with gaps, and of every
// other element.
TEST_F(answers_on_gpu, of_columns_and_of_two_axes) {
  const std::int64_t across = 300, rows = 20;
  for (const std::int64_t inner : {3, 40, 700}) {
    const std::vector<float> x = ramp(across * rows * inner * 2);
    const device_bytes data(x), answers(x.size() * sizeof(double));
    for (const auto [step, row] :
         {std::pair(1, inner), std::pair(1, inner + 1), std::pair(2, 2 * inner)})
      for (const axis_set over :
           {axis_set{0}, axis_set{0, 2}, axis_set{1, 2}, axis_set{2}, axis_set{0, 1, 2}})
        for (const op op :
             {op::sum, op::norm2, op::var, op::max, op::argmin, op::count_nonzero, op::logsumexp}) {
          tested_request request{op, {}, default_output(op, dtype::f32), {}};
          request.how.axes = over;
          const auto width = std::int64_t(size_bytes(request.output));
          const auto view = [&](const void* at) {
            return array_view(at, dtype::f32,
                              {{across, 4 * rows * row}, {rows, 4 * row}, {inner, 4 * step}});
          };
          const auto shape = answer_shape(view(x.data()), request.how);
          const auto to = [&](void* at) {
            return output_view(at, request.output, row_major(shape, width));
          };
          std::int64_t outputs = 1;
          for (const std::int64_t extent : shape) outputs *= extent;
          bytes wanted(std::size_t(outputs * width)), got(wanted.size());
          ASSERT_TRUE(
              reduce(executor::cpu{}, op, {view(x.data())}, to(wanted.data()), request.how).ok());
          const auto done =
              reduce(executor::cuda{}, op, {view(data.data())}, to(answers.data()), request.how);
          ASSERT_TRUE(done.ok()) << done.message();
          ASSERT_EQ(cudaMemcpy(got.data(), answers.data(), got.size(), cudaMemcpyDefault),
                    cudaSuccess);
          EXPECT_EQ(got, wanted) << name(op) << " of " << inner << ", steps of " << step
                                 << ", rows of " << row << ", over " << over.list().size()
                                 << " axes";
        }
  }
}

// Few long columns, of which blocks join parts: logarithms by windows that cover their largest
// elements, and that do not.
TEST_F(answers_on_gpu, of_few_long_columns) {
  for (const std::int64_t inner : {1, 2, 3, 8, 33, 64})
    for (const float width : {1.F, 30.F}) {
      const std::int64_t n = inner == 3 ? 140'000 : 20'000;
      random_source random = source_of(3510, std::uint64_t(inner));
      std::vector<float> x(std::size_t(n * inner));
      for (float& each : x) each = width * float(random.normal());
      const device_bytes there(x), answers(std::size_t(inner) * 8);
      options how;
      how.axes = axis_set({0});
      for (const op op : {op::logsumexp, op::var, op::argmax, op::min}) {
        const dtype type = default_output(op, dtype::f32);
        const auto run_on = [&](const executor& on, const void* from, void* to) {
          return reduce(on, op, {array_view(from, dtype::f32, {{n, 4 * inner}, {inner, 4}})},
                        output_view(to, type, {{inner, std::int64_t(size_bytes(type))}}), how);
        };
        bytes wanted(std::size_t(inner) * size_bytes(type)), got(wanted.size());
        ASSERT_TRUE(run_on(executor::cpu{}, x.data(), wanted.data()).ok());
        const auto done = run_on(executor::cuda{}, there.data(), answers.data());
        ASSERT_TRUE(done.ok()) << done.message();
        ASSERT_EQ(cudaMemcpy(got.data(), answers.data(), got.size(), cudaMemcpyDefault),
                  cudaSuccess);
        EXPECT_EQ(got, wanted) << name(op) << " of columns of " << inner << ", width " << width;
      }
    }
}

// More words than a batch holds, and rows that are cut into pieces.
TEST_F(answers_on_gpu, of_many_batches_and_of_long_rows) {
  for (const std::int64_t rows : {3, 40'000}) {
    const std::int64_t items = rows == 3 ? 200'000 : 7;
    const auto x = ramp(rows * items);
    const view<float> matrix(x.data(), {rows, items});
    for (const int axis : {0, 1}) {
      options how;
      how.axes = axis_set({axis});
      std::int64_t outcome = 0;
      how.progress = [&](std::int64_t done, std::int64_t all) {
        EXPECT_GE(done, outcome);
        EXPECT_EQ(all, rows * items);
        outcome = done;
      };
      const auto outputs = std::size_t(axis == 0 ? items : rows);
      std::vector<float> sums(outputs), wanted_sums(outputs);
      std::vector<std::int64_t> places(outputs), wanted_places(outputs);
      const op_list ops = {axis == 0 ? op::sum : op::stddev, op::argmax};
      const auto to = [&](auto& values) {
        using T = std::remove_reference_t<decltype(values[0])>;
        return output_view(values.data(), dtype_of<T>,
                           {{std::int64_t(outputs), std::int64_t(sizeof(T))}});
      };
      const auto done = reduce(executor::cuda{}, ops, {matrix}, {to(sums), to(places)}, how);
      ASSERT_TRUE(done.ok()) << done.message();
      EXPECT_EQ(outcome, rows * items);
      how.progress = {};
      ASSERT_TRUE(
          reduce(executor::cpu{}, ops, {matrix}, {to(wanted_sums), to(wanted_places)}, how).ok());
      EXPECT_EQ(sums, wanted_sums);
      EXPECT_EQ(places, wanted_places);
    }
  }
}

// What stays: moments by intervals, short rows side by side, rows that begin anywhere, and
// logarithms.
TEST_F(answers_on_gpu, of_rows_in_device_memory) {
  for (const std::int64_t n : {2, 9, 31, 100, 256, 1000, 1024, 5000, 16'384}) {
    const std::int64_t rows = 300'000 / n + 3;
    auto x = ramp(rows * n);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * 0.0137F + 3;
    x[x.size() / 2] = std::numeric_limits<float>::infinity(), x[1] = 1e30F;
    bytes memory(x.size() * 4), room(std::size_t(rows) * 16);
    std::memcpy(memory.data(), x.data(), memory.size());
    const device_bytes there(memory), answers(room);
    options how;
    how.axes = axis_set({1});
    const auto run_on = [&](const executor& on, const void* from, std::byte* to) {
      const array_view matrix(from, dtype::f32, {{rows, 4 * n}, {n, 4}});
      const auto at = [&](int i) {
        return output_view(to + i * 4 * rows, dtype::f32, {{rows, 4}});
      };
      auto done = reduce(on, {op::var, op::mean}, {matrix}, {at(0), at(1)}, how);
      if (done.ok()) done = reduce(on, op::stddev, {matrix}, at(2), how);
      return done.ok() ? reduce(on, op::logsumexp, {matrix}, at(3), how) : done;
    };
    bytes wanted(room.size()), got(room.size());
    ASSERT_TRUE(run_on(executor::cpu{}, x.data(), wanted.data()).ok());
    const auto done = run_on(executor::cuda{}, there.data(), answers.data());
    ASSERT_TRUE(done.ok()) << done.message();
    ASSERT_EQ(cudaMemcpy(got.data(), answers.data(), got.size(), cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(got, wanted) << n;
  }
}

// NaNs that are left out, in rows of elements that tiles, warps and groups of lanes take.
TEST_F(answers_on_gpu, of_rows_of_logsumexp_without_nans) {
  for (const std::int64_t n : {3, 100, 1024, 3000}) {
    const std::int64_t rows = 60'000 / n + 3;
    auto x = ramp(rows * n);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * 0.0137F + 3;
    for (std::size_t i = 0; i < x.size(); i += 7) x[i] = std::numeric_limits<float>::quiet_NaN();
    const device_bytes there(x), answers(std::size_t(rows) * 4);
    options how;
    how.axes = axis_set({1}), how.nan_policy = nan_policy::omit;
    const auto run_on = [&](const executor& on, const void* from, void* to) {
      return reduce(on, op::logsumexp, {array_view(from, dtype::f32, {{rows, 4 * n}, {n, 4}})},
                    output_view(to, dtype::f32, {{rows, 4}}), how);
    };
    std::vector<float> wanted(static_cast<std::size_t>(rows)), got(wanted.size());
    ASSERT_TRUE(run_on(executor::cpu{}, x.data(), wanted.data()).ok());
    const auto done = run_on(executor::cuda{}, there.data(), answers.data());
    ASSERT_TRUE(done.ok()) << done.message();
    ASSERT_EQ(cudaMemcpy(got.data(), answers.data(), got.size() * 4, cudaMemcpyDefault),
              cudaSuccess);
    EXPECT_EQ(got, wanted) << n;
  }
}

// Of rows and columns of several chunks, by operators that share a pass, some of them with an
// order, of elements of which some are NaNs or masked out.
TEST_F(answers_on_gpu, have_the_order_of_the_cpu_over_many_chunks) {
  const std::int64_t rows = 3, items = 150'001;
  auto x = ramp(rows * items);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * 1.37F + 0.01F;
  for (std::size_t i = 0; i < x.size(); i += 1013) x[i] = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::uint8_t> mask(x.size(), 1);
  for (std::size_t i = 0; i < mask.size(); i += 7) mask[i] = 0;
  const op_list ops = {op::sum, op::prod, op::logsumexp, op::stddev, op::norm2, op::max};
  for (const int k : {0, 1, 2, 3}) {
    options how;
    how.nan_policy = (k & 1) != 0 ? nan_policy::omit : nan_policy::propagate;
    // The axis of the shorter answers is strided.
    const array_view matrix(x.data(), dtype::f32, {{rows, items * 4}, {items, 4}});
    if ((k & 2) != 0)
      how.where = array_view(mask.data(), dtype::boolean, {{rows, items}, {items, 1}});
    how.axes = axis_set({1});
    std::vector<double> got(std::size_t(rows) * 6), wanted(got.size());
    const auto run_on = [&](const executor& on, std::vector<double>& to) {
      const auto at = [&](int i) {
        return output_view(to.data() + i * rows, dtype::f64, {{rows, 8}});
      };
      return reduce(on, ops, {matrix}, {at(0), at(1), at(2), at(3), at(4), at(5)}, how);
    };
    ASSERT_TRUE(run_on(executor::cpu{}, wanted).ok());
    const auto done = run_on(executor::cuda{}, got);
    ASSERT_TRUE(done.ok()) << done.message();
    EXPECT_EQ(std::memcmp(got.data(), wanted.data(), got.size() * 8), 0) << k;
  }
}

// The words of one answer's chunks are more than a buffer holds. A device alone is fast enough.
TEST_F(answers_on_gpu, of_more_chunks_than_a_buffer_holds) {
  if (find_devices().devices.at(0).name == "none") GTEST_SKIP() << "no real device";
  const std::int64_t items = std::int64_t(150'000) * 65536;
  const float one = 1;
  float got = 0;
  const array_view x(&one, dtype::f32, {{items, 0}});
  const auto done = reduce(executor::cuda{}, op::prod, {x}, output_view(got));
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(got, 1.0F);
}

// Ten axes are kept, ten reduced, and none continues another.
TEST_F(answers_on_gpu, of_more_axes_than_anybody_has) {
  const auto x = ramp(1000);
  axis_list axes;
  options how;
  std::vector<int> over;
  std::vector<std::int64_t> kept;
  for (int i = 0; i < max_rank; ++i) {
    const std::int64_t extent = i < 20 ? 2 : 1;
    axes.push_back({extent, 4 * (20 + i)});
    if (i % 2 == 0) over.push_back(i);
    if (i % 2 == 1) kept.push_back(extent);
  }
  how.axes = axis_set(std::span<const int>(over));
  std::vector<float> sums(1024), wanted(1024);
  const array_view view(x.data(), dtype::f32, axes);
  const auto to = [&](std::vector<float>& answers) {
    return output_view(answers.data(), dtype::f32, row_major(kept, 4));
  };
  ASSERT_TRUE(reduce(executor::cpu{}, op::sum, {view}, to(wanted), how).ok());
  const auto done = reduce(executor::cuda{}, op::sum, {view}, to(sums), how);
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(sums, wanted);
}

TEST_F(answers_on_gpu, a_strided_array_has_the_state_of_its_elements) {
  const auto x = ramp(300'000);
  const array_view every_third(x.data(), dtype::f32, {{100'000, 12}});
  for (const op op : {op::sum, op::argmin, op::count_nonzero}) {
    const auto wanted = try_partial(executor::cpu{}, op, every_third);
    const auto got = try_partial(executor::cuda{}, op, every_third);
    ASSERT_TRUE(got.ok()) << got.why().message();
    EXPECT_TRUE(*got == *wanted) << name(op);
  }
}

TEST_F(answers_on_gpu, a_stop_is_heard_and_gaps_on_the_device_are_refused) {
  const auto x = ramp(600);
  const view<float> matrix(x.data(), {20, 30});
  options how;
  how.axes = axis_set({1});
  std::vector<float> sums(20);
  const device_bytes there(bytes(400));
  const output_view gaps(there.data(), dtype::f32, {{20, 8}});
  EXPECT_EQ(reduce(executor::cuda{}, op::sum, {matrix}, gaps, how).code(),
            status_code::unsupported);
  std::stop_source stop;
  how.stop = stop.get_token();
  stop.request_stop();
  EXPECT_EQ(reduce(executor::cuda{}, op::sum, matrix, sums, how).code(), status_code::cancelled);
}

}  // namespace
}  // namespace onefold::cuda::test
