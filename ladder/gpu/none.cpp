// SPDX-License-Identifier: Apache-2.0
// The GPU of a build without CUDA.

#include "ladder/gpu/gpu.hpp"
#include "ladder/gpu/whole_climb.hpp"

#include <stdexcept>

namespace onefold::ladder {

const gpu_search& find_gpu() {
  static const gpu_search none{
      {}, "no GPU: this program was built without CUDA; install nvcc and build again"};
  return none;
}

bool has_gpu_kernel(const rung&, const trial_options&) {
  return false;
}

driver device_driver(const rung& r) {
  return r.grid_stride ? driver::second_launch : driver::passes;
}

answer run_on_gpu(const rung&, const trial_options&) {
  throw std::runtime_error(find_gpu().why_not);
}

gpu_trial try_on_gpu(const rung&, const trial_options&) {
  throw std::runtime_error(find_gpu().why_not);
}

whole_climb climb_whole(std::size_t, unsigned) {
  throw std::runtime_error(find_gpu().why_not);
}

gpu_trial measure_reading(element, std::size_t) {
  throw std::runtime_error(find_gpu().why_not);
}

}  // namespace onefold::ladder
