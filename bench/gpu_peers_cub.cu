// SPDX-License-Identifier: Apache-2.0
// CUB's reductions, of the CCCL at hand: the toolkit's, or the one ONEFOLD_CCCL points to.
#include "bench/cuda_timing.cuh"
#include "bench/gpu_peers.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/functional>
#if CCCL_VERSION >= 3001000
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#endif

#include <memory>
#include <utility>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace bench {
namespace {

using onefold::dtype;

/// call(scratch, bytes, stream), asked once how much scratch it needs.
template <class Call>
peer with_scratch(std::string name, Call call) {
  std::size_t bytes = 0;
  TRY(call(nullptr, bytes, cudaStream_t()));
  auto scratch = std::make_shared<device_buffer>(bytes);
  return {std::move(name), [scratch, bytes, call](cudaStream_t stream) {
            std::size_t size = bytes;
            TRY(call(scratch->at, size, stream));
          }};
}

template <class T, class Sum>
peer sum_of(const peer_request& request) {
  return with_scratch("CUB DeviceReduce::Sum",
                      [request](void* at, std::size_t& bytes, cudaStream_t s) {
                        return cub::DeviceReduce::Sum(at, bytes, static_cast<const T*>(request.x),
                                                      static_cast<Sum*>(request.out), request.n, s);
                      });
}

// Of halves, which CUB would add in their own type.
template <class T>
peer sum_in_f32(const peer_request& request) {
  return with_scratch(
      "CUB DeviceReduce::Reduce", [request](void* at, std::size_t& bytes, cudaStream_t s) {
        return cub::DeviceReduce::Reduce(at, bytes, static_cast<const T*>(request.x),
                                         static_cast<float*>(request.out), request.n,
                                         cuda::std::plus<float>{}, 0.0F, s);
      });
}

template <class T>
void add_reproducible(const peer_request& request, std::vector<peer>& to) {
#if CCCL_VERSION >= 3001000
  // Its scratch comes from the stream's pool, call after call.
  const auto call = [request](cudaStream_t stream) {
    const auto how = cuda::std::execution::env{
        cuda::execution::require(cuda::execution::determinism::gpu_to_gpu),
        cuda::stream_ref{stream}};
    TRY(cub::DeviceReduce::Reduce(static_cast<const T*>(request.x), static_cast<T*>(request.out),
                                  int(request.n), cuda::std::plus<T>{}, T{}, how));
  };
  to.push_back({"CUB reproducible sum", call, true});
#else
  static_cast<void>(request), static_cast<void>(to);
#endif
}

// Blocks add their sums by atomics, in any order.
template <class T>
void add_unordered(const peer_request& request, std::vector<peer>& to) {
#if CCCL_VERSION >= 3005000
  const auto call = [request](cudaStream_t stream) {
    const auto env = cuda::std::execution::env{
        cuda::execution::require(cuda::execution::determinism::not_guaranteed),
        cuda::stream_ref{stream}};
    TRY(cub::DeviceReduce::Reduce(static_cast<const T*>(request.x), static_cast<T*>(request.out),
                                  int(request.n), cuda::std::plus<T>{}, T{}, env));
  };
  to.push_back({"CUB sum in no order", call});
#else
  static_cast<void>(request), static_cast<void>(to);
#endif
}

// Fixed sizes came with CCCL 3.1.
template <class In, class Out>
concept has_fixed_segments = requires(std::size_t& bytes, In in, Out out) {
  cub::DeviceSegmentedReduce::Sum(nullptr, bytes, in, out, std::int64_t(), int());
};

template <class In, class Out>
concept has_fixed_positions = requires(std::size_t& bytes, In in, Out out) {
  cub::DeviceSegmentedReduce::ArgMax(nullptr, bytes, in, out, std::int64_t(), int());
};

template <class In, class Out>
void add_fixed_segments(const peer_request& request, In in, Out out, std::vector<peer>& to) {
  if constexpr (has_fixed_segments<In, Out>) {
    to.push_back(
        with_scratch("CUB segments of one size", [=](void* at, std::size_t& bytes, cudaStream_t s) {
          return cub::DeviceSegmentedReduce::Sum(at, bytes, in, out, request.rows,
                                                 int(request.columns), s);
        }));
  }
}

// The public interface of CCCL 3.5 passes no bound on the length of a segment, but its kernels take
// one: several segments of a block.
template <class In, class Out>
void add_bounded_segments(const peer_request& request, In in, Out out, std::vector<peer>& to) {
#if CCCL_VERSION >= 3005000 && CCCL_VERSION < 3006000
  const auto call = [=](void* at, std::size_t& bytes, cudaStream_t s) {
    return cub::detail::segmented_reduce::dispatch(
        at, bytes, in, out, request.rows, request.offsets, request.offsets + 1, cuda::std::plus<>{},
        0.0F, std::size_t(request.columns), s);
  };
  to.push_back(with_scratch("CUB segments, max_segment_size", call));
#else
  static_cast<void>(request), static_cast<void>(in), static_cast<void>(out), static_cast<void>(to);
#endif
}

std::vector<peer> row_sums(const peer_request& request) {
  std::vector<peer> found;
  if (request.type != dtype::f32) return found;
  const auto* const in = static_cast<const float*>(request.x);
  auto* const out = static_cast<float*>(request.out);
  add_fixed_segments(request, in, out, found);
  add_bounded_segments(request, in, out, found);
  found.push_back(
      with_scratch("CUB ragged segments", [=](void* at, std::size_t& bytes, cudaStream_t s) {
        return cub::DeviceSegmentedReduce::Sum(at, bytes, in, out, request.rows, request.offsets,
                                               request.offsets + 1, s);
      }));
  return found;
}

// Values with their places, which CUB writes together.
template <class Out>
std::vector<peer> row_positions(const peer_request& request) {
  std::vector<peer> found;
  const auto* const in = static_cast<const float*>(request.x);
  auto* const out = static_cast<Out*>(request.out);
  if constexpr (has_fixed_positions<const float*, Out*>)
    found.push_back(with_scratch("CUB ArgMax, segments of one size",
                                 [=](void* at, std::size_t& bytes, cudaStream_t s) {
                                   return cub::DeviceSegmentedReduce::ArgMax(
                                       at, bytes, in, out, request.rows, int(request.columns), s);
                                 }));
  return found;
}

// The number of runs goes behind the answers.
std::vector<peer> key_sums(const peer_request& request) {
  const auto* const in = static_cast<const float*>(request.x);
  auto* const out = static_cast<float*>(request.out);
  auto* const keys = static_cast<int*>(const_cast<void*>(request.y));
  return {with_scratch(
      "CUB DeviceReduce::ReduceByKey", [=](void* at, std::size_t& bytes, cudaStream_t s) {
        return cub::DeviceReduce::ReduceByKey(at, bytes, request.offsets, keys, in, out,
                                              reinterpret_cast<int*>(out + request.rows),
                                              cuda::std::plus<float>{}, request.n, s);
      })};
}

std::vector<peer> sums(const peer_request& request) {
  std::vector<peer> found;
  switch (request.type) {
  case dtype::f32:
    found.push_back(sum_of<float, float>(request)), add_reproducible<float>(request, found);
    add_unordered<float>(request, found);
    break;
  case dtype::f64:
    found.push_back(sum_of<double, double>(request)), add_reproducible<double>(request, found);
    add_unordered<double>(request, found);
    break;
  case dtype::i32:
    found.push_back(sum_of<int, int>(request));
    break;
  case dtype::i8:
    found.push_back(sum_of<signed char, int>(request));
    break;
  case dtype::f16:
    found.push_back(sum_in_f32<__half>(request));
    break;
  case dtype::bf16:
    found.push_back(sum_in_f32<__nv_bfloat16>(request));
    break;
  default:
    break;
  }
  return found;
}

// The value goes to out[0], the index behind it.
std::vector<peer> selections(const peer_request& request) {
  if (request.type != dtype::f32) return {};
  const auto* const in = static_cast<const float*>(request.x);
  auto* const value = static_cast<float*>(request.out);
  auto* const index = static_cast<std::int64_t*>(request.out) + 1;
  if (request.work == peer_work::min)
    return {
        with_scratch("CUB DeviceReduce::Min", [=](void* at, std::size_t& bytes, cudaStream_t s) {
          return cub::DeviceReduce::Min(at, bytes, in, value, request.n, s);
        })};
  if (request.work == peer_work::argmin)
    return {
        with_scratch("CUB DeviceReduce::ArgMin", [=](void* at, std::size_t& bytes, cudaStream_t s) {
          return cub::DeviceReduce::ArgMin(at, bytes, in, value, index, request.n, s);
        })};
  return {
      with_scratch("CUB DeviceReduce::ArgMax", [=](void* at, std::size_t& bytes, cudaStream_t s) {
        return cub::DeviceReduce::ArgMax(at, bytes, in, value, index, request.n, s);
      })};
}

}  // namespace

std::vector<peer> cub_peers(const peer_request& request) {
  switch (request.work) {
  case peer_work::sum:
    return sums(request);
  case peer_work::row_sums:
    return row_sums(request);
  case peer_work::row_argmax:
    return row_positions<cuda::std::pair<int, float>>(request);
  case peer_work::key_sums:
    return key_sums(request);
  case peer_work::min:
  case peer_work::argmin:
  case peer_work::argmax:
    return selections(request);
  default:
    return {};
  }
}

std::string peer_versions() {
  int runtime = 0, driver = 0;
  TRY(cudaRuntimeGetVersion(&runtime));
  TRY(cudaDriverGetVersion(&driver));
  return "\"CUDA\": \"" + std::to_string(runtime / 1000) + "." +
         std::to_string(runtime % 1000 / 10) + "\", \"driver takes CUDA\": \"" +
         std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10) +
         "\", \"CCCL\": \"" + std::to_string(CCCL_VERSION / 1000000) + "." +
         std::to_string(CCCL_VERSION / 1000 % 1000) + "." + std::to_string(CCCL_VERSION % 1000) +
         "\", " + cublas_version();
}

}  // namespace bench
