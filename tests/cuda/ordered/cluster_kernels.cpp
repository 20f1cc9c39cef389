// SPDX-License-Identifier: Apache-2.0
// The kernel of sums of exponentials as a device of sm_90 runs it, in clusters.
#define ONEFOLD_SIMT_CLUSTERS

#include "cluster_kernels.hpp"

#include "cuda/ordered/log_sum.cuh"

namespace onefold::test {
namespace {

template <class T>
void launch(simt::executor& gpu, simt::launch_config config, const void* x, std::int64_t n,
            std::int64_t* parts) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
  const auto cluster = int(config.cluster);
  const cuda::row_ring_shape shape = {cuda::least_stages<T>(cluster),
                                      cuda::row_stage_vectors + !aligned};
  config.block = {cuda::log_sum_threads};
  config.dynamic_shared_bytes = std::size_t(cuda::log_sum_bytes(cluster, shape));
  simt::launch(gpu, config,
               [=] { cuda::log_sum_chunks<T>(static_cast<const T*>(x), n, parts, shape, false); });
}

}  // namespace

cluster_kernel log_sum_in_clusters(dtype input) {
  return input == dtype::f32 ? launch<float> : launch<f16>;
}

}  // namespace onefold::test
