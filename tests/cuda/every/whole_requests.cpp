// SPDX-License-Identifier: Apache-2.0
// Whole arrays: one block and several, first elements of any alignment, memory of both sides.
#include <string>
#include <vector>

#include "cuda/every/compare.hpp"
#include "cuda/every/requests.hpp"
#include "cuda/kernels/whole/whole.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;
using onefold::test::source_of;

constexpr std::int64_t several_blocks = 40'000;  ///< bytes; ragged ends come on top

bool any_type(dtype) {
  return true;
}

// Operators of one accumulator share a launch.
const op_list accumulators[] = {{op::sum, op::mean},
                                {op::norm1},
                                {op::norm2, op::sumsq},
                                {op::min, op::max, op::norminf},
                                {op::argmin, op::argmax},
                                {op::minmax},
                                {op::any, op::all},
                                {op::count, op::count_nonzero},
                                {op::bit_and, op::bit_or, op::bit_xor},
                                {op::var, op::stddev}};

tested_request request_of(const op_list& ops, dtype type, std::int64_t n, values kind,
                          random_source& random) {
  return {ops, type, line(n, type), elements_of(type, n, kind, random)};
}

void ask_accumulators(dtype type) {
  random_source random = source_of(500, std::uint64_t(type));
  const auto width = std::int64_t(size_bytes(type));
  for (const op_list& ops : accumulators) {
    if (!has_answers(ops[0], type)) continue;
    const std::int64_t several = several_blocks / width + 3;
    tested_request request = request_of(ops, type, several, values::tame, random);
    request.shift = std::size_t(width);
    expect_same(request);
    expect_same(request_of(ops, type, several, values::cancelling, random));
    request = request_of(ops, type, 7, values::any_bits, random);
    request.at = places::host_answers;
    expect_same(request);
    request = request_of(ops, type, 1000, values::any_bits, random);
    request.how.nan_policy = nan_policy::omit, request.at = places::host;
    expect_same(request);
  }
}

// Two arrays whose vectors are aligned alike, and two whose are not.
void ask_products(dtype type) {
  random_source random = source_of(501, std::uint64_t(type));
  for (const values kind : {values::tame, values::any_bits, values::cancelling})
    for (const std::size_t apart : {0, 1}) {
      const std::int64_t n = several_blocks / 2 / std::int64_t(size_bytes(type)) + 5;
      tested_request request = request_of(op::dot, type, n, kind, random);
      request.y = elements_of(type, n, values::tame, random);
      request.shift = size_bytes(type), request.y_shift = request.shift * (1 + apart);
      expect_same(request);
    }
}

// Chunks of 65536 elements are merged in order.
void ask_ordered(dtype type) {
  random_source random = source_of(502, std::uint64_t(type));
  for (const std::int64_t n : {5, 3001, 140'000})
    expect_same(request_of(op::prod, type, n, n == 3001 ? values::any_bits : values::tame, random));
}

// Of several bands, with NaNs and infinities, too; the states of host data.
void ask_exponentials(dtype type) {
  random_source random = source_of(506, std::uint64_t(type));
  for (const std::int64_t n : {1, 5, 3001, 140'000})
    for (const values kind : {values::tame, values::any_bits}) {
      tested_request request = request_of(op::logsumexp, type, n, kind, random);
      expect_same(request);
      request.at = places::host_answers;
      expect_same(request);
    }
}

// One answer in the elements' type: small sums have kernels of their own, and others a short end.
void ask_plain(dtype type) {
  random_source random = source_of(507, std::uint64_t(type));
  const auto width = std::int64_t(size_bytes(type));
  for (const op op : {op::sum, op::mean, op::norm1, op::sumsq, op::min, op::max})
    for (const std::int64_t n :
         {std::int64_t(5), 4096 / width - 1, 16384 / width, 100'003 / width, several_blocks})
      for (const values kind : {values::tame, values::any_bits, values::cancelling})
        expect_same(request_of(op, type, n, kind, random));
}

// Variances and norms have two launches.
void ask_quick(dtype type) {
  random_source random = source_of(504, std::uint64_t(type));
  const std::int64_t n = (std::int64_t(1) << 20) / std::int64_t(size_bytes(type)) + 5;
  tested_request request = request_of({op::norm2, op::sumsq}, type, n, values::tame, random);
  request.shift = size_bytes(type);
  expect_same(request);
  request = request_of({op::var, op::stddev}, type, n / 2, values::tame, random);
  request.shift = size_bytes(type);
  expect_same(request);
}

std::vector<std::int64_t> words_by(whole_request request, sum_lanes lanes) {
  request.lanes = lanes;
  const device_bytes workspace(byte_list(workspace_bytes(request.accumulator, request.input)));
  const device_bytes words(
      byte_list(std::size_t(state_words(request.accumulator, request.input)) * 8));
  EXPECT_EQ(launch_whole(request,
                         suited_grid(request.accumulator, request.input, request.n, 4, lanes),
                         workspace.data(), words.as<std::int64_t>(), nullptr),
            0);
  return words.get<std::int64_t>();
}

bool has_lanes(dtype type) {
  return type == dtype::f16 || type == dtype::f32;
}

// Lanes of float32, which devices of another ratio choose: the words of the usual ones.
void ask_lanes(dtype type) {
  random_source random = source_of(503, std::uint64_t(type));
  for (const accumulator each : {accumulator::total, accumulator::magnitudes})
    for (const values kind : {values::tame, values::any_bits, values::cancelling}) {
      const std::int64_t n = several_blocks / std::int64_t(size_bytes(type)) + 1;
      const device_bytes x(elements_of(type, n, kind, random));
      const whole_request request = {each, type, x.data(), nullptr, n};
      const auto usual = words_by(request, sum_lanes::usual);
      EXPECT_EQ(words_by(request, sum_lanes::float32) == usual || !kernels_compute, true);
    }
}

}  // namespace

std::span<const request_group> whole_requests() {
  static constexpr request_group groups[] = {{"accumulators", any_type, ask_accumulators},
                                             {"products", any_type, ask_products},
                                             {"ordered", any_type, ask_ordered},
                                             {"exponentials", any_type, ask_exponentials},
                                             {"plain", is_floating, ask_plain},
                                             {"quick", is_floating, ask_quick},
                                             {"lanes", has_lanes, ask_lanes}};
  return groups;
}

}  // namespace onefold::cuda::test
