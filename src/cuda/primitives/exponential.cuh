// SPDX-License-Identifier: Apache-2.0
#pragma once
// E(x), which logsumexp and softmax add, by the operations of state/exponential.hpp, so with the
// CPU's bits (docs/numerics/logsumexp.md). Powers and nodes are looked up in shared memory.

#include "cuda/primitives/element.cuh"
#include "cuda/primitives/greater.cuh"
#include "cuda/primitives/load.cuh"
#include "state/exponential.hpp"
#include "state/logarithm.hpp"

namespace onefold::cuda {

/// In shared memory.
struct alignas(256) exponential_tables {
  std::uint64_t steps[detail::exponential_steps];
  detail::log_node nodes[detail::log_nodes];
};

/// Those of the block, at an address that is known when the kernel is compiled.
ONEFOLD_DEVICE exponential_tables& tables() {
  __shared__ exponential_tables own;
  return own;
}

#if defined(__CUDACC__)
constexpr exponential_tables made_tables() {
  exponential_tables made = {};
  for (int i = 0; i < detail::exponential_steps; ++i) {
    made.steps[i] = detail::step_entry(std::uint32_t(i));
    made.nodes[i] = detail::log_node_of(i);
  }
  return made;
}
static __device__ const exponential_tables device_tables = made_tables();
#endif

/// What a thread writes of the tables, on its way from when it is made. Every thread of the block
/// makes one and writes it, before any reads the tables.
class table_share {
 public:
  static_assert(detail::exponential_steps == 32 && detail::log_nodes == 32);

#if defined(__CUDACC__)
  ONEFOLD_DEVICE table_share() {
    own_ = from()[threadIdx.x % parts];
  }
  ONEFOLD_DEVICE void write() const {
    auto* const to = reinterpret_cast<uint4*>(&tables());
    if (threadIdx.x < parts) to[threadIdx.x] = own_;
    ONEFOLD_ROLLED
    for (unsigned i = threadIdx.x + blockDim.x; i < parts; i += blockDim.x) to[i] = from()[i];
    __syncthreads();
  }

 private:
  static constexpr unsigned parts = sizeof(exponential_tables) / 16;
  ONEFOLD_DEVICE static const uint4* from() {
    return reinterpret_cast<const uint4*>(&device_tables);
  }

  uint4 own_;
#else
  ONEFOLD_DEVICE void write() const {
    if (const unsigned i = threadIdx.x; i < unsigned(detail::log_nodes)) {
      tables().steps[i] = detail::step_entry(i);
      tables().nodes[i] = detail::log_node_of(int(i));
    }
    __syncthreads();
  }
#endif
};
ONEFOLD_DEVICE void write_tables() {
  table_share().write();
}

/// E of what is left of an element in its band, |rest| <= 700.
template <class Wide>
ONEFOLD_DEVICE double exponential_of(Wide rest) {
  const detail::split_exponential split = detail::split_exponential_of(rest);
  return detail::exponential_of(split, entry_of_32(tables().steps, split.k));
}

/// How far from the middle of a band an exponential is a normal double.
inline constexpr int exponential_reach = 700;

/// A distance from the middle of a band, as far as that; of NaN a NaN.
ONEFOLD_DEVICE float within_reach(float d) {
  return lesser_or_nan(greater_or_nan(d, -float(exponential_reach)), float(exponential_reach));
}
ONEFOLD_DEVICE double within_reach(double d) {
  d = d < -exponential_reach ? -exponential_reach : d;
  return d > exponential_reach ? exponential_reach : d;
}

/// The middle of an element's band; 0 where it is not finite.
template <class Wide>
ONEFOLD_DEVICE Wide band_middle(Wide x) {
  return x - x == 0 ? detail::banded_of(x).band * Wide(detail::band_width) : Wide(0);
}

/// What exponentials are of: narrow floats as floats, others as doubles.
template <class Wide>
ONEFOLD_DEVICE Wide wide_of(std::uint64_t raw, const element_kind& kind) {
  if constexpr (sizeof(Wide) == 4) {
    if (kind.type == dtype::f16) return float_of_half(std::uint16_t(raw));
    return detail::from_bits<float>(std::uint32_t(raw) << (kind.type == dtype::bf16 ? 16 : 0));
  } else {
    if (kind.type == dtype::f64) return detail::from_bits<double>(raw);
    if (kind.floating) return double(wide_of<float>(raw, kind));
    return kind.type == dtype::u64 ? double(raw) : double(integer_of(raw, kind));
  }
}

}  // namespace onefold::cuda
