// SPDX-License-Identifier: Apache-2.0
// Thrust's reductions. They return their value to the host, and so wait for it: their times are
// those of a call, and graphs cannot hold them.
#include "bench/gpu_peers.hpp"

#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/transform_reduce.h>

namespace bench {
namespace {

using onefold::dtype;

struct square {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return x * x;
  }
};

struct magnitude {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return x < 0 ? -x : x;
  }
};

struct sum_of_two {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct least {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};

// The value is kept where nothing else can be taken for it.
template <class T>
volatile T kept;

template <class T, class Term, class Fold>
peer transformed(const peer_request& request, Term term, T first, Fold fold) {
  const T* const x = static_cast<const T*>(request.x);
  return {"Thrust transform_reduce", [=](cudaStream_t stream) {
            kept<T> = thrust::transform_reduce(thrust::cuda::par.on(stream), x, x + request.n, term,
                                               first, fold);
          }};
}

template <class T>
peer reduced(const peer_request& request) {
  const T* const x = static_cast<const T*>(request.x);
  const bool smallest = request.work == peer_work::min;
  return {"Thrust reduce", [=](cudaStream_t stream) {
            const auto on = thrust::cuda::par.on(stream);
            kept<T> = smallest ? thrust::reduce(on, x, x + request.n, T(1e30), least())
                               : thrust::reduce(on, x, x + request.n, T(), sum_of_two());
          }};
}

template <class T>
std::vector<peer> of_floats(const peer_request& request) {
  switch (request.work) {
  case peer_work::sum:
  case peer_work::min:
    return {reduced<T>(request)};
  case peer_work::norm1:
    return {transformed<T>(request, magnitude(), T(), sum_of_two())};
  case peer_work::norm2:
    return {transformed<T>(request, square(), T(), sum_of_two())};
  default:
    return {};
  }
}

}  // namespace

std::vector<peer> thrust_peers(const peer_request& request) {
  if (request.type == dtype::f32) return of_floats<float>(request);
  if (request.type == dtype::f64) return of_floats<double>(request);
  return {};
}

}  // namespace bench
