// SPDX-License-Identifier: Apache-2.0
// Stretches of one array: long ones by all threads, the others shared in blocks of like work.
#include "cpu/segments.hpp"

#include <algorithm>

#include "cpu/answers.hpp"
#include "cpu/blocks.hpp"
#include "cpu/engine.hpp"
#include "cpu/share.hpp"
#include "plan/tuning.hpp"

namespace onefold::cpu {
namespace {

// A segment this long is worth all threads.
constexpr std::int64_t long_items = 8 * tuning::chunk_items;

using offsets_span = std::span<const std::int64_t>;

// Segments first … last - 1 are one piece of work.
struct block {
  std::int64_t first;
  std::int64_t last;
};

// Neighbours together until they hold enough elements, counting a segment as one at least. Long
// ones are in no block.
std::vector<block> blocks_of(offsets_span offsets, int threads) {
  std::vector<block> blocks;
  const auto count = std::int64_t(offsets.size()) - 1;
  std::int64_t first = 0, weight = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t items = offsets[std::size_t(k) + 1] - offsets[std::size_t(k)];
    const bool alone = threads > 1 && items >= long_items;
    weight += std::max<std::int64_t>(items, 1);
    if (!alone && weight < tuning::block_items) continue;
    if (const std::int64_t end = alone ? k : k + 1; end > first) blocks.push_back({first, end});
    first = k + 1, weight = 0;
  }
  if (first < count) blocks.push_back({first, count});
  return blocks;
}

loop_origin origin_of_segment(std::int64_t k) {
  loop_origin at;
  at.index = k;
  return at;
}

// Counts the elements of the long ones in `done_items`.
status reduce_long(const reduction& of, offsets_span offsets, const answers& to,
                   std::int64_t& done_items) {
  if (of.decided.threads <= 1) return {};
  const std::int64_t all = offsets.back() - offsets.front();
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
    if (offsets[k + 1] - offsets[k] < long_items) continue;
    accumulation states(of.decided.what, of.decided.input, of.decided.how);
    auto summed = accumulate_range(of, {}, offsets[k], offsets[k + 1], states, done_items, all);
    if (!summed) return summed;
    done_items += offsets[k + 1] - offsets[k];
    if (auto done = to.write(states, std::int64_t(k)); !done) return done;
  }
  return {};
}

status reduce_blocks(const reduction& of, offsets_span offsets, const answers& to,
                     std::int64_t done_items) {
  const plan& decided = of.decided;
  const auto blocks = blocks_of(offsets, decided.threads);
  const std::int64_t all = offsets.back() - offsets.front(), items = all - done_items;
  const auto pieces = std::int64_t(blocks.size());
  const shared_work work = {pieces, decided.threads, items / std::max<std::int64_t>(pieces, 1),
                            items,  done_items,      all};
  const accumulation empty(decided.what, decided.input, decided.how);
  const auto request = decided.reading == path::in_place
                           ? many_request_of(of, many_shape::segments, to.output(0).type())
                           : std::nullopt;
  first_failure failure;
  auto done = share(work, of.how, [&](const auto& next) {
    answer_worker mine(of, empty);
    block_writer writer(of, empty);
    while (const auto piece = next()) {
      if (request) {
        const auto [begin, end] = blocks[std::size_t(*piece)];
        if (failure.any() ||
            !failure.note(reduce_segment_block(of, *request, offsets, begin, end, to, writer)))
          return;
        continue;
      }
      for (auto k = blocks[std::size_t(*piece)].first; k < blocks[std::size_t(*piece)].last; ++k) {
        if (failure.any()) return;
        const auto at = std::size_t(k);
        if (!failure.note(mine.reduce(origin_of_segment(k), offsets[at], offsets[at + 1], to)))
          return;
      }
    }
  });
  return failure.any() ? failure.why() : done;
}

}  // namespace

status reduce_segments(const reduction& of, std::span<const std::int64_t> offsets,
                       std::span<const output_view> outputs) {
  const answers to(of, outputs);
  std::int64_t done_items = 0;
  if (auto done = reduce_long(of, offsets, to, done_items); !done) return done;
  return reduce_blocks(of, offsets, to, done_items);
}

}  // namespace onefold::cpu
