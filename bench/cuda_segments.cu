// SPDX-License-Identifier: Apache-2.0
// Ragged segments on a GPU: right, and how fast.
//
//   cuda_segments check         random lengths, types, operators and inputs against the answers of
//                               the CPU library, bit by bit; a JSON line an operator and type; 1 at
//                               any mismatch
//   cuda_segments bench [LOG2]  times by events, the median of 20 launches, of 2^LOG2 bytes of
//                               values (30), their offsets and the answers, beside plain reading
//                               and CUB's DeviceSegmentedReduce; JSON lines

#include "bench/cuda_inputs.hpp"
#include "bench/cuda_timing.cuh"
#include "cuda/kernels/segments/segments.hpp"
#include "cuda/kernels/segments/segments_shape.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "onefold/onefold.hpp"
#include "onefold/segments.hpp"

#include <cub/device/device_segmented_reduce.cuh>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

using bench::device_buffer;
using bench::median_us;
using bench::read_all;
using onefold::dtype;
using onefold::op;
namespace engine = onefold::cuda;
using offset_list = std::vector<std::int64_t>;

// --- lengths ---------------------------------------------------------------------

/// Segments of `items` elements from `start` on, of lengths 0 … 2 * mean, the last one the rest.
template <class Random>
offset_list uniform_offsets(Random& random, std::int64_t mean, std::int64_t start,
                            std::int64_t items) {
  offset_list made = {start};
  made.reserve(std::size_t((items - start) / mean * 11 / 10 + 16));
  while (made.back() < items) {
    const auto length = std::int64_t(random() % std::uint64_t(2 * mean + 1));
    made.push_back(std::min(made.back() + length, items));
  }
  return made;
}

/// One segment has a half of the elements; the one of rank r among the others 1 / r as many as the
/// first of them, in an order drawn by lot.
template <class Random>
offset_list zipf_offsets(Random& random, std::int64_t count, std::int64_t items) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(count));
  const double first = double(items) / 2 / (std::log(double(count)) + 0.58);
  for (std::size_t r = 0; r < lengths.size(); ++r)
    lengths[r] = r == 0 ? items / 2 : std::int64_t(first / double(r));
  std::shuffle(lengths.begin(), lengths.end(), random);
  offset_list made = {0};
  for (const std::int64_t length : lengths) made.push_back(std::min(made.back() + length, items));
  return made;
}

// --- check -------------------------------------------------------------------------

std::string name_of(const engine::segments_request& r) {
  return std::string(name(r.op));
}

struct counts {
  int cases = 0;
  std::int64_t answers = 0, wrong = 0;
};

std::vector<std::byte> expected(const engine::segments_request& r, const offset_list& offsets,
                                const std::byte* x) {
  const auto item = std::int64_t(size_bytes(r.output)), count = std::int64_t(offsets.size()) - 1;
  const std::int64_t each = answers_of(r.op);
  std::vector<std::byte> out(std::size_t(count * each * item));
  const onefold::axis_list pairs = {{count, each * item}, {each, item}}, single = {{count, item}};
  const onefold::array_view in(x, r.input, {{offsets.back(), std::int64_t(size_bytes(r.input))}});
  const onefold::output_view to(out.data(), r.output, each > 1 ? pairs : single);
  onefold::options how;
  how.accuracy = r.accuracy;
  if (const auto done = onefold::reduce_segments(onefold::executor(), r.op, in, offsets, to, how);
      !done)
    std::printf("{\"error\": \"%s\"}\n", done.message().c_str()), std::exit(1);
  return out;
}

