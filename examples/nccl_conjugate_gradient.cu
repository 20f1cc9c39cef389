// SPDX-License-Identifier: Apache-2.0
// Solves Poisson's equation on a grid by conjugate gradients, the rows of the grid split over 1, 2,
// 4 and 8 GPUs, as many as this machine has, and on the CPU. The two dot products of a step are
// exact, so the residuals have the same bits everywhere; mpi_conjugate_gradient prints the same.
// Each GPU has a thread of its own, and no thread waits for its GPU before the end.
//
// Compiled with -fmad=false: products and sums round where those of the CPU do.
#include <onefold/nccl.hpp>
#include <onefold/onefold.hpp>

#include <cuda_runtime.h>
#include <nccl.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <thread>
#include <vector>

namespace {

void check(bool fine, const char* message) {
  if (fine) return;
  std::puts(message);
  std::exit(1);
}
void check(cudaError_t code) {
  check(code == cudaSuccess, cudaGetErrorString(code));
}
void check(ncclResult_t code) {
  check(code == ncclSuccess, ncclGetErrorString(code));
}
void check(const onefold::status& done) {
  check(done.ok(), done.message().c_str());
}

constexpr int width = 64, height = 48, steps = 60;

// Numbers of the grid, the rows above and below them included: x points to the first of row 0.
__host__ __device__ double right_side(int row, int column) {
  return 1.0 / (1 + row * 7 + column * 3);
}
__host__ __device__ double stencil(const double* x, int k) {
  const int column = k % width;
  const double left = column > 0 ? x[k - 1] : 0;
  const double right = column + 1 < width ? x[k + 1] : 0;
  return 4 * x[k] - (left + right) - (x[k - width] + x[k + width]);
}

__device__ int index() {
  return int(blockIdx.x * blockDim.x + threadIdx.x);
}
__global__ void begin(double* r, double* p, int first_row, int n) {
  const int k = index();
  if (k < n) r[k] = p[k] = right_side(first_row + k / width, k % width);
}
__global__ void apply(const double* p, double* ap, int n) {
  const int k = index();
  if (k < n) ap[k] = stencil(p, k);
}
__global__ void descend(double* r, const double* ap, const double* rr, const double* pap, int n) {
  const int k = index();
  const double a = *rr / *pap;
  if (k < n) r[k] += -a * ap[k];
}
__global__ void turn(double* p, const double* r, const double* next, const double* rr, int n) {
  const int k = index();
  const double b = *next / *rr;
  if (k < n) p[k] = r[k] + b * p[k];
}

// The rows of one GPU, and the residuals of all steps.
class part {
 public:
  part(int rank, int ranks, ncclComm_t comm)
      : rank_(rank), ranks_(ranks), first_(height * rank / ranks),
        n_((height * (rank + 1) / ranks - first_) * width), comm_(comm) {
    check(cudaSetDevice(rank));
    check(cudaStreamCreate(&stream_));
    gpu_.stream = stream_;
    const std::size_t bytes = std::size_t(n_ + 2 * width) * sizeof(double);
    for (double** each : {&r_, &p_, &ap_}) {
      check(cudaMalloc(each, bytes));
      check(cudaMemsetAsync(*each, 0, bytes, stream_));
      *each += width;
    }
    check(cudaMalloc(&history_, (steps + 2) * sizeof(double)));
    auto& workspace = how_.workspace;
    workspace.bytes = onefold::nccl::all_reduce_workspace_size(gpu_, onefold::op::dot,
                                                               {view(r_), view(r_)}, {to(history_)})
                          .value();
    check(cudaMalloc(&workspace.data, workspace.bytes));
    check(workspace_init(gpu_, workspace.data, workspace.bytes));
  }
  part(const part&) = delete;
  part& operator=(const part&) = delete;
  ~part() {
    for (double* each : {r_, p_, ap_}) cudaFree(each - width);
    cudaFree(history_), cudaFree(how_.workspace.data), cudaStreamDestroy(stream_);
  }

