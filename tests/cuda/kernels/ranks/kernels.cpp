// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include "cuda/kernels/ranks/additive.cuh"
#include "cuda/kernels/ranks/rank_extrema.cuh"
#include "cuda/kernels/ranks/shares.cuh"

namespace onefold::cuda::test {
namespace {

simt::launch_config config_of(unsigned blocks) {
  return {.grid = {blocks}, .block = {warp_lanes}};
}

}  // namespace

void write_group_bands(simt::executor& gpu, const group_request& request, const std::int64_t* words,
                       std::int64_t pieces, std::int64_t* bands, unsigned blocks) {
  simt::launch(gpu, config_of(blocks),
               [=] { cuda::write_group_bands(request.answers, words, pieces, bands); });
}

bool write_groups(simt::executor& gpu, const group_request& request, const std::int64_t* words,
                  std::int64_t pieces, const std::int64_t* bands, std::int64_t* groups,
                  unsigned blocks) {
  const auto write = group_kernels_of(request).write;
  if (write != nullptr)
    simt::launch(gpu, config_of(blocks), [=] { write(request, words, pieces, bands, groups); });
  return write != nullptr;
}

bool round_groups(simt::executor& gpu, const group_request& request, const std::int64_t* groups,
                  unsigned blocks) {
  const auto round = group_kernels_of(request).round;
  if (round != nullptr)
    simt::launch(gpu, config_of(blocks), [=] { round(request, kind_of(request.input), groups); });
  return round != nullptr;
}

void write_extrema_keys(simt::executor& gpu, const extrema_request& request,
                        const std::int64_t* words, std::int64_t pieces, const extrema_words& to,
                        unsigned blocks) {
  const simt::launch_config config = {.grid = {blocks}, .block = {extrema_threads}};
  simt::launch(gpu, config, [=] { cuda::write_extrema_keys(request, words, pieces, to); });
}

void write_extrema_positions(simt::executor& gpu, const extrema_request& request,
                             const extrema_words& in, unsigned blocks) {
  const simt::launch_config config = {.grid = {blocks}, .block = {extrema_threads}};
  simt::launch(gpu, config, [=] { cuda::write_extrema_positions(request, in); });
}

void round_extrema(simt::executor& gpu, const extrema_request& request, const extrema_words& in,
                   unsigned blocks) {
  const simt::launch_config config = {.grid = {blocks}, .block = {extrema_threads}};
  simt::launch(gpu, config, [=] { cuda::round_extrema(request, kind_of(request.input), in); });
}

void reduce_shares(simt::executor& gpu, const shares_request& request, unsigned blocks) {
  const simt::launch_config config = {.grid = {blocks}, .block = {shares_threads}};
  const auto launch = [&]<class T>(detail::tag<T>) {
    simt::launch(gpu, config, [a = arguments_of(request)] { cuda::reduce_shares<T>(a); });
  };
  switch (request.type) {
  case dtype::f16:
    return launch(detail::tag<f16>());
  case dtype::bf16:
    return launch(detail::tag<bf16>());
  case dtype::f32:
    return launch(detail::tag<float>());
  default:
    return launch(detail::tag<double>());
  }
}

}  // namespace onefold::cuda::test
