// SPDX-License-Identifier: Apache-2.0
// What the library's door takes besides whole arrays, and sums of rows and columns: three axes,
// other operators of rows, groups by key.
//
//   cuda_axes bench [LOG2]  times by events, the median of 20 calls, of 2^LOG2 bytes of elements
//                           (30) in device memory and answers there, beside plain reading; JSON
//                           lines

#include "bench/cuda_inputs.hpp"
#include "bench/cuda_timing.cuh"
#include "onefold/onefold.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace {

using bench::device_buffer;
using bench::median_us;
using onefold::array_view;
using onefold::axis_layout;
using onefold::dtype;
using onefold::op;
using onefold::output_view;

void expect(const onefold::status& done) {
  if (done) return;
  std::printf("{\"error\": \"%s\"}\n", done.message().c_str());
  std::exit(1);
}

struct arrays {
  std::size_t bytes;
  device_buffer x{bytes}, out{bytes}, keys{bytes};
  double ceiling = 0;  // TB/s

  void fill(dtype type) const {
    const std::size_t plain = onefold::is_floating(type) ? bench::timed_inputs(type)[1] : 0;
    const auto pattern = bench::make_input(type, plain, (std::int64_t(1) << 22) + 321).x;
    for (std::size_t at = 0; at < bytes; at += pattern.size())
      TRY(cudaMemcpy(x.bytes() + at, pattern.data(), std::min(pattern.size(), bytes - at),
                     cudaMemcpyHostToDevice));
  }
  void print(const std::string& row, const std::string& where, double read_and_written,
             double us) const {
    const double rate = read_and_written / us * 1e-6;
    std::printf("{\"what\": \"%s\", \"where\": \"%s\", \"bytes\": %.0f, \"us\": %.2f, "
                "\"TB/s\": %.3f, \"of read\": %.4f}\n",
                row.c_str(), where.c_str(), read_and_written, us, rate, rate / ceiling);
    std::fflush(stdout);
  }
};

double read_ceiling(const arrays& arrays) {
  const std::size_t n = arrays.bytes / 16;
  const double us = median_us([&] {
    bench::read_all<<<unsigned((n + 2047) / 2048), 512>>>(static_cast<const uint4*>(arrays.x.at), n,
                                                          0xC0FFEEu,
                                                          static_cast<unsigned*>(arrays.out.at));
  });
  return double(arrays.bytes) / us * 1e-6;
}

onefold::axis_list dense(const std::vector<std::int64_t>& extents, std::size_t item) {
  onefold::axis_list made;
  made.resize(int(extents.size()));
  auto stride = std::int64_t(item);
  for (int i = made.size() - 1; i >= 0; stride *= extents[std::size_t(i)], --i)
    made[i] = {extents[std::size_t(i)], stride};
  return made;
}

std::string named(op op, dtype type) {
  return std::string(name(op)) + " " + std::string(name(type));
}

// x[extents], contiguous, over some of its axes.
void time_axes(const arrays& at, const char* kind, op op, dtype type,
               const std::vector<std::int64_t>& extents, const std::vector<int>& over) {
  const array_view x(at.x.at, type, dense(extents, size_bytes(type)));
  onefold::options options;
  options.axes = onefold::axis_set(std::span<const int>(over));
  std::string where;
  for (const std::int64_t extent : extents)
    where += (where.empty() ? "" : " x ") + std::to_string(extent);
  where += " over";
  for (const int axis : over) where += " " + std::to_string(axis);
  const dtype output = default_output(op, type);
  const std::vector<std::int64_t> kept = onefold::answer_shape(x, options);
  const output_view to(at.out.at, output, dense(kept, size_bytes(output)));
  auto answers = double(size_bytes(output));
  for (const std::int64_t extent : kept) answers *= double(extent);
  const double us =
      median_us([&] { expect(onefold::reduce(onefold::executor::cuda{}, op, {x}, to, options)); });
  at.print(std::string(kind) + ": " + named(op, type), where, double(at.bytes) + answers, us);
}