  std::vector<double> solve() {
    const unsigned threads = 128, blocks = (unsigned(n_) + threads - 1) / threads;
    double* const pap = history_ + steps + 1;
    begin<<<blocks, threads, 0, stream_>>>(r_, p_, first_, n_);
    dot(r_, r_, history_);
    for (int step = 1; step <= steps; ++step) {
      const double* const rr = history_ + step - 1;
      exchange_borders(p_);
      apply<<<blocks, threads, 0, stream_>>>(p_, ap_, n_);
      dot(p_, ap_, pap);
      descend<<<blocks, threads, 0, stream_>>>(r_, ap_, rr, pap, n_);
      dot(r_, r_, history_ + step);
      turn<<<blocks, threads, 0, stream_>>>(p_, r_, history_ + step, rr, n_);
    }
    check(cudaGetLastError());
    std::vector<double> all(steps + 1);
    check(cudaMemcpyAsync(all.data(), history_, all.size() * sizeof(double), cudaMemcpyDefault,
                          stream_));
    check(cudaStreamSynchronize(stream_));
    return all;
  }

 private:
  onefold::array_view view(const double* x) const { return {x, std::size_t(n_)}; }
  static onefold::output_view to(double* answer) { return {answer, onefold::dtype::f64}; }

  void dot(const double* x, const double* y, double* answer) {
    check(onefold::nccl::all_reduce(gpu_, onefold::op::dot, {view(x), view(y)}, {to(answer)}, comm_,
                                    how_));
  }
  void swap_rows(const double* row, double* other, int peer) {
    if (peer < 0 || peer >= ranks_) return;
    check(ncclSend(row, width, ncclDouble, peer, comm_, stream_));
    check(ncclRecv(other, width, ncclDouble, peer, comm_, stream_));
  }
  void exchange_borders(double* x) {
    check(ncclGroupStart());
    swap_rows(x, x - width, rank_ - 1);
    swap_rows(x + n_ - width, x + n_, rank_ + 1);
    check(ncclGroupEnd());
  }

  int rank_, ranks_, first_, n_;
  ncclComm_t comm_;
  cudaStream_t stream_ = nullptr;
  onefold::executor::cuda gpu_;
  onefold::options how_;
  double *r_ = nullptr, *p_ = nullptr, *ap_ = nullptr, *history_ = nullptr;
};

std::vector<double> solve_on_gpus(int gpus) {
  std::vector<ncclComm_t> comms(static_cast<std::size_t>(gpus));
  check(ncclCommInitAll(comms.data(), gpus, nullptr));
  std::vector<std::vector<double>> histories(comms.size());
  std::barrier all(gpus);  // cudaMalloc and cudaFree may wait for what other GPUs do
  std::vector<std::thread> threads;
  for (int i = 0; i < gpus; ++i)
    threads.emplace_back([&, i] {
      const auto k = std::size_t(i);
      part own(i, gpus, comms[k]);
      all.arrive_and_wait();
      histories[k] = own.solve();
      all.arrive_and_wait();
    });
  for (std::thread& each : threads) each.join();
  for (const auto& each : histories) check(each == histories[0], "the GPUs' residuals differ");
  for (ncclComm_t each : comms) check(ncclCommDestroy(each));
  return histories[0];
}

std::vector<double> solve_on_cpu() {
  constexpr int n = width * height;
  std::vector<double> r(n), around(n + 2 * width), ap(n), all;
  double* const p = around.data() + width;
  const std::span<const double> direction(p, std::size_t(n));
  for (int k = 0; k < n; ++k) r[std::size_t(k)] = p[k] = right_side(k / width, k % width);
  all.push_back(onefold::dot(r, r));
  for (int step = 1; step <= steps; ++step) {
    for (int k = 0; k < n; ++k) ap[std::size_t(k)] = stencil(p, k);
    const double a = all.back() / onefold::dot(direction, ap);
    for (int k = 0; k < n; ++k) r[std::size_t(k)] += -a * ap[std::size_t(k)];
    const double next = onefold::dot(r, r), b = next / all.back();
    for (int k = 0; k < n; ++k) p[k] = r[std::size_t(k)] + b * p[k];
    all.push_back(next);
  }
  return all;
}

}  // namespace

int main() {
  // A kernel that is loaded while another GPU waits for this one would wait in turn.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  int all = 0;
  if (cudaGetDeviceCount(&all) != cudaSuccess || all == 0) {
    std::puts("no CUDA device");
    return 77;
  }
  const std::vector<double> wanted = solve_on_cpu();
  for (int gpus = 1; gpus <= all && gpus <= 8; gpus *= 2) {
    check(solve_on_gpus(gpus) == wanted, "the residuals of the GPUs are not those of the CPU");
    std::fprintf(stderr, "GPUs: %d\n", gpus);
  }
  for (std::size_t step = 10; step <= steps; step += 10)
    std::printf("step %zu: r.r = %a\n", step, wanted[step]);
}
