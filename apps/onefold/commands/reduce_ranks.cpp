// SPDX-License-Identifier: Apache-2.0
// --ranks: reduces this rank's share of an input, and merges the states of all ranks.
#include <algorithm>

#include "commands/diagnostics.hpp"
#include "commands/parts.hpp"
#include "failure.hpp"
#include "messages.hpp"
#include "ranks/ranks.hpp"

namespace onefold::program {
namespace {

// The first element of this rank's share, its end, and all elements.
struct share {
  std::int64_t begin, end, items;
  std::uint64_t bytes;  // of all ranks
};

std::int64_t cut(std::int64_t items, std::int64_t ranks, std::int64_t rank) {
  return items / ranks * rank + std::min(items % ranks, rank);
}

void check_divisible(const input& from, const request& request) {
  if (from.format == file_format::text) throw failure(messages::ranks_text(from.name), from.name);
  if (from.format == file_format::safetensors)
    throw failure(messages::one_array(from.name, "--ranks"), from.name);
  if (!from.stream.size_bytes() || !from.described.items)
    throw failure(messages::ranks_stream(from.stream.name()), from.name);
  if (!from.described.column_major || from.described.shape.size() < 2) return;
  for (const op op : request.operations)
    if (is_position(op) || op == op::dot)
      throw failure(messages::ranks_column_major(from.name, name(op)), from.name);
}

void describe_share(layout& whole, const share& share) {
  whole.items = share.end - share.begin;
  whole.shape = {*whole.items};
}

// From now on the input is its share: nothing outside is read.
share take_share(input& from, const ranks& all) {
  const std::int64_t items = *from.described.items;
  const share share{cut(items, all.count(), all.rank()), cut(items, all.count(), all.rank() + 1),
                    items, *from.stored.data_bytes()};
  const std::uint64_t start = require(from.stream.position(), from.name);
  const auto skipped = std::uint64_t(share.begin) * size_bytes(from.stored.type);
  require(from.stream.seek(start + skipped), from.name);
  describe_share(from.stored, share);
  describe_share(from.described, share);
  return share;
}

struct own_part {
  program::part part;
  std::int64_t items;
};

own_part reduce_share(std::span<const std::string> names, const request& request) {
  program::request own = request;
  own.total = true;  // so that every operator has its own state
  if (!request.ranks->first()) own.progress_bar = progress_mode::never;
  std::vector<input> from;
  for (const std::string& name : names) {
    from.push_back(open_input(name, request));
    check_divisible(from.back(), request);
  }
  plan_of(from, request);  // refuses what does not fit together: shares have no shape
  share share{};
  std::uint64_t bytes = 0;
  for (input& each : from) share = take_share(each, *request.ranks), bytes += share.bytes;
  own_part done{from.size() > 1 ? reduce_arrays(from, own)
                                : reduce_elements(from.front(), own, share.begin),
                share.items};
  done.part.bytes = bytes;
  if (request.verbose)
    for (const input& each : from) print_plan(each, done.part.plan);
  return done;
}

}  // namespace

part reduce_over_ranks(std::span<const std::string> names, const std::string& name,
                       const request& request) {
  ranks& all = *request.ranks;
  own_part own = on_all(all, name, [&] { return reduce_share(names, request); });
  if (!require(all.same(own.items), name)) throw failure(messages::ranks_data(name), name);
  part done = std::move(own.part);
  done.answers.clear();
  for (state& each : std::get<std::vector<state>>(done.whole)) {
    require_about(name, all.all_reduce(each));
    const auto make = [&] { return answer_of(each, request, name); };
    done.answers.push_back(answer_or_error(make, each.op()));
    done.count = each.count();
  }
  return done;
}

}  // namespace onefold::program
