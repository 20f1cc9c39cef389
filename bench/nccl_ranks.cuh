// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine as ranks of one NCCL communicator, each with a thread of its own.
// NCCL is opened at run time: nothing of it is needed to build.
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <barrier>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/cuda_timing.cuh"

struct ncclComm;

namespace bench {

struct rank_here {
  int rank;
  ncclComm* comm;
  cudaStream_t stream;
};

class nccl_ranks {
 public:
  nccl_ranks() {
    int devices = 0;
    TRY(cudaGetDeviceCount(&devices));
    void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) give_up(dlerror());
    find(library, "ncclCommInitAll", init_all_);
    find(library, "ncclCommDestroy", destroy_);
    find(library, "ncclAllReduce", all_reduce_);
    find(library, "ncclGetVersion", version_);
    ranks_.resize(std::size_t(devices));
    std::vector<ncclComm*> comms(ranks_.size());
    require(init_all_(comms.data(), devices, nullptr));
    for (int i = 0; i < devices; ++i) {
      TRY(cudaSetDevice(i));
      rank_here& each = ranks_[std::size_t(i)];
      each = {i, comms[std::size_t(i)], nullptr};
      TRY(cudaStreamCreateWithFlags(&each.stream, cudaStreamNonBlocking));
    }
    barrier_ = std::make_unique<std::barrier<>>(devices);
    int version = 0;
    require(version_(&version));
    cudaDeviceProp device{};
    TRY(cudaGetDeviceProperties(&device, 0));
    std::printf("{\"what\": \"ranks\", \"gpu\": \"%s\", \"gpus\": %d, \"nccl\": %d}\n", device.name,
                devices, version);
  }
  nccl_ranks(const nccl_ranks&) = delete;
  ~nccl_ranks() {
    run([&](const rank_here& here) { destroy_(here.comm); });
  }

  int count() const { return int(ranks_.size()); }

  /// work(rank) in a thread for each rank, on its device; returns when all are done.
  template <class Work>
  void run(const Work& work) {
    std::vector<std::thread> threads;
    threads.reserve(ranks_.size());
    for (const rank_here& each : ranks_)
      threads.emplace_back([&work, &each] {
        TRY(cudaSetDevice(each.rank));
        work(each);
        TRY(cudaStreamSynchronize(each.stream));
      });
    for (std::thread& each : threads) each.join();
  }

  /// Where the ranks inside run() wait for each other.
  void meet() { barrier_->arrive_and_wait(); }

  /// NCCL's own sum.
  void all_reduce(const rank_here& here, void* x, std::size_t n, int type) const {
    require(all_reduce_(x, x, n, type, 0, here.comm, here.stream));
  }

 private:
  [[noreturn]] static void give_up(const char* why) {
    std::printf("{\"error\": \"NCCL: %s\"}\n", why);
    std::exit(1);
  }
  static void require(int code) {
    if (code != 0) give_up(std::to_string(code).c_str());
  }
  template <class Function>
  static void find(void* library, const char* name, Function& to) {
    to = reinterpret_cast<Function>(dlsym(library, name));
    if (to == nullptr) give_up(name);
  }

  int (*init_all_)(ncclComm**, int, const int*) = nullptr;
  int (*destroy_)(ncclComm*) = nullptr;
  int (*all_reduce_)(const void*, void*, std::size_t, int, int, ncclComm*, cudaStream_t) = nullptr;
  int (*version_)(int*) = nullptr;
  std::vector<rank_here> ranks_;
  std::unique_ptr<std::barrier<>> barrier_;
};

}  // namespace bench