void check_case(const engine::segments_request& r, const offset_list& offsets, int misplaced,
                const bench::cuda_input& input, counts& sum) {
  const std::size_t width = size_bytes(r.input), shift = std::size_t(misplaced) * width;
  const std::size_t bytes = std::size_t(offsets.back()) * width;
  const std::vector<std::byte> right = expected(r, offsets, input.x.data());
  device_buffer x(bytes + shift), out(right.size()), places(offsets.size() * 8);
  TRY(cudaMemcpy(x.bytes() + shift, input.x.data(), bytes, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(places.at, offsets.data(), offsets.size() * 8, cudaMemcpyHostToDevice));
  TRY(cudaMemset(out.at, 0xA5, right.size()));
  const engine::segments_block block = {x.bytes() + shift,
                                        offsets.back(),
                                        static_cast<const std::int64_t*>(places.at),
                                        std::int64_t(offsets.size()) - 1,
                                        out.at,
                                        0};
  const engine::segments_launch launch = engine::plan_segments(r, block);
  device_buffer workspace(launch.workspace_bytes);
  workspace.clear();
  TRY(cudaError_t(engine::enqueue_segments(launch, workspace.at, nullptr)));
  std::vector<std::byte> got(right.size());
  std::uint64_t findings = 0;
  TRY(cudaMemcpy(got.data(), out.at, got.size(), cudaMemcpyDeviceToHost));
  TRY(cudaMemcpy(&findings, workspace.at, sizeof findings, cudaMemcpyDeviceToHost));
  const std::size_t step = size_bytes(r.output) * std::size_t(answers_of(r.op));
  std::int64_t wrong = findings != 0;
  for (std::size_t at = 0; at < got.size(); at += step)
    wrong += std::memcmp(got.data() + at, right.data() + at, step) != 0;
  ++sum.cases, sum.answers += block.count, sum.wrong += wrong;
  if (wrong == 0) return;
  std::printf("{\"check\": \"%s\", \"type\": \"%s\", \"output\": \"%s\", \"input\": \"%s\", "
              "\"segments\": %lld, \"items\": %lld, \"misplaced\": %d, \"findings\": %llu, "
              "\"wrong\": %lld}\n",
              name_of(r).c_str(), std::string(name(r.input)).c_str(),
              std::string(name(r.output)).c_str(), input.name.c_str(),
              static_cast<long long>(block.count), static_cast<long long>(block.items), misplaced,
              static_cast<unsigned long long>(findings), static_cast<long long>(wrong));
}

// Without empty ones, which extrema have no answer for.
offset_list random_offsets(std::mt19937_64& random) {
  const std::int64_t mean = std::int64_t(1) << random() % 13;
  const std::int64_t items = 1 + std::int64_t(random() % (1u << 17));
  offset_list drawn = random() % 4 == 0
                          ? zipf_offsets(random, items / 50 + 2, items)
                          : uniform_offsets(random, mean, std::int64_t(random() % 3), items);
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  return drawn;
}

// Small values where the sums of 64-bit integers have to fit.
bench::cuda_input input_for(const engine::segments_request& r, std::mt19937_64& random,
                            std::int64_t n) {
  const auto kind = std::size_t(random() % bench::kinds_of_input(r.input));
  bench::cuda_input made = bench::make_input(r.input, kind, n);
  if (size_bytes(r.input) == 8 && !is_floating(r.input))
    for (std::size_t i = 0; i < made.x.size(); ++i)
      if (i % 8 >= 3) made.x[i] = std::byte(0);
  return made;
}

// How many answers are wrong.
std::int64_t check_request(const engine::segments_request& r, std::mt19937_64& random) {
  counts sum;
  for (int i = 0; i < 10; ++i) {
    const offset_list offsets = random_offsets(random);
    if (offsets.size() < 2) continue;
    const int misplaced = int(random() % (16 / size_bytes(r.input)));
    check_case(r, offsets, misplaced, input_for(r, random, offsets.back()), sum);
  }
  std::printf("{\"checked\": \"%s\", \"type\": \"%s\", \"cases\": %d, \"answers\": %lld, "
              "\"wrong\": %lld}\n",
              name_of(r).c_str(), std::string(name(r.input)).c_str(), sum.cases,
              static_cast<long long>(sum.answers), static_cast<long long>(sum.wrong));
  std::fflush(stdout);
  return sum.wrong;
}

int check() {
  const unsigned seed = std::random_device{}();
  std::mt19937_64 random(seed);
  std::int64_t wrong = 0;
  for (const op op : onefold::all_ops)
    for (const dtype input : onefold::all_dtypes) {
      const auto exact = onefold::accuracy::exact;
      const engine::segments_request r = {op, exact, onefold::nan_policy::propagate, input,
                                          default_output(op, input)};
      if (has_kernel(engine::kernel_family::segments, {op, exact, input, r.output}))
        wrong += check_request(r, random);
    }
  std::printf("{\"all right\": %s, \"seed\": %u}\n", wrong == 0 ? "true" : "false", seed);
  return wrong == 0 ? 0 : 1;
}

// --- bench -------------------------------------------------------------------------

struct shape {
  std::string name;
  offset_list offsets;
};

struct place {
  const device_buffer &x, &out, &offsets;
  double ceiling;  // TB/s
};

void print_row(const char* who, const engine::segments_request& r, const shape& shape, double us,
               const place& at) {
  const auto count = double(shape.offsets.size() - 1);
  const auto items = double(shape.offsets.back() - shape.offsets.front());
  const double bytes =
      items * double(size_bytes(r.input)) + (count + 1) * 8 + count * double(size_bytes(r.output));
  const double rate = bytes / us * 1e-6;
  std::printf("{\"what\": \"%s\", \"who\": \"%s\", \"type\": \"%s\", \"lengths\": \"%s\", "
              "\"segments\": %.0f, \"items\": %.0f, \"us\": %.2f, \"TB/s\": %.3f, "
              "\"of read\": %.3f}\n",
              name_of(r).c_str(), who, std::string(name(r.input)).c_str(), shape.name.c_str(),
              count, items, us, rate, rate / at.ceiling);
  std::fflush(stdout);
}

void time_ours(const engine::segments_request& r, const shape& shape, const place& at) {
  const engine::segments_block block = {at.x.at,
                                        shape.offsets.back(),
                                        static_cast<const std::int64_t*>(at.offsets.at),
                                        std::int64_t(shape.offsets.size()) - 1,
                                        at.out.at,
                                        0};
  const engine::segments_launch launch = engine::plan_segments(r, block);
  device_buffer workspace(launch.workspace_bytes);
  workspace.clear();
  const double us =
      median_us([&] { TRY(cudaError_t(engine::enqueue_segments(launch, workspace.at, nullptr))); });
  print_row("onefold", r, shape, us, at);
}

template <class T>
void time_cub(const engine::segments_request& r, const shape& shape, const place& at) {
  const auto* const x = static_cast<const T*>(at.x.at);
  const auto* const offsets = static_cast<const std::int64_t*>(at.offsets.at);
  auto* const out = static_cast<T*>(at.out.at);
  const auto count = std::int64_t(shape.offsets.size()) - 1;
  std::size_t bytes = 0;
  TRY(cub::DeviceSegmentedReduce::Sum(nullptr, bytes, x, out, count, offsets, offsets + 1));
  device_buffer workspace(bytes);
  const double us = median_us([&] {
    TRY(cub::DeviceSegmentedReduce::Sum(workspace.at, bytes, x, out, count, offsets, offsets + 1));
  });
  print_row("CUB", r, shape, us, at);
}

void fill(const device_buffer& to, std::size_t bytes, const std::vector<std::byte>& pattern) {
  for (std::size_t at = 0; at < bytes; at += pattern.size())
    TRY(cudaMemcpy(to.bytes() + at, pattern.data(), std::min(pattern.size(), bytes - at),
                   cudaMemcpyHostToDevice));
}

std::vector<shape> shapes_of(std::int64_t items, const std::vector<std::int64_t>& means) {
  std::mt19937_64 random(20201);
  std::vector<shape> made;
  for (const std::int64_t mean : means)
    made.push_back({"mean " + std::to_string(mean), uniform_offsets(random, mean, 0, items)});
  made.push_back({"Zipf, one giant", zipf_offsets(random, items / 64, items)});
  return made;
}

void time_type(const std::vector<op>& ops, dtype type, const std::vector<std::int64_t>& means,
               std::size_t bytes, double ceiling, const device_buffer& x) {
  const auto items = std::int64_t(bytes / size_bytes(type));
  const std::size_t plain = is_floating(type) ? bench::timed_inputs(type)[1] : 0;
  fill(x, bytes, bench::make_input(type, plain, (std::int64_t(1) << 22) + 321).x);
  for (const shape& each : shapes_of(items, means)) {
    const std::size_t count = each.offsets.size();
    device_buffer offsets(count * 8), out(count * 8);
    TRY(cudaMemcpy(offsets.at, each.offsets.data(), count * 8, cudaMemcpyHostToDevice));
    const place at = {x, out, offsets, ceiling};
    for (const op op : ops) {
      const engine::segments_request r = {op, onefold::accuracy::exact,
                                          onefold::nan_policy::propagate, type,
                                          default_output(op, type)};
      time_ours(r, each, at);
      if (op == op::sum && type == dtype::f32) time_cub<float>(r, each, at);
      if (op == op::sum && type == dtype::f64) time_cub<double>(r, each, at);
    }
  }
}

int time_all(int log2_bytes) {
  const std::size_t bytes = std::size_t(1) << log2_bytes;
  device_buffer x(bytes);
  const std::size_t n = bytes / 16;
  const double us = median_us([&] {
    read_all<<<unsigned((n + 2047) / 2048), 512>>>(static_cast<const uint4*>(x.at), n, 0xC0FFEEu,
                                                   static_cast<unsigned*>(x.at));
  });
  const double ceiling = double(bytes) / us * 1e-6;
  std::printf("{\"what\": \"read\", \"bytes\": %zu, \"us\": %.2f, \"TB/s\": %.3f}\n", bytes, us,
              ceiling);
  time_type({op::sum, op::mean, op::norm2}, dtype::f32, {2, 4, 16, 64, 256, 4096}, bytes, ceiling,
            x);
  time_type({op::sum}, dtype::f64, {2, 4, 16, 64, 256, 4096}, bytes, ceiling, x);
  for (const dtype type : {dtype::bf16, dtype::i32, dtype::u8})
    time_type({op::sum}, type, {4, 64, 4096}, bytes, ceiling, x);
  time_type({op::max, op::count_nonzero}, dtype::f32, {64, 4096}, bytes, ceiling, x);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "check") == 0) return check();
  if (count > 1 && std::strcmp(words[1], "bench") == 0)
    return time_all(count > 2 ? std::atoi(words[2]) : 30);
  std::puts("usage: cuda_segments check | bench [LOG2 of bytes]");
  return 2;
}
