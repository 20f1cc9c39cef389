// SPDX-License-Identifier: Apache-2.0
// Reduction by key. Ascending keys are reduced as segments. Exact sums use hash tables. All other
// requests sort the indices of the elements by key and reduce segments of the gathered elements.
#include "cpu/drivers/keys/keys.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#include "cpu/drivers/answers.hpp"
#include "cpu/drivers/empty_answers.hpp"
#include "cpu/drivers/keys/key_order.hpp"
#include "cpu/drivers/keys/key_outputs.hpp"
#include "cpu/drivers/keys/key_sums.hpp"
#include "cpu/drivers/segments.hpp"
#include "request/make.hpp"
#include "request/tuning.hpp"
#include "rounding/round_state.hpp"
#include "runtime/share.hpp"

namespace onefold::cpu {
namespace {

constexpr std::int64_t piece_items = tuning::block_items;
using offset_list = std::vector<std::int64_t>;
using record_list = std::vector<key_record>;

segments_run segments_of(const reduction& reduction, const offset_list& offsets,
                         const output_view& output) {
  return [&](const few_answers& few) {
    return reduce_segments(reduction, offsets, {&output, 1}, few);
  };
}

// --- ascending keys -----------------------------------------------------------

// The key of group k is that of its first element.
template <class OrdinalAt>
status write_keys(const offset_list& offsets, dtype type, const group_outputs& outputs,
                  const std::stop_token& stop, const OrdinalAt& ordinal_at) {
  auto* const at = static_cast<std::byte*>(outputs.keys);
  const auto groups = std::int64_t(offsets.size()) - 1, bytes = std::int64_t(size_bytes(type));
  return in_slices(0, groups, stop, [&](std::int64_t k, std::int64_t last) {
    for (; k < last; ++k) write_key(type, ordinal_at(offsets[std::size_t(k)]), at + k * bytes);
  });
}

status reduce_runs(const reduction& reduction, const array_view& keys, const offset_list& offsets,
                   const group_maker& make) {
  auto outputs = make_outputs(reduction, std::int64_t(offsets.size()) - 1, make);
  if (!outputs) return outputs.why();
  const auto ordinal_at = [&](std::int64_t i) {
    std::uint64_t ordinal = 0;
    read_ordinals(keys, i, 1, &ordinal);
    return ordinal;
  };
  if (auto done = write_keys(offsets, keys.type(), *outputs, reduction.options.stop, ordinal_at);
      !done)
    return done;
  return reduce_counted(reduction, offsets, outputs->answers,
                        segments_of(reduction, offsets, outputs->answers));
}

// --- keys in any order ---------------------------------------------------------

// Calls body(first, n) for ranges that cover all elements, in all threads. Fails: out_of_memory,
// cancelled.
template <class Body>
status for_ranges(const reduction& reduction, Body&& body) {
  options quiet;
  quiet.stop = reduction.options.stop;
  const std::int64_t n = reduction.plan.items, pieces = (n + piece_items - 1) / piece_items;
  return share({pieces, reduction.plan.threads, piece_items, n}, quiet, [&](auto& next) {
    while (const auto piece = next())
      body(*piece * piece_items, std::min(piece_items, n - *piece * piece_items));
  });
}

result<record_list> sorted_places(const reduction& reduction, const array_view& keys) {
  record_list records(static_cast<std::size_t>(reduction.plan.items));
  auto done = for_ranges(reduction, [&](std::int64_t first, std::int64_t n) {
    std::vector<std::uint64_t> ordinals(static_cast<std::size_t>(n));
    read_ordinals(keys, first, n, ordinals.data());
    for (std::int64_t i = 0; i < n; ++i)
      records[std::size_t(first + i)] = {ordinals[std::size_t(i)], std::uint64_t(first + i)};
  });
  if (!done) return done;
  done = sort_records(records, reduction.plan.threads, reduction.options.stop);
  if (!done) return done;
  return records;
}

result<offset_list> run_offsets(const record_list& sorted, const std::stop_token& stop) {
  offset_list offsets = {0};
  const auto n = std::int64_t(sorted.size());
  auto done = in_slices(1, n, stop, [&](std::int64_t first, std::int64_t last) {
    for (auto i = std::size_t(first); i < std::size_t(last); ++i)
      if (sorted[i].ordinal != sorted[i - 1].ordinal) offsets.push_back(std::int64_t(i));
  });
  if (!done) return done;
  offsets.push_back(n);
  return offsets;
}

// Gathers one operand in the order of the groups.
struct operand {
  const std::byte* from;
  std::int64_t loop_axis::*stride_bytes;
  std::size_t item_bytes;
};

status gather(const reduction& reduction, const operand& operand, const record_list& order,
              std::vector<std::byte>& gathered) {
  const auto& axes = reduction.plan.reduced;
  const std::int64_t stride = axes.empty() ? 0 : axes[0].*operand.stride_bytes;
  gathered.resize(order.size() * operand.item_bytes);
  return for_ranges(reduction, [&](std::int64_t first, std::int64_t n) {
    for (std::int64_t i = first; i < first + n; ++i)
      std::memcpy(gathered.data() + std::size_t(i) * operand.item_bytes,
                  operand.from + std::int64_t(order[std::size_t(i)].payload) * stride,
                  operand.item_bytes);
  });
}

array_view view_of(const std::vector<std::byte>& elements, dtype type) {
  const std::size_t item_bytes = size_bytes(type);
  return {elements.data(),
          type,
          {{std::int64_t(elements.size() / item_bytes), std::int64_t(item_bytes)}}};
}

// Converts positions among the sorted elements to positions in the caller's order.
status write_places(const reduction& reduction, const record_list& order,
                    const std::vector<std::int64_t>& places, const few_answers& few,
                    const output_view& output) {
  const op op = reduction.plan.ops[0];
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (few.has(std::int64_t(k))) continue;
    const auto found =
        std::int64_t(order[std::size_t(places[k])].payload) + reduction.options.first_index;
    auto* const at = place_of(output, std::int64_t(k), 1);
    if (auto done = round_count(op, found, reduction.x_type, at, output.type()); !done) return done;
  }
  return {};
}

status reduce_sorted(const reduction& sorted, const reduction& reduction, const record_list& order,
                     const offset_list& offsets, const output_view& output) {
  if (!is_position(reduction.plan.ops[0]))
    return reduce_counted(sorted, offsets, output, segments_of(sorted, offsets, output));
  return reduce_counted(sorted, offsets, output, [&](const few_answers& few) -> status {
    std::vector<std::int64_t> places(offsets.size() - 1);
    const output_view scratch(places.data(), dtype::i64, {{std::int64_t(places.size()), 8}});
    if (auto done = reduce_segments(sorted, offsets, {&scratch, 1}, few); !done) return done;
    return write_places(reduction, order, places, few, output);
  });
}

status reduce_unsorted(const reduction& reduction, const array_view& keys,
                       const group_maker& make) {
  const auto order = sorted_places(reduction, keys);
  if (!order) return order.why();
  const auto found = run_offsets(*order, reduction.options.stop);
  if (!found) return found.why();
  const offset_list& offsets = *found;
  auto outputs = make_outputs(reduction, std::int64_t(offsets.size()) - 1, make);
  if (!outputs) return outputs.why();
  std::vector<std::byte> elements, mask;
  const operand values = {reduction.x, &loop_axis::x_bytes, size_bytes(reduction.x_type)};
  if (auto done = gather(reduction, values, *order, elements); !done) return done;
  options options = reduction.options;
  options.first_index = 0;
  if (reduction.mask) {
    if (auto done = gather(reduction, {reduction.mask, &loop_axis::mask_bytes, 1}, *order, mask);
        !done)
      return done;
    options.where = view_of(mask, dtype::boolean);
  }
  const array_view view = view_of(elements, reduction.x_type);
  const auto plan = make_segments_plan({reduction.plan.threads, reduction.plan.target},
                                       reduction.plan.ops[0], view, options);
  if (!plan) return plan.why();
  const auto ordinal_at = [&](std::int64_t i) { return (*order)[std::size_t(i)].ordinal; };
  if (auto done = write_keys(offsets, keys.type(), *outputs, options.stop, ordinal_at); !done)
    return done;
  return reduce_sorted(onefold::reduction(*plan, std::span(&view, 1), options), reduction, *order,
                       offsets, outputs->answers);
}

}  // namespace

status reduce_by_key(const reduction& reduction, const array_view& keys,
                     const group_maker& make) try {
  const auto read = [&](std::int64_t first, std::int64_t n, std::uint64_t* ordinals) {
    read_ordinals(keys, first, n, ordinals);
  };
  auto runs = ascending_runs(read, reduction.plan.items, reduction.plan.threads, reduction.options);
  if (!runs) return runs.why();
  if (*runs) return reduce_runs(reduction, keys, **runs, make);
  if (sums_by_key(reduction.plan))
    return reduce_counted(reduction, make,
                          [&](const onefold::reduction& each, const group_maker& into) {
                            return sum_by_key(each, keys, into);
                          });
  return reduce_unsorted(reduction, keys, make);
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory,
          "no memory for the groups; reduce fewer keys at a time, or sort by key first"};
}

}  // namespace onefold::cpu
