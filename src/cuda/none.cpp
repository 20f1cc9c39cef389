// SPDX-License-Identifier: Apache-2.0
// The CUDA engine of a build without CUDA: every request is unsupported.
#include "cuda/engine.hpp"
#include "cuda/kernels/keys/scatter/scatter.hpp"
#include "cuda/kernels/normalize/normalize.hpp"
#include "cuda/kernels/ranks/ranks.hpp"
#include "cuda/kernels/transpose/transpose.hpp"
#include "cuda/runtime/driver.hpp"

// The way to one; a Python wheel names its own.
#ifndef ONEFOLD_CUDA_REMEDY
#define ONEFOLD_CUDA_REMEDY "configure with ONEFOLD_CUDA=ON where nvcc is"
#endif

namespace onefold::cuda {
namespace {

status not_in_this_build() {
  return {status_code::unsupported, "this build has no CUDA engine; " ONEFOLD_CUDA_REMEDY
                                    ", or leave it to the CPU (executor::cpu, --device cpu)"};
}

}  // namespace

status accumulate(const executor::cuda&, const request&, std::span<const target>) {
  return not_in_this_build();
}

status reduce_each(const executor::cuda&, const request&,
                   const std::function<status(const answer_words&)>&) {
  return not_in_this_build();
}

void answer_words::add_to(std::int64_t, std::span<const target>) const {}

std::optional<status> reduce_asynchronously(const executor::cuda&, const request&,
                                            std::span<const output_view>) {
  return std::nullopt;
}

status reduce_segments(const executor::cuda&, const request&, std::span<const std::int64_t>,
                       const output_view&) {
  return not_in_this_build();
}

result<std::size_t> asynchronous_workspace_bytes(const executor::cuda&, const request&,
                                                 std::span<const output_view>) {
  return not_in_this_build();
}

status clear_workspace(const executor::cuda&, void*, std::size_t) {
  return not_in_this_build();
}

bool is_capturing(const executor::cuda&) {
  return false;
}

status reduce_by_key(const executor::cuda&, const request&, const array_view&,
                     const outputs_maker&) {
  return not_in_this_build();
}

bool driver_has_on_device(const void*) noexcept {
  return false;
}

transfer_rates host_transfer() noexcept {
  return {};
}

status check_device(const executor::cuda&) {
  return not_in_this_build();
}

result<std::vector<int>> numbers_of(const executor::devices&) {
  return not_in_this_build();
}

bool lies_on_device(const void*) {
  return false;
}

status copy_to_device(const executor::cuda&, void*, const void*, std::size_t) {
  return not_in_this_build();
}

status scatter(const executor::cuda&, const row_scatter&) {
  return not_in_this_build();
}

status transpose(const executor::cuda&, const matrix_copy&) {
  return not_in_this_build();
}

status rms_norm(const executor::cuda&, const rms_norm_rows&) {
  return not_in_this_build();
}

status layer_norm(const executor::cuda&, const layer_norm_rows&) {
  return not_in_this_build();
}

status norm_backward(const executor::cuda&, const norm_gradients&) {
  return not_in_this_build();
}

status softmax(const executor::cuda&, const softmax_rows&) {
  return not_in_this_build();
}

status softmax_backward(const executor::cuda&, const softmax_gradients&) {
  return not_in_this_build();
}

status cross_entropy(const executor::cuda&, const class_losses&) {
  return not_in_this_build();
}

status cross_entropy_backward(const executor::cuda&, const class_gradients&) {
  return not_in_this_build();
}

status reduce_losses(const executor::cuda&, const loss_sums&) {
  return not_in_this_build();
}

status loss_scales(const executor::cuda&, const row_scales&) {
  return not_in_this_build();
}

status all_reduce(const executor::cuda&, const request&, std::span<const output_view>, ncclComm*) {
  return not_in_this_build();
}

result<std::size_t> all_reduce_bytes(const executor::cuda&, const request&,
                                     std::span<const output_view>, int) {
  return not_in_this_build();
}

status all_reduce_elements(const executor::cuda&, const element_block&, ncclComm*,
                           const device_buffer&, const element_agreement& agreement) {
  return agreement.own ? not_in_this_build() : agreement.own;
}

survey find_devices() {
  return {not_in_this_build().message(), "", "", {}};
}

}  // namespace onefold::cuda
