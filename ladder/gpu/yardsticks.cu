// SPDX-License-Identifier: Apache-2.0
// What the ladder is measured against: plain reading, and CUB.

#include "ladder/gpu/cuda_backend.hpp"
#include "ladder/gpu/gpu.hpp"
#include "ladder/gpu/timing.hpp"
#include "ladder/trial/inputs.hpp"

#include <cub/device/device_reduce.cuh>

#include <string>

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

template <class T>
class peer {
 public:
  explicit peer(std::size_t n) : n_(n), case_(reduce_case_of<T>(operation::sum, n)) {
    in_ = static_cast<T*>(where_.allocate(n * sizeof(T), "in"));
    out_ = static_cast<T*>(where_.allocate(sizeof(T), "out"));
    where_.upload(in_, case_->values.data(), n * sizeof(T));
    ONEFOLD_CUDA_TRY(cub::DeviceReduce::Sum(nullptr, scratch_bytes_, in_, out_, n, stream()));
    scratch_ = where_.allocate(scratch_bytes_, "CUB's scratch");
  }

  gpu_trial measure(yardstick which) {
    gpu_trial result{.bytes = n_ * sizeof(T)};
    if (which == yardstick::read) {
      result.outcome = {true, "", ""};
      result.times = time_on_stream(stream(), [&] { read(); });
      return result;
    }
    result.times = time_on_stream(stream(), [&] { sum(); });
    T got{};
    where_.download(&got, out_, sizeof got);
    result.outcome = {got == case_->expected, std::to_string(got), std::to_string(case_->expected)};
    return result;
  }

 private:
  cudaStream_t stream() const { return static_cast<cudaStream_t>(where_.stream()); }

  void sum() {
    ONEFOLD_CUDA_TRY(cub::DeviceReduce::Sum(scratch_, scratch_bytes_, in_, out_, n_, stream()));
  }

  void read() {
    const std::size_t words = n_ * sizeof(T) / sizeof(uint4);
    const std::size_t covered = read_block * loads_in_flight;
    const auto grid =
        static_cast<unsigned>(std::max<std::size_t>(1, (words + covered - 1) / covered));
    read_all<<<grid, read_block, 0, stream()>>>(reinterpret_cast<const uint4*>(in_), words,
                                                0xC0FFEEu, reinterpret_cast<unsigned*>(out_));
  }

  cuda_backend where_;
  std::size_t n_;
  std::shared_ptr<const reduce_case<T>> case_;
  T *in_ = nullptr, *out_ = nullptr;
  void* scratch_ = nullptr;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace

gpu_trial measure(yardstick which, element type, std::size_t n) {
  switch (type) {
  case element::int32:
    return peer<int>(n).measure(which);
  case element::float32:
    return peer<float>(n).measure(which);
  case element::float64:
    return peer<double>(n).measure(which);
  case element::uint8:
    break;
  }
  throw std::invalid_argument("no yardstick sums u8; use int, float or double");
}

}  // namespace onefold::ladder
