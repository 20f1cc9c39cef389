// SPDX-License-Identifier: Apache-2.0
// Several answers: every layout that has kernels of its own, with every operator.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "cuda/every/compare.hpp"
#include "cuda/every/requests.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::source_of;

// Strides in elements. `apart`: how far the elements of an answer are from each other.
struct several {
  std::vector<axis_layout> axes;
  std::vector<int> over;
  std::int64_t apart = 1;
};

const several rows[] = {
    {{{40, 64}, {64, 1}}, {1}},     // whole vectors
    {{{300, 7}, {7, 1}}, {1}},      // many in a step
    {{{70, 1}, {1, 1}}, {1}},       // of one element
    {{{3, 1031}, {1031, 1}}, {1}},  // tiles of a row
    {{{3, 4099}, {4099, 1}}, {1}},  // blocks of a row
    {{{40, 50}, {48, 1}}, {1}},     // gaps
};
const several few[] = {{{{33, 2}, {2, 1}}, {1}}, {{{33, 3}, {3, 1}}, {1}}};  // a lane's, at once
// logsumexp: of a tile each, by parts.
const several shared_rows = {{{3, 4096}, {4096, 1}}, {1}};
const several rows_in_parts = {{{2, 65600}, {65600, 1}}, {1}};
const several columns[] = {
    {{{71, 45}, {45, 1}}, {0}, 45},
    {{{3, 56}, {50, 8}, {8, 1}}, {1}, 8},  // of blocks
    {{{2501, 3}, {3, 1}}, {0}, 3},         // in parts
};
const several long_columns = {{{8300, 3}, {3, 1}}, {0}, 3};  // all blocks share ambiguous ones
const several others[] = {
    {{{3, 320}, {5, 64}, {64, 1}}, {0, 2}},        // rows across blocks
    {{{3, 70}, {5, 14}, {7, 2}, {2, 1}}, {0, 2}},  // two axes of two
    {{{30, 66}, {33, 2}}, {1}},                    // every other element
    {{{64, 50}, {40, 1}}, {0}, 50},                // columns with gaps
};

constexpr op of_each_accumulator[] = {op::sum,    op::norm1, op::norm2,    op::max,
                                      op::argmin, op::count, op::bit_xor,  op::var,
                                      op::prod,   op::dot,   op::logsumexp};

bool any_type(dtype) {
  return true;
}

std::int64_t items_of(const several& layout) {
  std::int64_t items = 1;
  for (const axis_layout& axis : layout.axes) items += (axis.extent - 1) * axis.stride_bytes;
  return items;
}

tested_request request_of(op op, dtype type, const several& layout, values kind,
                          random_source& random) {
  const auto width = std::int64_t(size_bytes(type));
  tested_request request = {
      op, type, {}, elements_of(type, items_of(layout), kind, random, layout.apart)};
  for (const axis_layout& axis : layout.axes)
    request.axes.push_back({axis.extent, axis.stride_bytes * width});
  request.how.axes = axis_set(layout.over);
  if (inputs_of(op) == 2) request.y = elements_of(type, items_of(layout), values::tame, random);
  return request;
}

template <class Layouts, class Operators>
void ask(dtype type, const Layouts& layouts, const Operators& ops, std::uint64_t stream) {
  random_source random = source_of(stream, std::uint64_t(type));
  for (const several& layout : layouts)
    for (const op op : ops) {
      if (!has_answers(op, type)) continue;
      tested_request request = request_of(op, type, layout, values::tame, random);
      request.shift = size_bytes(type) * random.below(2);
      expect_same(request);
    }
}

void ask_rows(dtype type) {
  ask(type, std::span(rows).first(2), all_ops, 510);
  ask(type, std::span(rows).subspan(2), of_each_accumulator, 511);
  if (!has_answers(op::logsumexp, type)) return;
  random_source random = source_of(517, std::uint64_t(type));
  for (const several& layout : {shared_rows, rows_in_parts})
    expect_same(request_of(op::logsumexp, type, layout, values::tame, random));
  for (const several& layout : few)
    for (const op op : {op::sum, op::mean, op::norm2, op::var, op::stddev, op::max, op::logsumexp})
      for (const values kind : {values::tame, values::any_bits})
        if (has_answers(op, type)) expect_same(request_of(op, type, layout, kind, random));
}

void ask_columns(dtype type) {
  ask(type, std::span(columns).first(1), all_ops, 512);
  ask(type, std::span(columns).subspan(1), of_each_accumulator, 513);
}

void ask_others(dtype type) {
  ask(type, others, of_each_accumulator, 514);
}

// Answers that intervals leave ambiguous, NaNs and infinities.
void ask_fallbacks(dtype type) {
  random_source random = source_of(515, std::uint64_t(type));
  const several layouts[] = {rows[0], rows[1], rows[3], columns[0], columns[2], others[0]};
  for (const several& layout : layouts)
    for (const op op : {op::mean, op::norm2, op::var, op::logsumexp, op::max})
      for (const values kind : {values::any_bits, values::cancelling})
        if (kind == values::any_bits || op == op::mean || op == op::var)
          expect_same(request_of(op, type, layout, kind, random));
  for (const values kind : {values::tame, values::any_bits, values::cancelling})
    for (const op op : {op::var, op::logsumexp})
      expect_same(request_of(op, type, long_columns, kind, random));
}

// What answers exclude: a mask, NaNs. Integers to f64 and i64 have other kernels than by default.
void ask_options(dtype type) {
  random_source random = source_of(516, std::uint64_t(type));
  for (const op op : of_each_accumulator) {
    if (!has_answers(op, type)) continue;
    tested_request request = request_of(op, type, rows[1], values::tame, random);
    request.output = is_floating(type) ? dtype::f64 : dtype::i64;
    expect_same(request);
    request = request_of(op, type, columns[0], values::any_bits, random);
    request.how.nan_policy = nan_policy::omit, request.at = places::host_answers;
    expect_same(request);
    if (op == op::argmin) continue;
    request = request_of(op, type, others[1], values::tame, random);
    request.mask = elements_of(dtype::boolean, 3 * 5 * 7 * 2, values::tame, random);
    request.at = places::host;
    expect_same(request);
  }
}

}  // namespace

std::span<const request_group> several_requests() {
  static constexpr request_group groups[] = {{"rows", any_type, ask_rows},
                                             {"columns", any_type, ask_columns},
                                             {"other_layouts", any_type, ask_others},
                                             {"fallbacks", any_type, ask_fallbacks},
                                             {"options", any_type, ask_options}};
  return groups;
}

}  // namespace onefold::cuda::test
