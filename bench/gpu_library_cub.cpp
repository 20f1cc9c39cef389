// SPDX-License-Identifier: Apache-2.0
// CUB's sums of device memory behind a C interface, so that bench/gpu_peers.py can time them in
// the process of its other peers. The library is libgpu_library.so, with that of gpu_library.cpp.
#include "bench/gpu_peers.hpp"

namespace {

std::vector<bench::peer> made;

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): C
extern "C" {

/// Prepares each of CUB's sums of x[n] to out[1], of the element type or of f32 for narrower
/// floats, in the place of those of the call before. Returns how many there are.
[[gnu::visibility("default")]] int gpu_library_cub(const char* type_name, const void* x,
                                                   std::int64_t n, void* out) {
  const auto type = onefold::parse_dtype(type_name);
  made.clear();
  if (type)
    made = bench::cub_peers(
        {.work = bench::peer_work::sum, .type = *type, .x = x, .out = out, .n = n});
  return int(made.size());
}

[[gnu::visibility("default")]] const char* gpu_library_cub_name(int i) {
  return made[std::size_t(i)].name.c_str();
}

[[gnu::visibility("default")]] void gpu_library_cub_run(int i, void* stream) {
  made[std::size_t(i)].launch(static_cast<cudaStream_t>(stream));
}

/// Versions of CUDA, CCCL and cuBLAS, as the members of a JSON object.
[[gnu::visibility("default")]] const char* gpu_library_cub_versions() {
  static const std::string kept = bench::peer_versions();
  return kept.c_str();
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
