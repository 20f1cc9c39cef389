// SPDX-License-Identifier: Apache-2.0
// Transposes on a GPU: right, and how fast.
//
//   cuda_transpose check         every size of element, side, pitch and offset against the CPU; a
//                                JSON line a group; 1 at a mismatch
//   cuda_transpose bench [LOG2]  times by events, the median of 20 launches, of matrices of
//                                2^LOG2 bytes (30), beside plain copies of as many bytes, the
//                                fastest of which is the ceiling; JSON lines

#include "bench/cuda_timing.cuh"
#include "cuda/kernels/transpose/transpose.hpp"
#include "onefold/transpose.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

using bench::device_buffer;
using bench::median_us;
using onefold::dtype;
using onefold::matrix_copy;
namespace engine = onefold::cuda;

dtype type_of(std::int64_t item) {
  return item == 1 ? dtype::u8 : item == 2 ? dtype::u16 : item == 4 ? dtype::f32 : dtype::f64;
}

/// Rows of contiguous elements with some bytes behind each, on both sides.
struct problem {
  std::int64_t rows, columns, item;
  std::int64_t gap = 0;     ///< bytes behind a row of the input
  std::int64_t to_gap = 0;  ///< and of the output
  std::int64_t offset = 0;  ///< of both, from a multiple of 256 bytes

  std::int64_t from_stride() const { return columns * item + gap; }
  std::int64_t to_stride() const { return rows * item + to_gap; }
  std::size_t from_bytes() const { return std::size_t(offset + rows * from_stride()); }
  std::size_t to_bytes() const { return std::size_t(offset + columns * to_stride()); }
  matrix_copy copy(const std::byte* from, std::byte* to) const {
    return {from + offset, to + offset, rows,        columns, from_stride(),
            item,          item,        to_stride(), item};
  }
};

const char* name_of(engine::transpose_way way) {
  constexpr const char* names[] = {"vectors", "words", "gather", "scatter", "elements"};
  return names[int(way)];
}

std::vector<std::byte> random_bytes(std::mt19937_64& random, std::size_t n) {
  std::vector<std::byte> bytes(n);
  for (auto& byte : bytes) byte = std::byte(random());
  return bytes;
}

bool check_one(const problem& problem, std::mt19937_64& random) {
  const auto from = random_bytes(random, problem.from_bytes());
  auto wanted = random_bytes(random, problem.to_bytes());
  device_buffer in(from.size()), out(wanted.size());
  TRY(cudaMemcpy(in.at, from.data(), from.size(), cudaMemcpyDefault));
  TRY(cudaMemcpy(out.at, wanted.data(), wanted.size(), cudaMemcpyDefault));
  const auto launch = engine::transpose_launch_of(problem.copy(in.bytes(), out.bytes()));
  TRY(cudaError_t(engine::launch_transpose(launch, nullptr)));
  std::vector<std::byte> got(wanted.size());
  TRY(cudaMemcpy(got.data(), out.at, got.size(), cudaMemcpyDefault));
  const onefold::array_view view(
      from.data() + problem.offset, type_of(problem.item),
      {{problem.rows, problem.from_stride()}, {problem.columns, problem.item}});
  const auto done =
      onefold::transpose(onefold::executor::cpu{}, view, wanted.data() + problem.offset,
                         {{problem.columns, problem.to_stride()}, {problem.rows, problem.item}});
  const bool right = done.ok() && got == wanted;
  if (!right)
    std::printf("{\"wrong\": \"%s\", \"rows\": %lld, \"columns\": %lld, \"item\": %lld, "
                "\"gap\": %lld, \"to_gap\": %lld, \"offset\": %lld}\n",
                name_of(launch.way), static_cast<long long>(problem.rows),
                static_cast<long long>(problem.columns), static_cast<long long>(problem.item),
                static_cast<long long>(problem.gap), static_cast<long long>(problem.to_gap),
                static_cast<long long>(problem.offset));
  return right;
}

int check() {
  std::mt19937_64 random(1);
  bool right = true;
  for (const std::int64_t item : {1, 2, 4, 8}) {
    int wrong = 0, all = 0;
    for (const std::int64_t rows : {1, 2, 3, 31, 64, 127, 128, 129, 500, 2048, 4099})
      for (const std::int64_t columns : {1, 3, 7, 63, 64, 128, 130, 257, 1024, 3001})
        for (const std::int64_t offset : {0, 3, 16}) {
          const std::int64_t pad = 16 - columns * item % 16, to_pad = 16 - rows * item % 16;
          wrong += !check_one({rows, columns, item, pad, to_pad, offset}, random);
          wrong += !check_one({rows, columns, item, std::int64_t(random() % 20),
                               std::int64_t(random() % 20), offset},
                              random);
          all += 2;
        }
    std::printf("{\"check\": \"transpose\", \"item\": %lld, \"launches\": %d, \"wrong\": %d}\n",
                static_cast<long long>(item), all, wrong);
    std::fflush(stdout);
    right &= wrong == 0;
  }
  std::printf("{\"all right\": %s}\n", right ? "true" : "false");
  return right ? 0 : 1;
}

