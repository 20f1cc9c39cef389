// SPDX-License-Identifier: Apache-2.0
#pragma once
// Block 0 as drawings in characters: lanes over steps, and one request over the banks.

#include "ladder/rung/rung.hpp"
#include "simt/requests.hpp"

#include <optional>

namespace onefold::ladder {

/// Keeps what the drawings need while block 0 runs.
class picture_recorder : public simt::request_listener {
 public:
  struct step {
    std::vector<bool> working;  ///< lanes that store to shared memory
    unsigned wavefronts = 0;    ///< of the loads from shared memory
    unsigned ideal = 0;
    unsigned ways = 0;
  };

  explicit picture_recorder(unsigned block, unsigned warp) : block_(block), warp_(warp) {}

  void request(const simt::priced_request& priced) override;

  /// One for each barrier interval.
  const std::vector<step>& steps() const { return steps_; }

  struct worst_request {
    simt::warp_request request;
    unsigned interval;
    unsigned ways;
  };
  const std::optional<worst_request>& worst() const { return worst_; }

 private:
  void note_worst(const simt::priced_request& priced);

  unsigned block_;
  unsigned warp_;
  std::vector<step> steps_;
  std::optional<worst_request> worst_;
};

/// One character for a few lanes (# all work, + some, . none), bars between warps.
std::string lane_strip(const std::vector<bool>& working, unsigned warp, unsigned lanes_a_character);

/// The lane numbers of a request by bank: a row for each wavefront that the fullest bank needs.
std::string bank_map(const simt::lane_addresses& request, const std::string& indent);

}  // namespace onefold::ladder
