// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements that lie anywhere, to contiguous memory. Reads along the last axis, which the host
// chooses so that it has the nearest neighbours; rounds nothing.
//
// A warp takes 256 units of the three inner axes: it finds the place of the outer ones once, and a
// lane that of its units by two multiplications each.

#include "cuda/kernels/gather/gather.hpp"
#include "cuda/primitives/load.cuh"
#include "cuda/primitives/raw.cuh"
#include "cuda/primitives/warp.cuh"

namespace onefold::cuda {

/// Bytes from the first of the units to unit `index` of the inner axes.
ONEFOLD_DEVICE std::int64_t inner_place(const gather_launch& a, std::uint32_t index) {
  const std::uint32_t line = a.extent[0].quotient(index), plane = a.extent[1].quotient(line);
  return plane * a.from_bytes[2] + (line - plane * a.extent[1].value()) * a.from_bytes[1] +
         (index - line * a.extent[0].value()) * a.from_bytes[0];
}

/// The same of an index of the outer axes.
ONEFOLD_DEVICE std::int64_t outer_place(const gather_launch& a, std::uint32_t index) {
  std::int64_t place = 0;
  ONEFOLD_ROLLED
  for (int i = a.outer - 1; i >= 0; --i) {
    const auto extent = std::uint32_t(a.outer_axis[i].extent), rest = index / extent;
    place += (index - rest * extent) * a.outer_axis[i].from_bytes;
    index = rest;
  }
  return place;
}

template <class Unit>
ONEFOLD_DEVICE Unit load_unit(const std::byte* at, bool aligned) {
  if constexpr (sizeof(Unit) == 16)
    return load_vector(at);
  else
    return load_raw<Unit>(at, aligned);
}

template <class Unit>
ONEFOLD_DEVICE void gather_units(const gather_launch& a) {
  constexpr unsigned warps = gather_threads / warp_lanes;
  ONEFOLD_ROLLED
  for (unsigned task = blockIdx.x * warps + threadIdx.x / warp_lanes; task < a.tasks;
       task += gridDim.x * warps) {
    const unsigned index = task / a.pieces, piece = task - index * a.pieces;
    const std::byte* const from = a.from + outer_place(a, index);
    auto* const to = reinterpret_cast<Unit*>(a.to) + std::int64_t(index) * a.inner;
    const unsigned first = piece * (warp_lanes * gather_loads) + lane_index();
    Unit units[gather_loads];
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < gather_loads; ++i)
      if (const unsigned k = first + i * warp_lanes; k < a.inner)
        units[i] = load_unit<Unit>(from + inner_place(a, k), a.aligned);
    ONEFOLD_UNROLL
    for (unsigned i = 0; i < gather_loads; ++i)
      if (const unsigned k = first + i * warp_lanes; k < a.inner) to[k] = units[i];
  }
}

/// Shape:  a gather_launch; block of gather_threads, any grid.
/// Error:  none: elements keep their bits; nothing else is written, and nothing else read.
/// Order:  none.
static __global__ void __launch_bounds__(gather_threads)
    gather_elements(ONEFOLD_KERNEL_ARGUMENT gather_launch launch) {
  if (launch.unit_bytes == 16) return gather_units<uint4>(launch);
  with_raw(int(launch.unit_bytes), [&]<class Unit>(Unit) { gather_units<Unit>(launch); });
}

}  // namespace onefold::cuda
