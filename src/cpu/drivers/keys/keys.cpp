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

// --- ascending keys -----------------------------------------------------------

// The key of group k is that of its first element.
template <class OrdinalAt>
void write_keys(const offset_list& offsets, dtype type, const group_outputs& to,
                const OrdinalAt& ordinal_at) {
  auto* at = static_cast<std::byte*>(to.keys);
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k, at += size_bytes(type))
    write_key(type, ordinal_at(offsets[k]), at);
}

status reduce_runs(const reduction& of, const array_view& keys, const offset_list& offsets,
                   const group_maker& make) {
  auto outputs = make_outputs(of, std::int64_t(offsets.size()) - 1, make);
  if (!outputs) return outputs.why();
  write_keys(offsets, keys.type(), *outputs, [&](std::int64_t i) {
    std::uint64_t ordinal = 0;
    read_ordinals(keys, i, 1, &ordinal);
    return ordinal;
  });
  return reduce_segments(of, offsets, {&outputs->answers, 1});
}

// --- keys in any order ---------------------------------------------------------

// Calls body(first, n) for ranges that cover all elements, in all threads. Fails: out_of_memory,
// cancelled.
template <class Body>
status for_ranges(const reduction& of, Body&& body) {
  options quiet;
  quiet.stop = of.options.stop;
  const std::int64_t n = of.plan.items, pieces = (n + piece_items - 1) / piece_items;
  return share({pieces, of.plan.threads, piece_items, n}, quiet, [&](const auto& next) {
    while (const auto piece = next())
      body(*piece * piece_items, std::min(piece_items, n - *piece * piece_items));
  });
}

result<record_list> sorted_places(const reduction& of, const array_view& keys) {
  record_list records(static_cast<std::size_t>(of.plan.items));
  auto done = for_ranges(of, [&](std::int64_t first, std::int64_t n) {
    std::vector<std::uint64_t> ordinals(static_cast<std::size_t>(n));
    read_ordinals(keys, first, n, ordinals.data());
    for (std::int64_t i = 0; i < n; ++i)
      records[std::size_t(first + i)] = {ordinals[std::size_t(i)], std::uint64_t(first + i)};
  });
  if (!done) return done;
  sort_records(records, of.plan.threads);
  return records;
}

offset_list run_offsets(const record_list& sorted) {
  offset_list offsets = {0};
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].ordinal != sorted[i - 1].ordinal) offsets.push_back(std::int64_t(i));
  offsets.push_back(std::int64_t(sorted.size()));
  return offsets;
}

// Gathers one operand in the order of the groups.
struct operand {
  const std::byte* from;
  std::int64_t loop_axis::*stride_bytes;
  std::size_t item_bytes;
};

status gather(const reduction& of, const operand& what, const record_list& order,
              std::vector<std::byte>& to) {
  const auto& axes = of.plan.reduced;
  const std::int64_t stride = axes.empty() ? 0 : axes[0].*what.stride_bytes;
  to.resize(order.size() * what.item_bytes);
  return for_ranges(of, [&](std::int64_t first, std::int64_t n) {
    for (std::int64_t i = first; i < first + n; ++i)
      std::memcpy(to.data() + std::size_t(i) * what.item_bytes,
                  what.from + std::int64_t(order[std::size_t(i)].payload) * stride,
                  what.item_bytes);
  });
}

array_view view_of(const std::vector<std::byte>& elements, dtype type) {
  const std::size_t item_bytes = size_bytes(type);
  return {elements.data(),
          type,
          {{std::int64_t(elements.size() / item_bytes), std::int64_t(item_bytes)}}};
}

// Converts positions among the sorted elements to positions in the caller's order.
status write_places(const reduction& of, const record_list& order,
                    const std::vector<std::int64_t>& places, const output_view& to) {
  const op what = of.plan.ops[0];
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto found = std::int64_t(order[std::size_t(places[k])].payload) + of.options.first_index;
    auto* const at = place_of(to, std::int64_t(k), 1);
    if (auto done = round_count(what, found, of.x_type, at, to.type()); !done) return done;
  }
  return {};
}

status reduce_sorted(const reduction& sorted, const reduction& of, const record_list& order,
                     const offset_list& offsets, const output_view& to) {
  if (!is_position(of.plan.ops[0])) return reduce_segments(sorted, offsets, {&to, 1});
  std::vector<std::int64_t> places(offsets.size() - 1);
  const output_view scratch(places.data(), dtype::i64, {{std::int64_t(places.size()), 8}});
  if (auto done = reduce_segments(sorted, offsets, {&scratch, 1}); !done) return done;
  return write_places(of, order, places, to);
}

status reduce_unsorted(const reduction& of, const array_view& keys, const group_maker& make) {
  const auto order = sorted_places(of, keys);
  if (!order) return order.why();
  const offset_list offsets = run_offsets(*order);
  auto outputs = make_outputs(of, std::int64_t(offsets.size()) - 1, make);
  if (!outputs) return outputs.why();
  std::vector<std::byte> elements, mask;
  const operand values = {of.x, &loop_axis::x_bytes, size_bytes(of.x_type)};
  if (auto done = gather(of, values, *order, elements); !done) return done;
  options how = of.options;
  how.first_index = 0;
  if (of.mask) {
    if (auto done = gather(of, {of.mask, &loop_axis::mask_bytes, 1}, *order, mask); !done)
      return done;
    how.where = view_of(mask, dtype::boolean);
  }
  const array_view view = view_of(elements, of.x_type);
  const auto plan =
      make_segments_plan({of.plan.threads, of.plan.target}, of.plan.ops[0], view, how);
  if (!plan) return plan.why();
  write_keys(offsets, keys.type(), *outputs,
             [&](std::int64_t i) { return (*order)[std::size_t(i)].ordinal; });
  return reduce_sorted(reduction(*plan, std::span(&view, 1), how), of, *order, offsets,
                       outputs->answers);
}

}  // namespace

status reduce_by_key(const reduction& of, const array_view& keys, const group_maker& make) try {
  const auto read = [&](std::int64_t first, std::int64_t n, std::uint64_t* to) {
    read_ordinals(keys, first, n, to);
  };
  auto runs = ascending_runs(read, of.plan.items, of.plan.threads, of.options);
  if (!runs) return runs.why();
  if (*runs) return reduce_runs(of, keys, **runs, make);
  if (sums_by_key(of.plan)) return sum_by_key(of, keys, make);
  return reduce_unsorted(of, keys, make);
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory,
          "no memory for the groups; reduce fewer keys at a time, or sort by key first"};
}

}  // namespace onefold::cpu
