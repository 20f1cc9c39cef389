// SPDX-License-Identifier: Apache-2.0
#include "simt/banks.hpp"

#include <algorithm>

namespace onefold::simt {
namespace {

/// Distinct values, few of them, most often equal to the one before or the largest so far.
class distinct {
 public:
  void add(std::size_t value) {
    if (count_ != 0 && values_[count_ - 1] == value) return;
    const auto end = values_.begin() + count_;
    if (count_ != 0 && value <= largest_ && std::find(values_.begin(), end, value) != end) return;
    largest_ = count_ == 0 ? value : std::max(largest_, value);
    values_[count_++] = value;
  }
  unsigned count() const { return count_; }

 private:
  // A lane's access of up to 16 bytes touches at most two sectors, and 32 lanes two each.
  std::array<std::size_t, 2 * max_warp_lanes> values_;
  std::size_t largest_ = 0;
  unsigned count_ = 0;
};

enum class sharing { one_word, none };

/// The words that each bank has to deliver in one phase.
class bank_words {
 public:
  void add(std::size_t word, sharing shared) {
    const std::size_t bank = word % banks;
    auto& words = words_[bank];
    const auto end = words.begin() + count_[bank];
    if (shared == sharing::one_word && std::find(words.begin(), end, word) != end) return;
    words[count_[bank]++] = word;
    wavefronts_ = std::max(wavefronts_, count_[bank]);
  }
  unsigned wavefronts() const { return wavefronts_; }

 private:
  // Not initialised: count_ says how many words of a bank are valid.
  std::array<std::array<std::size_t, max_warp_lanes + 1>, banks> words_;
  std::array<unsigned, banks> count_{};
  unsigned wavefronts_ = 0;
};

// What is cleared or copied as a whole is more than a phase carries, and has one for each lane.
unsigned phase_lanes(unsigned size_bytes) {
  return std::max(max_warp_lanes * bank_bytes / std::max(size_bytes, bank_bytes), 1U);
}

unsigned wavefronts_of_phase(const lane_addresses& request, unsigned first, unsigned count,
                             sharing shared) {
  bank_words words;
  for (unsigned lane = first; lane < first + count; ++lane) {
    if ((request.lanes >> lane & 1) == 0) continue;
    const std::size_t begin = request.offset[lane] / bank_bytes;
    const std::size_t end = (request.offset[lane] + request.size_bytes - 1) / bank_bytes;
    for (std::size_t word = begin; word <= end; ++word) words.add(word, shared);
  }
  return words.wavefronts();
}

template <unsigned UnitBytes>
unsigned distinct_units(const lane_addresses& request) {
  distinct units;
  for (unsigned lane = 0; lane < max_warp_lanes; ++lane) {
    if ((request.lanes >> lane & 1) == 0) continue;
    units.add(request.offset[lane] / UnitBytes);
    units.add((request.offset[lane] + request.size_bytes - 1) / UnitBytes);
  }
  return units.count();
}

shared_cost cost_with(const lane_addresses& request, sharing shared) {
  shared_cost cost;
  const unsigned count = phase_lanes(request.size_bytes);
  for (unsigned first = 0; first < max_warp_lanes; first += count) {
    const unsigned wavefronts = wavefronts_of_phase(request, first, count, shared);
    cost.wavefronts += wavefronts;
    cost.phases += wavefronts != 0;
    cost.ways = std::max(cost.ways, wavefronts);
  }
  return cost;
}

}  // namespace

shared_cost cost_in_shared_memory(const lane_addresses& request) {
  return cost_with(request, sharing::one_word);
}

shared_cost cost_of_shared_atomics(const lane_addresses& request) {
  return cost_with(request, sharing::none);
}

global_cost cost_in_global_memory(const lane_addresses& request) {
  return {distinct_units<sector_bytes>(request), distinct_units<line_bytes>(request)};
}

}  // namespace onefold::simt
