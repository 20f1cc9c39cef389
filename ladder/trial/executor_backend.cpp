// SPDX-License-Identifier: Apache-2.0
#include "ladder/trial/executor_backend.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace onefold::ladder {

executor_backend::executor_backend(const trial_options& options) {
  config_.order = options.order;
  config_.seed = options.seed;
  config_.warp_lanes = options.warp;
}

void executor_backend::run(const launch_shape& shape, simt::kernel_call call) {
  config_.grid = shape.grid;
  config_.block = shape.block;
  config_.dynamic_shared_bytes = shape.dynamic_shared_bytes;
  config_.cluster = shape.cluster;
  simt::run(device_, config_, call);
  ++launches_;
  counts_ += device_.counts();
  blocks_ += device_.blocks();
  for (const simt::finding& found : device_.report()) add(found);
}

void executor_backend::add(const simt::finding& found) {
  const auto same = [&](const simt::finding& f) {
    return f.kind == found.kind && f.place == found.place && f.other == found.other;
  };
  const auto known = std::find_if(findings_.begin(), findings_.end(), same);
  if (known == findings_.end()) {
    findings_.push_back(found);
  } else {
    known->times += found.times;
  }
  std::stable_sort(findings_.begin(), findings_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.kind, a.place, a.other) < std::tie(b.kind, b.place, b.other);
  });
}

void* executor_backend::allocate(std::size_t bytes, const std::string& name) {
  return device_.memory().allocate<std::byte>(bytes, name);
}

void executor_backend::upload(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
  device_.memory().mark_written(device_.memory().offset_of(to), bytes);
}

void executor_backend::download(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

void executor_backend::copy(void* to, const void* from, std::size_t bytes) {
  upload(to, from, bytes);
}

void executor_backend::clear(void* at, std::size_t bytes) {
  if (bytes != 0) std::memset(at, 0, bytes);
  device_.memory().mark_written(device_.memory().offset_of(at), bytes);
}

std::span<const kernel_table> executor_backend::tables() const {
  static const std::array all = {under_executor::reduce, under_executor::dot, under_executor::image,
                                 under_executor::loop};
  return all;
}

}  // namespace onefold::ladder
