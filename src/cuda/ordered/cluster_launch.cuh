// SPDX-License-Identifier: Apache-2.0
#pragma once
// Launches of kernels whose blocks work in clusters (parts/cluster.cuh).

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace onefold::cuda {

/// A fact of the device that is current.
inline int fact_of_device(cudaDeviceAttr which) {
  int device = 0, fact = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&fact, which, device);
  return fact;
}
inline int most_shared_bytes() {
  return fact_of_device(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

/// Whether the kernel that would run here supports clusters of several blocks. One compiled for
/// older devices does not, on any device.
template <class Kernel>
bool supports_clusters(Kernel kernel) {
  cudaFuncAttributes of = {};
  if (cudaFuncGetAttributes(&of, kernel) != cudaSuccess) return cudaGetLastError(), false;
  return std::min(of.ptxVersion, of.binaryVersion) >= 90;
}

/// What has been found out once about a kernel, for each device: 0 where it has not been.
class known_counts {
 public:
  template <class Find>
  int count(const Find& find) {
    int device = 0;
    cudaGetDevice(&device);
    if (device < 0 || device >= int(known_.size())) return find();
    std::atomic<int>& known = known_[std::size_t(device)];
    if (known.load(std::memory_order_relaxed) == 0) known.store(find() + 1);
    return known.load() - 1;
  }

 private:
  std::array<std::atomic<int>, 64> known_{};
};

/// A grid of whole clusters.
class cluster_launch {
 public:
  cluster_launch(unsigned cluster, unsigned threads, int bytes, void* stream) {
    cluster_.id = cudaLaunchAttributeClusterDimension;
    cluster_.val.clusterDim.x = cluster;
    cluster_.val.clusterDim.y = cluster_.val.clusterDim.z = 1;
    config_.blockDim = threads, config_.dynamicSmemBytes = std::size_t(bytes);
    config_.stream = static_cast<cudaStream_t>(stream);
    if (cluster > 1) config_.attrs = &cluster_, config_.numAttrs = 1;
  }

  /// Clusters that are resident on the device at a time; 0 where it has none.
  template <class Kernel>
  int at_once(Kernel kernel) {
    int count = 0;
    config_.gridDim =
        unsigned(fact_of_device(cudaDevAttrMultiProcessorCount)) / cluster_size() * cluster_size();
    if (cudaOccupancyMaxActiveClusters(&count, kernel, &config_) == cudaSuccess) return count;
    return cudaGetLastError(), 0;
  }

  template <class... Wanted, class... Given>
  int start(void (*kernel)(Wanted...), std::int64_t clusters, Given... with) {
    config_.gridDim = unsigned(clusters) * cluster_size();
    return int(cudaLaunchKernelEx(&config_, kernel, Wanted(with)...));
  }

 private:
  unsigned cluster_size() const { return cluster_.val.clusterDim.x; }

  cudaLaunchConfig_t config_ = {};
  cudaLaunchAttribute cluster_ = {};
};

}  // namespace onefold::cuda
