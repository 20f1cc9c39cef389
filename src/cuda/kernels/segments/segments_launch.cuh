// SPDX-License-Identifier: Apache-2.0
#pragma once
// How kernels of segments are started.

#include "cuda/kernels/segments/segment_sums.cuh"
#include "cuda/kernels/segments/segments.cuh"
#include "cuda/kernels/segments/segments_shape.hpp"

namespace onefold::cuda {

inline segment_arguments segment_arguments_of(const segments_launch& launch, int sum_words,
                                              void* workspace) {
  const segments_request& request = launch.request;
  const segments_shape& shape = launch.shape;
  const segments_workspace space(shape, std::size_t(sum_words));
  auto* const bytes = static_cast<std::byte*>(workspace);
  const auto kind = request.op == op::mean    ? answer_form::kind::mean
                    : request.op == op::norm2 ? answer_form::kind::root
                                              : answer_form::kind::sum;
  return {request,
          launch.block,
          {kind, request.output, 0},
          kind_of(request.input),
          shape.leave_first,
          shape.segment_weight,
          shape.work_range,
          shape.late,
          shape.early,
          reinterpret_cast<std::uint64_t*>(bytes),
          reinterpret_cast<unsigned*>(bytes + space.tickets),
          reinterpret_cast<std::int64_t*>(bytes + space.partials)};
}

template <class Fold>
int launch_fold(const segments_launch& launch, void* workspace, void* stream) {
  const segment_arguments a = segment_arguments_of(launch, Fold::sum::parts, workspace);
  constexpr std::size_t shared =
      segment_threads / warp_lanes * segment_space<Fold>::words * sizeof(std::int64_t);
  static_assert(shared <= 48 << 10, "more has to be asked for");
  segments_of<Fold><<<unsigned(launch.shape.blocks), segment_threads, shared,
                      static_cast<cudaStream_t>(stream)>>>(a);
  return int(cudaGetLastError());
}

}  // namespace onefold::cuda