template <int Vectors>
__global__ void copy_all(const uint4* in, std::size_t n, uint4* out) {
  uint4 item[Vectors];
  const std::size_t first = std::size_t(blockIdx.x) * blockDim.x * Vectors + threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < Vectors; ++i)
    if (first + i * blockDim.x < n) item[i] = in[first + i * blockDim.x];
#pragma unroll
  for (unsigned i = 0; i < Vectors; ++i)
    if (first + i * blockDim.x < n) out[first + i * blockDim.x] = item[i];
}

// Bytes read and written.
double rate_of(std::size_t bytes, double us) {
  return 2e-6 * double(bytes) / us;
}

template <class Launch>
double time_copy(const char* name, std::size_t bytes, Launch&& launch) {
  const double us = median_us(launch), rate = rate_of(bytes, us);
  std::printf("{\"what\": \"%s\", \"bytes\": %zu, \"us\": %.2f, \"TB/s\": %.3f}\n", name, bytes, us,
              rate);
  return rate;
}

double copy_rate(const device_buffer& in, const device_buffer& out, std::size_t bytes) {
  const std::size_t n = bytes / 16;
  const auto* from = static_cast<const uint4*>(in.at);
  auto* to = static_cast<uint4*>(out.at);
  const auto blocks = [&](unsigned vectors) { return unsigned((n + vectors - 1) / vectors); };
  double best = 0;
  best = std::max(best, time_copy("copy, 256 x 4", bytes,
                                  [&] { copy_all<4><<<blocks(1024), 256>>>(from, n, to); }));
  best = std::max(best, time_copy("copy, 512 x 4", bytes,
                                  [&] { copy_all<4><<<blocks(2048), 512>>>(from, n, to); }));
  best = std::max(best, time_copy("copy, 512 x 2", bytes,
                                  [&] { copy_all<2><<<blocks(1024), 512>>>(from, n, to); }));
  best = std::max(best, time_copy("copy, cudaMemcpyAsync", bytes, [&] {
                    TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr));
                  }));
  return best;
}

void time_one(const problem& problem, const device_buffer& in, const device_buffer& out,
              double ceiling) {
  if (problem.from_bytes() > in.size || problem.to_bytes() > out.size) return;
  const auto launch = engine::transpose_launch_of(problem.copy(in.bytes(), out.bytes()));
  const std::size_t bytes = std::size_t(problem.rows * problem.columns * problem.item);
  const double us = median_us([&] { TRY(cudaError_t(engine::launch_transpose(launch, nullptr))); });
  const double rate = rate_of(bytes, us);
  std::printf("{\"what\": \"transpose\", \"item\": %lld, \"rows\": %lld, \"columns\": %lld, "
              "\"gap\": %lld, \"to_gap\": %lld, \"way\": \"%s\", \"us\": %.2f, "
              "\"TB/s\": %.3f, \"of copy\": %.3f}\n",
              static_cast<long long>(problem.item), static_cast<long long>(problem.rows),
              static_cast<long long>(problem.columns), static_cast<long long>(problem.gap),
              static_cast<long long>(problem.to_gap), name_of(launch.way), us, rate,
              rate / ceiling);
  std::fflush(stdout);
}

int time_all(int log2_bytes) {
  const std::size_t most = std::size_t(1) << log2_bytes, room = most + (most >> 3);
  device_buffer in(room), out(room);
  TRY(cudaMemset(in.at, 0x5A, room));
  const double ceiling = copy_rate(in, out, most);
  for (const std::int64_t item : {1, 2, 4, 8}) {
    const int log2_items = log2_bytes - (item == 1 ? 0 : item == 2 ? 1 : item == 4 ? 2 : 3);
    const std::int64_t side = std::int64_t(1) << log2_items / 2;
    const std::int64_t other = (std::int64_t(1) << log2_items) / side;
    time_one({side, other, item}, in, out, ceiling);
    const std::int64_t odd = side - side / 64 - 1, odd_other = other - other / 64 - 3;
    time_one({side - 16, other - 32, item}, in, out, ceiling);
    time_one({side, other, item, 128, 128}, in, out, ceiling);
    time_one({side, other, item, item, item}, in, out, ceiling);
    time_one({odd, odd_other, item}, in, out, ceiling);
    time_one({side * 16, other / 16, item}, in, out, ceiling);
    time_one({side / 16, other * 16, item}, in, out, ceiling);
    for (const std::int64_t few : {2, 3, 4, 8, 16, 32, 64}) {
      const std::int64_t many = (std::int64_t(1) << log2_items) / few / 16 * 16;
      time_one({few, many, item}, in, out, ceiling);
      time_one({many, few, item}, in, out, ceiling);
    }
  }
  return copy_rate(in, out, most) > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "check") == 0) return check();
  if (count > 1 && std::strcmp(words[1], "bench") == 0)
    return time_all(count > 2 ? std::atoi(words[2]) : 30);
  std::puts("usage: cuda_transpose check | bench [LOG2 of bytes]");
  return 2;
}
