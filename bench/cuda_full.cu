// SPDX-License-Identifier: Apache-2.0
// Exact reductions of whole arrays on a GPU: right, and how fast.
//
//   cuda_full check [I N]   the words of every family, type, input, size and grid against the
//                           state of the CPU; a JSON line a group; 1 where one is wrong; of N
//                           shares of the inputs the I-th, counted from 0: each is bound by the CPU
//   cuda_full bench [LOG2]  times by events, the median of 20 launches, at 2^28 … 2^LOG2 bytes
//                           (30), beside plain reading and CUB's sum; JSON lines

#include "bench/cuda_inputs.hpp"
#include "bench/cuda_timing.cuh"
#include "cuda/full/full.hpp"
#include "cuda/ordered/ordered.hpp"

#include <cub/device/device_reduce.cuh>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_fp16.h>

namespace {

using bench::device_buffer;
using bench::median_us;
using bench::read_all;
using onefold::dtype;
using onefold::family;
namespace engine = onefold::cuda;

// In the order of their numbers; the last two of the list have an order, and words for each chunk.
constexpr family families[] = {family::total,    family::magnitudes, family::squares,
                               family::products, family::moments,    family::extrema,
                               family::tally,    family::bits};
const char* const family_names[] = {"total",   "magnitudes", "squares", "products", "moments",
                                    "extrema", "tally",      "bits",    "product",  "log_sum"};
constexpr std::size_t most_words = 256;
constexpr std::size_t workspace_bytes = std::size_t(1) << 17;  // extrema need most

bool check_group(family of, dtype type, const bench::cuda_input& input, std::int64_t n, int offset,
                 device_buffer& x, device_buffer& y, device_buffer& workspace,
                 device_buffer& words) {
  const std::size_t width = onefold::size_bytes(type), shift = std::size_t(offset) * width;
  TRY(cudaMemcpy(x.bytes() + shift, input.x.data(), std::size_t(n) * width,
                 cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(y.bytes(), input.y.data(), std::size_t(n) * width, cudaMemcpyHostToDevice));
  const std::vector<std::int64_t> expected =
      bench::state_words_of(of, type, input.x.data(), input.y.data(), n);
  int wrong = 0, launches = 0;
  for (const unsigned blocks : {1u, 2u, 131u, 132u, 1056u})
    for (const unsigned threads : {64u, 256u, 512u}) {
      if (blocks < 131 && n > 1 << 21) continue;  // random bits by one block take seconds
      if (threads > engine::suited_grid(of, type, std::int64_t(1) << 40, 1).threads) continue;
      const engine::full_request request = {of, type, x.bytes() + shift, y.bytes(), n};
      TRY(cudaMemset(words.at, 0xFF, words.size));
      TRY(cudaError_t(engine::launch_full(request, {blocks, threads}, workspace.at,
                                          static_cast<std::int64_t*>(words.at), nullptr)));
      std::vector<std::int64_t> got(expected.size());
      TRY(cudaMemcpy(got.data(), words.at, got.size() * 8, cudaMemcpyDeviceToHost));
      std::vector<std::int64_t> left(workspace.size / 8);
      TRY(cudaMemcpy(left.data(), workspace.at, left.size() * 8, cudaMemcpyDeviceToHost));
      const bool clean = std::all_of(left.begin(), left.end(), [](auto w) { return w == 0; });
      ++launches;
      wrong += got != expected || !clean ||
               expected.size() != std::size_t(engine::state_words(of, type));
    }
  std::printf("{\"check\": \"%s\", \"type\": \"%s\", \"input\": \"%s\", \"n\": %lld, "
              "\"offset\": %d, \"launches\": %d, \"wrong\": %d}\n",
              family_names[int(of)], std::string(name(type)).c_str(), input.name.c_str(),
              static_cast<long long>(n), offset, launches, wrong);
  return wrong == 0;
}

int check(int share, int shares) {
  bool right = true;
  int turn = 0;
  constexpr std::size_t bytes = (std::size_t(1) << 24) * 8 + 256;
  device_buffer x(bytes), y(bytes), workspace(workspace_bytes), words(8 * most_words);
  workspace.clear();
  for (const dtype type : onefold::all_dtypes)
    for (std::size_t kind = 0; kind < bench::kinds_of_input(type); ++kind)
      for (const std::int64_t n : {0, 1, 1000, 1 << 16, (1 << 20) + 7, 1 << 24}) {
        if (n == 1 << 24 && kind % 4 != 0) continue;  // the CPU adds element by element
        if (turn++ % shares != share) continue;
        const int offset = n % 2 == 1 ? 1 : 0;
        const bench::cuda_input input = bench::make_input(type, kind, n);
        for (const family of : families)
          if (engine::full_serves(of, type))
            right &= check_group(of, type, input, n, offset, x, y, workspace, words);
        std::fflush(stdout);
      }
  std::printf("{\"all right\": %s}\n", right ? "true" : "false");
  return right ? 0 : 1;
}

void print_row(const char* what, const char* type, std::size_t bytes, const char* input,
               engine::grid_shape grid, double us, double ceiling) {
  const double rate = double(bytes) / us * 1e-6;
  std::printf("{\"what\": \"%s\", \"type\": \"%s\", \"input\": \"%s\", \"bytes\": %zu, "
              "\"blocks\": %u, \"threads\": %u, \"us\": %.2f, \"TB/s\": %.3f, \"of read\": %.3f}\n",
              what, type, input, bytes, grid.blocks, grid.threads, us, rate,
              ceiling > 0 ? rate / ceiling : 1.0);
  std::fflush(stdout);
}

double read_rate(const device_buffer& in, std::size_t bytes, unsigned* out) {
  const std::size_t n = bytes / 16;
  const auto blocks = unsigned((n + 2047) / 2048);
  const double us = median_us(
      [&] { read_all<<<blocks, 512>>>(static_cast<const uint4*>(in.at), n, 0xC0FFEEu, out); });
  print_row("read", "bytes", bytes, "", {blocks, 512}, us, 0);
  return double(bytes) / us * 1e-6;
}

template <class T, class Sum>
void time_cub(const char* type, const device_buffer& in, std::size_t bytes, device_buffer& out,
              double ceiling) {
  const auto n = static_cast<std::int64_t>(bytes / sizeof(T));
  const T* const x = static_cast<const T*>(in.at);
  Sum* const sum = static_cast<Sum*>(out.at);
  std::size_t scratch_bytes = 0;
  TRY(cub::DeviceReduce::Sum(nullptr, scratch_bytes, x, sum, n));
  device_buffer scratch(scratch_bytes);
  const double us =
      median_us([&] { TRY(cub::DeviceReduce::Sum(scratch.at, scratch_bytes, x, sum, n)); });
  print_row("CUB sum", type, bytes, "", {0, 0}, us, ceiling);
}

// The bytes of `pattern` over and over.
void fill(device_buffer& to, std::size_t bytes, const std::vector<std::byte>& pattern) {
  for (std::size_t at = 0; at < bytes; at += pattern.size())
    TRY(cudaMemcpy(to.bytes() + at, pattern.data(), std::min(pattern.size(), bytes - at),
                   cudaMemcpyHostToDevice));
}

void time_ours(dtype type, std::size_t bytes, device_buffer& x, device_buffer& y,
               device_buffer& workspace, device_buffer& words, double ceiling,
               unsigned processors) {
  for (const std::size_t kind : bench::timed_inputs(type)) {
    const std::int64_t sample = std::int64_t(1) << 22;
    const bench::cuda_input input = bench::make_input(type, kind, sample);
    fill(x, bytes, input.x);
    fill(y, bytes, input.y);
    for (const family of : families) {
      if (!engine::full_serves(of, type)) continue;
      const bool two = of == family::products;
      const auto n = std::int64_t((two ? bytes / 2 : bytes) / onefold::size_bytes(type));
      const engine::full_request request = {of, type, x.at, y.at, n};
      const engine::grid_shape grid = engine::suited_grid(of, type, n, processors);
      const double us = median_us([&] {
        TRY(cudaError_t(engine::launch_full(request, grid, workspace.at,
                                            static_cast<std::int64_t*>(words.at), nullptr)));
      });
      print_row(family_names[int(of)], std::string(name(type)).c_str(), bytes, input.name.c_str(),
                grid, us, ceiling);
    }
  }
}

// Families whose chunks have words of their own; the words are written, and not read.
void time_ordered(family of, const char* how, dtype type, std::size_t bytes, device_buffer& x,
                  device_buffer& y, double ceiling, unsigned processors) {
  const bool two = of == family::products;
  const auto n = std::int64_t((two ? bytes / 2 : bytes) / onefold::size_bytes(type));
  const bench::cuda_input input = bench::make_input(
      type, bench::timed_inputs(type)[onefold::is_floating(type) ? 1 : 0], std::int64_t(1) << 22);
  fill(x, bytes, input.x);
  fill(y, bytes, input.y);
  device_buffer words(std::size_t(engine::ordered_words(of, type, n)) * 8);
  const engine::full_request request = {of, type, x.at, y.at, n};
  const double us = median_us([&] {
    TRY(cudaError_t(engine::launch_ordered(request, processors,
                                           static_cast<std::int64_t*>(words.at), nullptr)));
  });
  const std::string what = std::string(how) + family_names[int(of)];
  print_row(what.c_str(), std::string(name(type)).c_str(), bytes, input.name.c_str(), {0, 0}, us,
            ceiling);
}

void time_all_ordered(std::size_t bytes, device_buffer& x, device_buffer& y, double ceiling,
                      unsigned processors) {
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    for (int of = 0; of <= int(family::moments); ++of)
      time_ordered(family(of), "fast ", type, bytes, x, y, ceiling, processors);
    for (const family of : {family::product, family::log_sum})
      time_ordered(of, "", type, bytes, x, y, ceiling, processors);
  }
}

int time_all(int log2_bytes) {
  int processors = 0;
  TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  const std::size_t most = std::size_t(1) << log2_bytes;
  device_buffer x(most), y(most), workspace(workspace_bytes), words(8 * most_words), out(64);
  workspace.clear();
  for (std::size_t bytes = std::size_t(1) << 28; bytes <= most; bytes *= 4) {
    const double ceiling = read_rate(x, bytes, static_cast<unsigned*>(out.at));
    for (const dtype type : onefold::all_dtypes)
      if (type != dtype::boolean)
        time_ours(type, bytes, x, y, workspace, words, ceiling, unsigned(processors));
    time_all_ordered(bytes, x, y, ceiling, unsigned(processors));
    time_cub<float, float>("f32", x, bytes, out, ceiling);
    time_cub<double, double>("f64", x, bytes, out, ceiling);
    time_cub<int, int>("i32", x, bytes, out, ceiling);
    time_cub<unsigned char, unsigned>("u8", x, bytes, out, ceiling);
    time_cub<__half, __half>("f16", x, bytes, out, ceiling);
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count > 3 && std::strcmp(words[1], "check") == 0)
    return check(std::atoi(words[2]), std::max(std::atoi(words[3]), 1));
  if (count > 1 && std::strcmp(words[1], "check") == 0) return check(0, 1);
  if (count > 1 && std::strcmp(words[1], "bench") == 0)
    return time_all(count > 2 ? std::atoi(words[2]) : 30);
  std::puts("usage: cuda_full check [I N] | bench [LOG2 of bytes]");
  return 2;
}
