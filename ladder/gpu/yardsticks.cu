// SPDX-License-Identifier: Apache-2.0
// What the ladder is measured against: plain reading.

#include "ladder/gpu/cuda_backend.hpp"
#include "ladder/gpu/gpu.hpp"
#include "ladder/gpu/timing.hpp"
#include "ladder/trial/inputs.hpp"

#include <algorithm>
#include <stdexcept>

namespace onefold::ladder {
namespace {

constexpr unsigned read_block = 512;
constexpr unsigned loads_in_flight = 4;

/// Reads everything once. The xor keeps the loads; the store never happens, as no fold of real
/// data is asked to equal `never` in all four words, but the compiler cannot know.
__global__ void read_all(const uint4* in, std::size_t n, unsigned never, unsigned* out) {
  uint4 fold = {0, 0, 0, 0};
  const std::size_t first = std::size_t{blockIdx.x} * read_block * loads_in_flight + threadIdx.x;
  uint4 item[loads_in_flight];
#pragma unroll
  for (unsigned i = 0; i < loads_in_flight; ++i) {
    const std::size_t at = first + i * read_block;
    item[i] = at < n ? in[at] : fold;
  }
#pragma unroll
  for (const uint4& x : item) {
    fold.x ^= x.x;
    fold.y ^= x.y;
    fold.z ^= x.z;
    fold.w ^= x.w;
  }
  if (fold.x == never && fold.y == never && fold.z == never && fold.w == never) *out = 1;
}

/// Reads n elements of a sum's input.
template <class T>
gpu_trial reading(std::size_t n) {
  cuda_backend where;
  const auto input = reduce_case_of<T>(operation::sum, n);
  auto* in = static_cast<uint4*>(where.allocate(n * sizeof(T), "in"));
  auto* out = static_cast<unsigned*>(where.allocate(sizeof(unsigned), "out"));
  where.upload(in, input->values.data(), n * sizeof(T));

  const std::size_t words = n * sizeof(T) / sizeof(uint4);
  const std::size_t covered = read_block * loads_in_flight;
  const auto grid =
      static_cast<unsigned>(std::max<std::size_t>(1, (words + covered - 1) / covered));
  const auto stream = static_cast<cudaStream_t>(where.stream());
  gpu_trial result{.outcome = {true, "", ""}, .bytes = n * sizeof(T)};
  result.times = time_on_stream(
      stream, [&] { read_all<<<grid, read_block, 0, stream>>>(in, words, 0xC0FFEEu, out); });
  return result;
}

}  // namespace

gpu_trial measure_reading(element type, std::size_t n) {
  switch (type) {
  case element::int32:
    return reading<int>(n);
  case element::float32:
    return reading<float>(n);
  case element::float64:
    return reading<double>(n);
  case element::uint8:
    break;
  }
  throw std::invalid_argument("the yardstick reads no u8; use int, float or double");
}

}  // namespace onefold::ladder