// As many of each key: side by side, or wherever an odd multiple of the place puts them.
__global__ void write_keys(std::int32_t* to, std::int64_t n, std::int64_t run, bool ascend) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t place = ascend ? i : (i * 0x9E3779B1) % n;
  if (i < n) to[i] = std::int32_t(place / run);
}

// Keys of 32 bits.
void time_keys(const arrays& at, op op, dtype type, std::int64_t run, bool ascend = true) {
  const auto n = std::int64_t(at.bytes / size_bytes(type));
  write_keys<<<unsigned((n + 255) / 256), 256>>>(static_cast<std::int32_t*>(at.keys.at), n, run,
                                                 ascend);
  TRY(cudaDeviceSynchronize());
  const std::int64_t groups = (n - 1) / run + 1;
  const device_buffer found(std::size_t(groups) * 4);
  const array_view keys(at.keys.at, dtype::i32, dense({n}, 4));
  const array_view values(at.x.at, type, dense({n}, size_bytes(type)));
  const dtype output = default_output(op, type);
  const auto make = [&](std::int64_t count) {
    return onefold::group_outputs{found.at,
                                  {at.out.at, output, dense({count}, size_bytes(output))}};
  };
  const double us = median_us(
      [&] { expect(onefold::reduce_by_key(onefold::executor::cuda{}, op, keys, values, make)); });
  const double bytes =
      double(n) * double(4 + size_bytes(type)) + double(groups) * double(4 + size_bytes(output));
  at.print((ascend ? "ascending keys: " : "keys in any order: ") + named(op, type),
           (ascend ? "runs of " : "groups of ") + std::to_string(run), bytes, us);
}

void time_all(const arrays& at) {
  const auto items = std::int64_t(at.bytes / 4), rows = items / 1024;
  at.fill(dtype::f32);
  time_axes(at, "three axes", op::sum, dtype::f32, {512, 1024, items >> 19}, {0, 2});
  time_axes(at, "three axes", op::sum, dtype::f32, {4096, 1024, items >> 22}, {0, 2});
  time_axes(at, "three axes", op::sum, dtype::f32, {512, 1024, items >> 19}, {1});
  time_axes(at, "three axes", op::sum, dtype::f32, {items >> 13, 256, 32}, {1});
  for (const op op : {op::max, op::argmax, op::count_nonzero, op::var, op::logsumexp})
    time_axes(at, "rows", op, dtype::f32, {rows, 1024}, {1});
  for (const op op : {op::max, op::argmax, op::var})
    time_axes(at, "columns", op, dtype::f32, {rows, 1024}, {0});
  time_axes(at, "rows", op::max, dtype::f32, {rows * 32, 32}, {1});
  for (const std::int64_t n : {32, 256})
    time_axes(at, "rows", op::logsumexp, dtype::f32, {items / n, n}, {1});
  for (const std::int64_t run : {16, 256, 4096}) time_keys(at, op::sum, dtype::f32, run);
  time_keys(at, op::max, dtype::f32, 256);
  time_keys(at, op::sum, dtype::f32, 256, false);
  for (const std::int64_t n : {32, 1024})
    time_axes(at, "rows", op::var, dtype::f32, {items / n, n}, {1});
  at.fill(dtype::f64);
  time_axes(at, "three axes", op::sum, dtype::f64, {512, 1024, items >> 20}, {0, 2});
  time_keys(at, op::sum, dtype::f64, 256);
  at.fill(dtype::f16);
  for (const std::int64_t n : {32, 1024})
    time_axes(at, "rows", op::sum, dtype::f16, {items * 2 / n, n}, {1});
}

}  // namespace

int main(int count, char** words) {
  const int log2 = count > 2 ? std::atoi(words[2]) : 30;
  if (count < 2 || std::strcmp(words[1], "bench") != 0 || log2 < 24 || log2 > 40)
    return std::puts("usage: cuda_axes bench [LOG2 of bytes, 24 to 40]"), 2;
  arrays at{std::size_t(1) << log2};
  at.ceiling = read_ceiling(at);
  std::printf("{\"what\": \"read\", \"bytes\": %zu, \"TB/s\": %.3f}\n", at.bytes, at.ceiling);
  time_all(at);
  return 0;
}
