// SPDX-License-Identifier: Apache-2.0
// A program with one defect, which its first argument names. Lines that a report must name end in
// a mark.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

constexpr unsigned block = 64;

__global__ void twice(const int* in, int* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

__global__ void unguarded(const int* in, int* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];  // here: past the end
}

__global__ void shifts(int* at) {
  __shared__ int items[block];
  items[threadIdx.x] = at[threadIdx.x];
  at[threadIdx.x] = items[(threadIdx.x + 1) % block];  // here: race
}

__global__ void never_ends(volatile int* flag) {
  while (*flag == 0) {  // here: endless
  }
}

__global__ void divides(int* at, int by) {
  at[threadIdx.x] = 7 / by;  // here: division
}

struct arrays {
  int *in, *out;
  unsigned n;
};

// Both of n ints, the input of ones.
arrays allocated(unsigned n) {
  arrays a{nullptr, nullptr, n};
  cudaMalloc(&a.in, n * sizeof(int));
  cudaMalloc((void**)&a.out, n * sizeof(int));  // here: leak
  const std::vector<int> ones(n, 1);
  cudaMemcpy(a.in, ones.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  return a;
}

void freed(const arrays& a) {
  cudaFree(a.in);
  cudaFree(a.out);
}

void copies_too_much() {
  const arrays a = allocated(100);
  std::vector<int> host(200, 1);
  cudaMemcpy(a.in, host.data(), 200 * sizeof(int), cudaMemcpyHostToDevice);  // here: copy
  freed(a);
}

void copies_the_wrong_way() {
  const arrays a = allocated(100);
  std::vector<int> host(100);
  cudaMemcpy(host.data(), a.in, 100 * sizeof(int), cudaMemcpyHostToDevice);  // here: direction
  freed(a);
}

void copies_what_nothing_has_written() {
  const arrays a = allocated(100);
  std::vector<int> host(100);
  cudaMemcpy(host.data(), a.out, 100 * sizeof(int), cudaMemcpyDeviceToHost);  // here: unwritten
  freed(a);
}

void reads_on_the_host() {
  const arrays a = allocated(100);
  std::printf("%d\n", a.in[3]);  // here: host read
  freed(a);
}

void writes_on_the_host() {
  const arrays a = allocated(100);
  std::memset(a.out, 0, 100 * sizeof(int));  // here: host write
  freed(a);
}

void does_not_wait() {
  int* at;
  cudaMallocManaged(&at, block * sizeof(int));
  for (unsigned i = 0; i < block; ++i) at[i] = int(i);
  twice<<<1, block>>>(at, at, block);
  std::printf("%d\n", at[5]);  // here: no wait
  cudaFree(at);
}

void does_not_wait_for_a_copy() {
  const arrays a = allocated(block);
  int* host;
  cudaMallocHost(&host, block * sizeof(int));
  cudaMemcpyAsync(host, a.in, block * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("%d\n", host[5]);  // here: no wait for a copy
  cudaFreeHost(host);
  freed(a);
}

// Right: the launch reads the one, writes the other, and does not use the third.
void uses_other_memory() {
  int *read, *written, *other;
  cudaMallocManaged(&read, block * sizeof(int));
  cudaMallocManaged(&written, block * sizeof(int));
  cudaMallocManaged(&other, block * sizeof(int));
  for (unsigned i = 0; i < block; ++i) read[i] = 3;
  twice<<<1, block>>>(read, written, block);
  other[0] = 7;
  const int one = read[5];
  cudaDeviceSynchronize();
  std::printf("%d %d %d\n", other[0], one, written[5]);
  for (int* at : {read, written, other}) cudaFree(at);
}

void frees_twice() {
  const arrays a = allocated(100);
  freed(a);
  cudaFree(a.in);  // here: second free
}

void uses_what_is_freed() {
  const arrays a = allocated(block);
  cudaFree(a.in);
  unguarded<<<1, block>>>(a.in, a.out);
  cudaFree(a.out);
}

void uses_host_memory() {
  std::vector<int> host(block, 1);
  int* out;
  cudaMalloc(&out, block * sizeof(int));
  unguarded<<<1, block>>>(host.data(), out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(out);
}

void launches_too_large_a_block() {
  const arrays a = allocated(2048);
  twice<<<1, 2048>>>(a.in, a.out, a.n);  // here: launch
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  freed(a);
}

void runs(const char* defect) {
  const arrays a = allocated(100);
  if (!std::strcmp(defect, "bounds")) unguarded<<<2, block>>>(a.in, a.out);
  if (!std::strcmp(defect, "race")) shifts<<<1, block>>>(a.in);
  if (!std::strcmp(defect, "endless")) {
    cudaMemset(a.in, 0, sizeof(int));
    never_ends<<<1, 1>>>(a.in);
  }
  if (!std::strcmp(defect, "division")) divides<<<1, 1>>>(a.in, 0);
  cudaDeviceSynchronize();
  if (std::strcmp(defect, "leak") != 0) cudaFree(a.out);
  cudaFree(a.in);
}

int main(int count, char** words) {
  const char* const defect = count > 1 ? words[1] : "none";
  const struct {
    const char* name;
    void (*run)();
  } defects[] = {{"copy", copies_too_much},
                 {"direction", copies_the_wrong_way},
                 {"unwritten", copies_what_nothing_has_written},
                 {"host read", reads_on_the_host},
                 {"host write", writes_on_the_host},
                 {"no wait", does_not_wait},
                 {"no wait for a copy", does_not_wait_for_a_copy},
                 {"other memory", uses_other_memory},
                 {"second free", frees_twice},
                 {"freed", uses_what_is_freed},
                 {"host memory", uses_host_memory},
                 {"launch", launches_too_large_a_block}};
  for (const auto& d : defects) {
    if (!std::strcmp(defect, d.name)) d.run();
  }
  runs(defect);
  if (!std::strcmp(defect, "abort")) std::abort();  // here: abort
  if (!std::strcmp(defect, "exit")) std::exit(3);
  if (!std::strcmp(defect, "loop")) {
    for (volatile int forever = 1; forever != 0;) {
    }
  }
  if (!std::strcmp(defect, "throw")) throw std::runtime_error("no luck");
  if (!std::strcmp(defect, "early end"))
    twice<<<1, block>>>(nullptr, nullptr, 0);  // here: early end
}
