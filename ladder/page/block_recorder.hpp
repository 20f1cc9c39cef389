// SPDX-License-Identifier: Apache-2.0
#pragma once
// Keeps what the drawings of block 0 need while the first launch runs.

#include "ladder/page/page.hpp"
#include "simt/requests.hpp"

#include <map>

namespace onefold::ladder {

/// Attach it as the listener and as the observer of one trial.
class block_recorder : public simt::request_listener, public simt::observer {
 public:
  explicit block_recorder(const rung& r) : rung_(r) {}

  void launch_begins(const simt::launch_view& launch) override;
  void request(const simt::priced_request& priced) override;

  /// Names the steps; to be called once, after the trial.
  block_drawing drawing();

 private:
  // A step is what a warp loads and then stores, within one barrier interval: steps follow each
  // other also where a warp works without barriers.
  using step_key = std::pair<unsigned, unsigned>;

  struct step_record {
    lane_step line;
    bool into_shared = false;
  };

  struct candidate {
    drawn_request request;
    step_key step;
    std::uintptr_t pc;
    std::size_t lowest;  ///< of the lanes' offsets in the device's memory
  };

  struct warp_progress {
    unsigned interval = 0;
    unsigned step = 0;
    bool stored = false;  ///< by its last request
  };

  step_key step_of(const simt::priced_request& priced);
  step_record& record_of(step_key step);
  candidate drawn(const simt::priced_request& priced, step_key step) const;
  std::size_t origin_of(candidate& c) const;
  void note_shared(const simt::priced_request& priced, step_key step);
  void note_global(const simt::priced_request& priced, step_key step);
  void note_first(const candidate& request);
  void name_steps();
  drawn_request named(const candidate& c) const;

  const rung& rung_;
  const simt::arena* memory_ = nullptr;
  unsigned launches_ = 0;
  unsigned threads_ = 0, warp_lanes_ = simt::max_warp_lanes;
  std::map<unsigned, warp_progress> progress_;
  std::map<step_key, step_record> steps_;
  std::optional<candidate> worst_shared_, worst_global_;
  std::map<std::pair<bool, unsigned>, candidate> firsts_;  ///< by whether it writes, and warp
};

}  // namespace onefold::ladder
