// SPDX-License-Identifier: Apache-2.0
// Exact reductions of whole arrays on a GPU: right, and how fast.
//
//   cuda_full check [I N]   the words of every accumulator, type, input, size and grid against the
//                           state of the CPU; a JSON line a group; 1 where one is wrong; of N
//                           shares of the inputs the I-th, counted from 0: each is bound by the CPU
//   cuda_full random [I N]  10^5 random types, accumulators, inputs, lengths, alignments and grids,
//   half
//                           of them with two tiles a warp of three blocks and more; a JSON line for
//                           each that is wrong; shares as above
//   cuda_full bench [LOG2]  times by events, the median of 20 launches, at 2^28 … 2^LOG2 bytes
//                           (30), beside plain reading and CUB's sum; JSON lines

#include "bench/cuda_inputs.hpp"
#include "bench/cuda_timing.cuh"
#include "cuda/kernels/whole/products/ordered.hpp"
#include "cuda/kernels/whole/whole.hpp"
#include "cuda/plan/kernel_table.hpp"

#include <cub/device/device_reduce.cuh>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <cuda_fp16.h>

namespace {

using bench::device_buffer;
using bench::median_us;
using bench::read_all;
using onefold::accumulator;
using onefold::dtype;
namespace engine = onefold::cuda;

bool has_kernel(accumulator accumulator, dtype type) {
  return engine::has_kernel(engine::kernel_family::full, accumulator, onefold::accuracy::exact,
                            type);
}

// In the order of their numbers; products have an order, and words for each chunk.
constexpr accumulator accumulators[] = {
    accumulator::total,    accumulator::magnitudes, accumulator::squares,
    accumulator::products, accumulator::moments,    accumulator::extrema,
    accumulator::counts,   accumulator::bits,       accumulator::exponentials};
const char* const family_names[] = {"total",   "magnitudes", "squares", "products", "moments",
                                    "extrema", "tally",      "bits",    "product",  "exponentials"};
constexpr std::size_t most_words = 256;
constexpr std::size_t workspace_bytes = std::size_t(1) << 17;  // extrema need most

// Device memory of the checks.
struct check_room {
  explicit check_room(std::size_t bytes) : x(bytes + 256), y(bytes + 256) { workspace.clear(); }
  device_buffer x, y, workspace{workspace_bytes}, words{8 * most_words};
};

unsigned most_threads(accumulator accumulator, dtype type) {
  return engine::suited_grid(accumulator, type, std::int64_t(1) << 40, 1).threads;
}

// Whether the words are the expected ones, and the workspace is zero again.
bool launch_is_right(const engine::whole_request& request, engine::grid_shape grid,
                     const std::vector<std::int64_t>& expected, check_room& room) {
  TRY(cudaMemset(room.words.at, 0xFF, room.words.size));
  TRY(cudaError_t(engine::launch_whole(request, grid, room.workspace.at,
                                       static_cast<std::int64_t*>(room.words.at), nullptr)));
  std::vector<std::int64_t> got(expected.size()), left(room.workspace.size / 8);
  TRY(cudaMemcpy(got.data(), room.words.at, got.size() * 8, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpy(left.data(), room.workspace.at, left.size() * 8, cudaMemcpyDeviceToHost));
  const bool clean = std::all_of(left.begin(), left.end(), [](auto w) { return w == 0; });
  return got == expected && clean &&
         expected.size() == std::size_t(engine::state_words(request.accumulator, request.input));
}

// Elements first … first + n - 1 of an input, `offset` of them behind a multiple of 256 bytes.
engine::whole_request place(accumulator accumulator, dtype type, const bench::cuda_input& input,
                            std::int64_t first, std::int64_t n, int offset, check_room& room) {
  const std::size_t width = onefold::size_bytes(type), shift = std::size_t(offset) * width;
  const std::size_t begin = std::size_t(first) * width, bytes = std::size_t(n) * width;
  TRY(cudaMemcpy(room.x.bytes() + shift, input.x.data() + begin, bytes, cudaMemcpyHostToDevice));
  TRY(cudaMemcpy(room.y.bytes(), input.y.data() + begin, bytes, cudaMemcpyHostToDevice));
  return {accumulator, type, room.x.bytes() + shift, room.y.bytes(), n};
}

bool check_group(accumulator accumulator, dtype type, const bench::cuda_input& input,
                 std::int64_t n, int offset, check_room& room) {
  const engine::whole_request request = place(accumulator, type, input, 0, n, offset, room);
  const std::vector<std::int64_t> expected =
      bench::state_words_of(accumulator, type, input.x.data(), input.y.data(), n);
  int wrong = 0, launches = 0;
  for (const unsigned blocks : {1u, 2u, 131u, 132u, 1056u})
    for (const unsigned threads : {64u, 256u, 512u}) {
      if (blocks < 131 && n > 1 << 21) continue;  // random bits by one block take seconds
      if (threads > most_threads(accumulator, type)) continue;
      ++launches;
      wrong += !launch_is_right(request, {blocks, threads}, expected, room);
    }
  std::printf("{\"check\": \"%s\", \"type\": \"%s\", \"input\": \"%s\", \"n\": %lld, "
              "\"offset\": %d, \"launches\": %d, \"wrong\": %d}\n",
              family_names[int(accumulator)], std::string(name(type)).c_str(), input.name.c_str(),
              static_cast<long long>(n), offset, launches, wrong);
  return wrong == 0;
}

class random_cases {
 public:
  explicit random_cases(unsigned seed) : random_(seed) {}

  // One of a type and its input; `many`: two tiles a warp of three blocks and more.
  bool check(dtype type, const bench::cuda_input& input, bool many, check_room& room) {
    accumulator accumulator = accumulators[below(std::size(accumulators))];
    while (!has_kernel(accumulator, type))
      accumulator = accumulators[below(std::size(accumulators))];
    const auto width = std::int64_t(onefold::size_bytes(type)), tile = tile_bytes / width;
    const unsigned most = most_threads(accumulator, type) / 32;
    engine::grid_shape grid = {grids[below(std::size(grids))], 32 * (1 + unsigned(below(most)))};
    std::int64_t n = below(16) == 0 ? below(pool_items / 2) : edge(tile, pool_items / tile / 2);
    if (many) {
      grid = {3 + unsigned(below(6)), 32 * (1 + unsigned(below(std::min(most, 2u))))};
      const std::int64_t tiles = std::int64_t(grid.blocks) * grid.threads / 32 * 2;
      n = std::min(tiles * tile + edge(tile, 3 * tiles), pool_items / 2);
    }
    const std::int64_t first = below(pool_items / 2);
    const int offset = int(below(16 / width));
    const engine::whole_request request = place(accumulator, type, input, first, n, offset, room);
    const std::vector<std::int64_t> expected = bench::state_words_of(
        accumulator, type, input.x.data() + first * width, input.y.data() + first * width, n);
    if (launch_is_right(request, grid, expected, room)) return true;
    std::printf("{\"wrong\": \"%s\", \"type\": \"%s\", \"input\": \"%s\", \"first\": %lld, "
                "\"n\": %lld, \"offset\": %d, \"blocks\": %u, \"threads\": %u}\n",
                family_names[int(accumulator)], std::string(name(type)).c_str(), input.name.c_str(),
                static_cast<long long>(first), static_cast<long long>(n), offset, grid.blocks,
                grid.threads);
    return false;
  }

  static constexpr std::int64_t pool_items = std::int64_t(1) << 17;
  static constexpr std::int64_t tile_bytes = 2048;

 private:
  static constexpr unsigned grids[] = {1, 2, 131, 132, 1056};

  std::int64_t below(std::int64_t end) { return std::int64_t(random_() % std::uint64_t(end)); }
  // A few elements around the end of up to `most` tiles.
  std::int64_t edge(std::int64_t tile, std::int64_t most) {
    return std::max<std::int64_t>(below(most) * tile + below(7) - 3, 0);
  }

  std::mt19937_64 random_;
};

int check_random(int share, int shares) {
  constexpr int cases = 100'000;
  const unsigned seed = std::random_device{}();
  random_cases random(seed);
  check_room room(std::size_t(random_cases::pool_items) * 8);
  std::vector<std::pair<dtype, bench::cuda_input>> inputs;
  for (const dtype type : onefold::all_dtypes)
    for (std::size_t kind = 0; kind < bench::kinds_of_input(type); ++kind)
      inputs.emplace_back(type, bench::make_input(type, kind, random_cases::pool_items));
  int wrong = 0, done = 0;
  for (int i = share; i < cases; i += shares, ++done) {
    const auto& [type, input] = inputs[std::size_t(i) % inputs.size()];
    wrong += !random.check(type, input, i / int(inputs.size()) % 2 == 1, room);
  }
  std::printf("{\"cases\": %d, \"all right\": %s, \"seed\": %u}\n", done,
              wrong == 0 ? "true" : "false", seed);
  return wrong == 0 ? 0 : 1;
}

int check(int share, int shares) {
  bool right = true;
  int turn = 0;
  check_room room((std::size_t(1) << 24) * 8);
  for (const dtype type : onefold::all_dtypes)
    for (std::size_t kind = 0; kind < bench::kinds_of_input(type); ++kind)
      for (const std::int64_t n : {0, 1, 1000, 1 << 16, (1 << 20) + 7, 1 << 24}) {
        if (n == 1 << 24 && kind % 4 != 0) continue;  // the CPU adds element by element
        if (turn++ % shares != share) continue;
        const int offset = n % 2 == 1 ? 1 : 0;
        const bench::cuda_input input = bench::make_input(type, kind, n);
        for (const accumulator accumulator : accumulators)
          if (has_kernel(accumulator, type))
            right &= check_group(accumulator, type, input, n, offset, room);
        std::fflush(stdout);
      }
  std::printf("{\"all right\": %s}\n", right ? "true" : "false");
  return right ? 0 : 1;
}

void print_row(const char* kernel, const char* type, std::size_t bytes, const char* input,
               engine::grid_shape grid, double us, double ceiling) {
  const double rate = double(bytes) / us * 1e-6;
  std::printf("{\"what\": \"%s\", \"type\": \"%s\", \"input\": \"%s\", \"bytes\": %zu, "
              "\"blocks\": %u, \"threads\": %u, \"us\": %.2f, \"TB/s\": %.3f, \"of read\": %.3f}\n",
              kernel, type, input, bytes, grid.blocks, grid.threads, us, rate,
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
    for (const accumulator accumulator : accumulators) {
      if (!has_kernel(accumulator, type)) continue;
      const bool two = accumulator == accumulator::products;
      const auto n = std::int64_t((two ? bytes / 2 : bytes) / onefold::size_bytes(type));
      const engine::whole_request request = {accumulator, type, x.at, y.at, n};
      const engine::grid_shape grid = engine::suited_grid(accumulator, type, n, processors);
      const double us = median_us([&] {
        TRY(cudaError_t(engine::launch_whole(request, grid, workspace.at,
                                             static_cast<std::int64_t*>(words.at), nullptr)));
      });
      print_row(family_names[int(accumulator)], std::string(name(type)).c_str(), bytes,
                input.name.c_str(), grid, us, ceiling);
    }
  }
}

// Families whose chunks have words of their own; the words are written, and not read.
void time_ordered(accumulator accumulator, dtype type, std::size_t bytes, device_buffer& x,
                  double ceiling, unsigned processors) {
  const auto n = std::int64_t(bytes / onefold::size_bytes(type));
  const bench::cuda_input input = bench::make_input(
      type, bench::timed_inputs(type)[onefold::is_floating(type) ? 1 : 0], std::int64_t(1) << 22);
  fill(x, bytes, input.x);
  device_buffer words(std::size_t(engine::ordered_words(accumulator, type, n)) * 8);
  const engine::whole_request request = {accumulator, type, x.at, nullptr, n};
  const double us = median_us([&] {
    TRY(cudaError_t(engine::launch_ordered(request, processors,
                                           static_cast<std::int64_t*>(words.at), nullptr)));
  });
  print_row(family_names[int(accumulator)], std::string(name(type)).c_str(), bytes,
            input.name.c_str(), {0, 0}, us, ceiling);
}

void time_all_ordered(std::size_t bytes, device_buffer& x, double ceiling, unsigned processors) {
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64})
    time_ordered(accumulator::product, type, bytes, x, ceiling, processors);
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
    time_all_ordered(bytes, x, ceiling, unsigned(processors));
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
  const int share = count > 3 ? std::atoi(words[2]) : 0;
  const int shares = count > 3 ? std::max(std::atoi(words[3]), 1) : 1;
  if (count > 1 && std::strcmp(words[1], "check") == 0) return check(share, shares);
  if (count > 1 && std::strcmp(words[1], "random") == 0) return check_random(share, shares);
  if (count > 1 && std::strcmp(words[1], "bench") == 0)
    return time_all(count > 2 ? std::atoi(words[2]) : 30);
  std::puts("usage: cuda_full check [I N] | random [I N] | bench [LOG2 of bytes]");
  return 2;
}
