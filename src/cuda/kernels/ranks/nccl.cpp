// SPDX-License-Identifier: Apache-2.0
// The functions are declared here: they are too few for a header that machines without GPUs lack. A
// process that has NCCL already must not get a second one, which would not know its communicators:
// PyTorch brings its own.
#include "cuda/kernels/ranks/nccl.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "cuda/runtime/failure.hpp"

namespace onefold::cuda {
namespace {

constexpr const char* library_name = "libnccl.so.2";

struct opened {
  void* library = nullptr;  ///< null: the process' own symbols
  std::string why_not;
};

opened open_library() {
  if (dlsym(RTLD_DEFAULT, "ncclAllReduce") != nullptr) return {};
  const char* const given = std::getenv("ONEFOLD_NCCL");
  const char* const name = given != nullptr ? given : library_name;
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return {library, {}};
  const char* const reason = dlerror();
  return {nullptr, std::string("NCCL is not there (") + (reason != nullptr ? reason : name) +
                       "); install it, for example the package nvidia-nccl-cu13 of PyPI, and put "
                       "its folder on LD_LIBRARY_PATH or the library's path into ONEFOLD_NCCL"};
}

class loaded {
 public:
  loaded() : from_(open_library()) {
    if (!from_.why_not.empty()) return;
    find("ncclGetErrorString", functions.error_string);
    find("ncclCommCount", functions.count);
    find("ncclCommUserRank", functions.rank);
    find("ncclCommCuDevice", functions.device);
    find("ncclCommGetAsyncError", functions.async_error);
    find("ncclAllReduce", functions.all_reduce);
    find("ncclAllGather", functions.all_gather);
    find("ncclSend", functions.send);
    find("ncclRecv", functions.receive);
    find("ncclGroupStart", functions.group_start);
    find("ncclGroupEnd", functions.group_end);
  }

  const std::string& why_not() const { return from_.why_not; }

  nccl_library functions{};

 private:
  template <class Function>
  void find(const char* name, Function& to) {
    void* const at = dlsym(from_.library != nullptr ? from_.library : RTLD_DEFAULT, name);
    to = reinterpret_cast<Function>(at);
    if (at == nullptr && from_.why_not.empty())
      from_.why_not = std::string("NCCL has no ") + name + "; install NCCL 2.7 or later";
  }

  opened from_;
};

}  // namespace

const nccl_library& nccl() {
  // Never closed: communicators outlive any call.
  static const auto* const only = new loaded;
  if (!only->why_not().empty()) throw error({status_code::unsupported, only->why_not()});
  return only->functions;
}

void check_nccl(int code, const char* call) {
  if (code == 0) return;
  throw error({status_code::device_error,
               std::string(call) + ": " + nccl().error_string(code) +
                   "; NCCL_DEBUG=INFO makes NCCL say more, and the communicator is to be aborted"});
}

communicator::communicator(ncclComm* comm) : handle(comm) {
  const nccl_library& library = nccl();
  if (comm == nullptr)
    throw error({status_code::usage, "the communicator is null; make one by ncclCommInitRank"});
  check(library.count(comm, &ranks), "ncclCommCount");
  check(library.rank(comm, &rank), "ncclCommUserRank");
  check(library.device(comm, &device), "ncclCommCuDevice");
}

void communicator::check(int code, const char* call) const {
  while (code == nccl_in_progress) {
    std::this_thread::yield();
    if (const int failed = nccl().async_error(handle, &code); failed != 0) code = failed;
  }
  check_nccl(code, call);
}

}  // namespace onefold::cuda
