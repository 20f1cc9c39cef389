// SPDX-License-Identifier: Apache-2.0
#include "ladder/reduce/rungs.hpp"
#include "ladder/reduce/vendor_shape.hpp"

namespace onefold::ladder {

rung vendor_rung() {
  rung r;
  r.name = "reduce/vendor";
  r.title = "cub::DeviceReduce, the vendor's own";
  r.idea = "what the makers of the device ship, as the last measure";
  r.previous = "reduce/one-launch";
  r.file = "ladder/reduce/vendor.cu";
  r.gpu_only = "it is compiled code of the CUDA toolkit, not a text that the executor could run; "
               "build with nvcc, and on a machine with a GPU onefold-ladder run times it";
  r.items_per_lane = 16;
  r.grid_stride = true;
  r.one_value = true;
  r.workspace_bytes = vendor_workspace_bytes;
  return r;
}

}  // namespace onefold::ladder
