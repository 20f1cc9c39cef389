// SPDX-License-Identifier: Apache-2.0
// cuBLAS, opened at run time: the program runs without it, and says so.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "bench/gpu_peers.hpp"

namespace bench {
namespace {

using onefold::dtype;
using handle = void*;

constexpr int pointers_on_host = 0, pointers_on_device = 1;
constexpr int keep = 0, turn = 1;  // operations of a matrix

// Functions by the names of the library's interface, version 2; counts of 32 bits.
template <class T>
struct table {
  using of_one = int (*)(handle, int n, const T* x, int step, T* to);
  using index_of = int (*)(handle, int n, const T* x, int step, int* to);
  using of_two = int (*)(handle, int n, const T* x, int step, const T* y, int y_step, T* to);
  using add_matrices = int (*)(handle, int op_a, int op_b, int m, int n, const T* alpha, const T* a,
                               int lda, const T* beta, const T* b, int ldb, T* c, int ldc);
  of_one asum = nullptr, nrm2 = nullptr;
  index_of amax = nullptr;
  of_two dot = nullptr;
  add_matrices geam = nullptr;
};

void must(int code, const char* call) {
  if (code == 0) return;
  std::printf("{\"error\": \"cuBLAS: %s: status %d\"}\n", call, code);
  std::exit(1);
}

/// The library, for the life of the program.
class cublas {
 public:
  static cublas& only() {
    static auto* const made = new cublas;
    return *made;
  }

  bool there() const { return opened_ != nullptr; }
  int version() const { return version_; }
  const std::string& why_not() const { return why_not_; }

  handle on(cudaStream_t stream, int pointers) const {
    must(set_stream_(handle_, stream), "cublasSetStream");
    must(set_pointers_(handle_, pointers), "cublasSetPointerMode");
    return handle_;
  }

  table<float> f32;
  table<double> f64;

 private:
  cublas() {
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
      if (opened_ == nullptr) opened_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (opened_ == nullptr) return;
    int (*create)(handle*) = nullptr;
    int (*get_version)(handle, int*) = nullptr;
    find(create, "cublasCreate_v2"), find(get_version, "cublasGetVersion_v2");
    find(set_stream_, "cublasSetStream_v2"), find(set_pointers_, "cublasSetPointerMode_v2");
    find(f32.asum, "cublasSasum_v2"), find(f64.asum, "cublasDasum_v2");
    find(f32.nrm2, "cublasSnrm2_v2"), find(f64.nrm2, "cublasDnrm2_v2");
    find(f32.amax, "cublasIsamax_v2"), find(f64.amax, "cublasIdamax_v2");
    find(f32.dot, "cublasSdot_v2"), find(f64.dot, "cublasDdot_v2");
    find(f32.geam, "cublasSgeam"), find(f64.geam, "cublasDgeam");
    if (const int code = create(&handle_); code != 0) {
      why_not_ = "cublasCreate: status " + std::to_string(code);
      opened_ = nullptr;
      return;
    }
    must(get_version(handle_, &version_), "cublasGetVersion");
  }

  template <class Function>
  void find(Function& to, const char* name) {
    to = reinterpret_cast<Function>(dlsym(opened_, name));
    must(to == nullptr ? -1 : 0, name);
  }

  void* opened_ = nullptr;
  handle handle_ = nullptr;
  int version_ = 0;
  std::string why_not_ = "not found: neither libcublas.so.13 nor .12";
  int (*set_stream_)(handle, cudaStream_t) = nullptr;
  int (*set_pointers_)(handle, int) = nullptr;
};

// Row-major [rows][columns] is column-major of columns by rows: what is added to nothing is its
// transpose.
template <class T>
peer transpose(const peer_request& request, const table<T>& with) {
  return {"cuBLAS geam", [=](cudaStream_t stream) {
            const T one = 1, none = 0;
            const int rows = int(request.rows), columns = int(request.columns);
            auto* const to = static_cast<T*>(request.out);
            must(with.geam(cublas::only().on(stream, pointers_on_host), turn, keep, rows, columns,
                           &one, static_cast<const T*>(request.x), columns, &none, to, rows, to,
                           rows),
                 "geam");
          }};
}

template <class T>
std::vector<peer> of_type(const peer_request& request, const table<T>& with) {
  const auto* const x = static_cast<const T*>(request.x);
  const auto* const y = static_cast<const T*>(request.y);
  auto* const out = static_cast<T*>(request.out);
  const int n = int(request.n);
  const auto at = [](cudaStream_t stream) { return cublas::only().on(stream, pointers_on_device); };
  switch (request.work) {
  case peer_work::dot:
    return {
        {"cuBLAS dot", [=](cudaStream_t s) { must(with.dot(at(s), n, x, 1, y, 1, out), "dot"); }}};
  case peer_work::norm1:
    return {{"cuBLAS asum", [=](cudaStream_t s) { must(with.asum(at(s), n, x, 1, out), "asum"); }}};
  case peer_work::norm2:
    return {{"cuBLAS nrm2", [=](cudaStream_t s) { must(with.nrm2(at(s), n, x, 1, out), "nrm2"); }}};
  case peer_work::argmax_magnitude:
    return {{"cuBLAS iamax", [=](cudaStream_t s) {
               must(with.amax(at(s), n, x, 1, static_cast<int*>(request.out)), "amax");
             }}};
  case peer_work::transpose:
    return {transpose(request, with)};
  default:
    return {};
  }
}

}  // namespace

std::vector<peer> cublas_peers(const peer_request& request) {
  const cublas& library = cublas::only();
  if (!library.there()) return {};
  if (request.type == dtype::f32) return of_type(request, library.f32);
  if (request.type == dtype::f64) return of_type(request, library.f64);
  return {};
}

std::string cublas_version() {
  const cublas& library = cublas::only();
  const int version = library.version();
  if (!library.there()) return "\"cuBLAS\": \"" + library.why_not() + "\"";
  return "\"cuBLAS\": \"" + std::to_string(version / 10000) + "." +
         std::to_string(version / 100 % 100) + "." + std::to_string(version % 100) + "\"";
}

}  // namespace bench
