// SPDX-License-Identifier: Apache-2.0
// reduce/vendor: the reduction that comes with the toolkit, as the last measure of the ladder.
//
// CUB chooses block, grid and loads itself, by the device and the type; the options of the ladder
// mean nothing to it. It folds the blocks' partials in a second launch where there are many.

#include "ladder/kernels/kernels.hpp"
#include "ladder/operators.cuh"
#include "ladder/reduce/vendor_shape.hpp"

#include <cub/device/device_reduce.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

#include <stdexcept>
#include <string>

namespace onefold::ladder::on_gpu {
namespace {

/// As CUB's functions: without memory it says how much it needs.
template <class T, class Operator, class Vendors>
cudaError_t reduce_by_cub(void* memory, std::size_t& bytes, const kernel_arguments& a,
                          cudaStream_t stream) {
  return cub::DeviceReduce::Reduce(memory, bytes, static_cast<const T*>(a.in),
                                   static_cast<T*>(a.out), a.n, Vendors(), Operator::identity,
                                   stream);
}

void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  throw std::runtime_error(std::string("cub::DeviceReduce: ") + cudaGetErrorString(code));
}

template <class T, class Operator, class Vendors>
void start_vendor(engine& where, const kernel_arguments& a) {
  const auto stream = static_cast<cudaStream_t>(where.stream());
  std::size_t bytes = 0;
  check(reduce_by_cub<T, Operator, Vendors>(nullptr, bytes, a, stream));
  if (bytes > vendor_workspace_bytes) {
    throw std::runtime_error("cub::DeviceReduce asks for " + std::to_string(bytes) +
                             " bytes; raise vendor_workspace_bytes");
  }
  check(reduce_by_cub<T, Operator, Vendors>(a.workspace, bytes, a, stream));
}

#define ONEFOLD_ROW(T, type, op, vendors)                                                          \
  { "reduce/vendor", element::type, operation::op, start_vendor<T, op<T>, vendors<>> }
#define ONEFOLD_ROWS(T, type)                                                                      \
  ONEFOLD_ROW(T, type, sum, cuda::std::plus),                                                      \
      ONEFOLD_ROW(T, type, product, cuda::std::multiplies),                                        \
      ONEFOLD_ROW(T, type, maximum, cuda::maximum), ONEFOLD_ROW(T, type, minimum, cuda::minimum)

const kernel_entry entries[] = {
    ONEFOLD_ROWS(int, int32),
    ONEFOLD_ROWS(float, float32),
    ONEFOLD_ROWS(double, float64),
};

}  // namespace

const kernel_table vendor = {entries, sizeof entries / sizeof entries[0]};

}  // namespace onefold::ladder::on_gpu
