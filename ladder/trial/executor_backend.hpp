// SPDX-License-Identifier: Apache-2.0
#pragma once
// The executor as a backend: counts and findings of all launches together.

#include "ladder/rung/trial.hpp"
#include "ladder/trial/backend.hpp"
#include "simt/device.hpp"

namespace onefold::ladder {

class executor_backend : public backend {
 public:
  explicit executor_backend(const trial_options& options);

  void run(const launch_shape& shape, simt::kernel_call call) override;

  void* allocate(std::size_t bytes, const std::string& name) override;
  void upload(void* to, const void* from, std::size_t bytes) override;
  void download(void* to, const void* from, std::size_t bytes) override;
  void copy(void* to, const void* from, std::size_t bytes) override;
  void clear(void* at, std::size_t bytes) override;
  std::span<const kernel_table> tables() const override;

  simt::device& device() { return device_; }
  const simt::counts& counts() const { return counts_; }
  const simt::block_counts& blocks() const { return blocks_; }
  unsigned launches() const { return launches_; }
  /// Each defect once, in order of defect and place.
  const std::vector<simt::finding>& findings() const { return findings_; }

 private:
  void add(const simt::finding& found);

  simt::launch_config config_;
  simt::device device_;
  simt::counts counts_;
  simt::block_counts blocks_;
  unsigned launches_ = 0;
  std::vector<simt::finding> findings_;
};

}  // namespace onefold::ladder
