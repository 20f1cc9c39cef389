// SPDX-License-Identifier: Apache-2.0
// Exact reductions of whole arrays of floating elements: instances and launches.

#include "cuda/kernels/exact_full.cuh"
#include "cuda/launch.hpp"

#include <type_traits>

namespace onefold::cuda {
namespace {

using detail::tag;

template <family Family, class T>
struct floating_sum {
  using of = terms<Family, T>;
  static constexpr int words = of::words;

  static bool same_alignment(const full_request& r) {
    return (reinterpret_cast<std::uintptr_t>(r.x) - reinterpret_cast<std::uintptr_t>(r.y)) % 16 ==
           0;
  }

  template <second Second>
  static cudaError_t start(const full_request& r, grid_shape grid, void* workspace,
                           std::int64_t* out, cudaStream_t stream) {
    const unsigned shared = shared_words<words>(grid.threads) * unsigned(sizeof(std::int64_t));
    exact_full<Family, T, Second, all_checks><<<grid.blocks, grid.threads, shared, stream>>>(
        static_cast<const T*>(r.x), static_cast<const T*>(r.y), r.n,
        static_cast<grid_workspace<words>*>(workspace), out, unwatched());
    return cudaGetLastError();
  }

  static cudaError_t launch(const full_request& r, grid_shape grid, void* workspace,
                            std::int64_t* out, cudaStream_t stream) {
    if constexpr (!of::pairs)
      return start<second::none>(r, grid, workspace, out, stream);
    else if (same_alignment(r))
      return start<second::aligned>(r, grid, workspace, out, stream);
    else
      return start<second::apart>(r, grid, workspace, out, stream);
  }
};

// f(tag<sum>) for what has a kernel; otherwise `none`.
template <family Family, class Result, class F>
Result with_type_of(dtype input, Result none, F&& f) {
  switch (input) {
  case dtype::f16:
    return f(tag<floating_sum<Family, f16>>());
  case dtype::bf16:
    return f(tag<floating_sum<Family, bf16>>());
  case dtype::f32:
    return f(tag<floating_sum<Family, float>>());
  case dtype::f64:
    return f(tag<floating_sum<Family, double>>());
  default:
    return none;
  }
}

template <class Result, class F>
Result with_sum(family of, dtype input, Result none, F&& f) {
  switch (of) {
  case family::total:
    return with_type_of<family::total>(input, none, f);
  case family::magnitudes:
    return with_type_of<family::magnitudes>(input, none, f);
  case family::squares:
    return with_type_of<family::squares>(input, none, f);
  case family::products:
    return with_type_of<family::products>(input, none, f);
  default:
    return none;
  }
}

}  // namespace

std::size_t workspace_bytes(family of, dtype input) {
  return with_sum(of, input, std::size_t(0),
                  [](auto sum) { return sizeof(grid_workspace<decltype(sum)::type::words>); });
}

int state_words(family of, dtype input) {
  return with_sum(of, input, 0, [](auto sum) { return decltype(sum)::type::words; });
}

bool full_serves(family of, dtype input) {
  return state_words(of, input) > 0;
}

int launch_full(const full_request& of, grid_shape grid, void* workspace, std::int64_t* words,
                void* stream) {
  return with_sum(of.of, of.input, int(cudaErrorNotSupported), [&](auto sum) {
    return int(
        decltype(sum)::type::launch(of, grid, workspace, words, static_cast<cudaStream_t>(stream)));
  });
}

}  // namespace onefold::cuda
