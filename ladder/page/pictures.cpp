// SPDX-License-Identifier: Apache-2.0
#include "ladder/page/pictures.hpp"

#include "ladder/page/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace onefold::ladder {
namespace {

/// For each bank the words wanted from it, in order, each with its first lane.
using bank_column = std::vector<std::pair<std::size_t, unsigned>>;

std::vector<bank_column> words_by_bank(const simt::lane_addresses& request) {
  std::vector<bank_column> columns(simt::banks);
  for (unsigned lane = 0; lane < simt::max_warp_lanes; ++lane) {
    if ((request.lanes >> lane & 1) == 0) continue;
    const std::size_t first = request.offset[lane] / simt::bank_bytes;
    const std::size_t last = (request.offset[lane] + request.size_bytes - 1) / simt::bank_bytes;
    for (std::size_t word = first; word <= last; ++word) {
      bank_column& column = columns[word % simt::banks];
      const bool known = std::any_of(column.begin(), column.end(),
                                     [word](const auto& entry) { return entry.first == word; });
      if (!known) column.emplace_back(word, lane);
    }
  }
  return columns;
}

}  // namespace

void picture_recorder::request(const simt::priced_request& priced) {
  if (priced.block != 0 || priced.request.where != simt::space::shared) return;
  if (steps_.size() <= priced.interval) {
    steps_.resize(priced.interval + 1, {std::vector<bool>(block_), 0, 0, 0});
  }
  step& s = steps_[priced.interval];
  s.ways = std::max(s.ways, priced.shared.ways);
  if (priced.request.writes) {
    for (unsigned lane = 0; lane < warp_; ++lane) {
      if (priced.request.addresses.lanes >> lane & 1) {
        s.working[priced.request.warp * warp_ + lane] = true;
      }
    }
  } else {
    s.wavefronts += priced.shared.wavefronts;
    s.ideal += priced.shared.phases;
  }
  note_worst(priced);
}

// Among equals the earliest step, then the lowest warp, then reads, then the lowest address: the
// same for every schedule, and whichever operand a compiler reads first.
void picture_recorder::note_worst(const simt::priced_request& priced) {
  const auto rank = [](unsigned ways, unsigned interval, const simt::warp_request& request) {
    const auto first_lane = static_cast<unsigned>(std::countr_zero(request.addresses.lanes));
    return std::tuple(-static_cast<int>(ways), interval, request.warp, request.writes,
                      request.addresses.offset[first_lane]);
  };
  const bool better = !worst_ || rank(priced.shared.ways, priced.interval, priced.request) <
                                     rank(worst_->ways, worst_->interval, worst_->request);
  if (better) worst_ = {priced.request, priced.interval, priced.shared.ways};
}

std::string lane_strip(const std::vector<bool>& working, unsigned warp,
                       unsigned lanes_a_character) {
  std::string strip;
  for (std::size_t lane = 0; lane < working.size(); lane += lanes_a_character) {
    if (lane != 0 && lane % warp == 0) strip += '|';
    const auto begin = working.begin() + static_cast<std::ptrdiff_t>(lane);
    const auto end = begin + lanes_a_character;
    const auto busy = std::count(begin, end, true);
    strip += busy == 0 ? '.' : busy == end - begin ? '#' : '+';
  }
  return strip;
}

std::string bank_map(const simt::lane_addresses& request, const std::string& indent) {
  const std::vector<bank_column> columns = words_by_bank(request);
  std::size_t rows = 0;
  for (const bank_column& column : columns) rows = std::max(rows, column.size());
  std::string text = indent + "bank  ";
  for (unsigned bank = 0; bank < simt::banks; ++bank) text += fmt::format("{:>3}", bank);
  text += "\n";
  for (std::size_t row = 0; row < rows; ++row) {
    text += indent + (row == 0 ? "lane  " : "      ");
    for (const bank_column& column : columns) {
      text += row < column.size() ? fmt::format("{:>3}", column[row].second) : "  .";
    }
    text += "\n";
  }
  return text;
}

}  // namespace onefold::ladder
