// SPDX-License-Identifier: Apache-2.0
#include "cuda/every/compare.hpp"

#include <cstring>
#include <string>

#include "cuda/every/requests.hpp"

namespace onefold::cuda::test {
namespace {

using onefold::test::random_source;

struct float_bits {
  unsigned width, mantissa;
  std::uint64_t bias;
};
float_bits format_of(dtype type) {
  if (type == dtype::f16) return {16, 10, 15};
  if (type == dtype::bf16) return {16, 7, 127};
  return type == dtype::f32 ? float_bits{32, 23, 127} : float_bits{64, 52, 1023};
}

// In [2^-spread, 2^(spread + 1)), of both signs.
std::uint64_t number_of(const float_bits& format, unsigned spread, random_source& random) {
  const std::uint64_t exponent = format.bias - spread + random.below(2 * spread + 1);
  const std::uint64_t mantissa = random() >> (64 - format.mantissa);
  return std::uint64_t(random.one_in(4)) << (format.width - 1) | exponent << format.mantissa |
         mantissa;
}

byte_list floats_of(dtype type, std::int64_t n, values kind, random_source& random,
                    std::int64_t apart) {
  const float_bits format = format_of(type);
  const std::size_t width = size_bytes(type);
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const bool second = kind == values::cancelling && i / apart % 2 == 1;
    const std::uint64_t sign = std::uint64_t(1) << (format.width - 1);
    std::uint64_t& own = bits[std::size_t(i)];
    if (second)
      own = bits[std::size_t(i - apart)] ^ sign;
    else
      own = kind == values::any_bits ? random()
                                     : number_of(format, kind == values::tame ? 0 : 10, random);
  }
  byte_list bytes(bits.size() * width);
  for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(&bytes[i * width], &bits[i], width);
  return bytes;
}

std::vector<std::int64_t> extents_of(const tested_request& request, op op) {
  auto extents = answer_shape({request.x.data(), request.type, request.axes}, request.how);
  if (answers_of(op) > 1) extents.push_back(answers_of(op));
  return extents;
}

struct answer_block {
  dtype type;
  axis_list axes;
  std::size_t at, bytes;  ///< in the memory of all answers
};

std::vector<answer_block> blocks_of(const tested_request& request) {
  std::vector<answer_block> made;
  std::size_t at = 0;
  for (const op op : request.ops) {
    const dtype type = request.output.value_or(default_output(op, request.type));
    const auto extents = extents_of(request, op);
    std::size_t bytes = size_bytes(type);
    for (const std::int64_t extent : extents) bytes *= std::size_t(extent);
    made.push_back({type, row_major(extents, std::int64_t(size_bytes(type))), at, bytes});
    at += (bytes + 15) / 16 * 16;
  }
  return made;
}

struct memory_set {
  const void *x, *y, *mask;
  void* out;
};

status run(const executor& on, const tested_request& request,
           const std::vector<answer_block>& blocks, const memory_set& memory) {
  options how = request.how;
  if (!request.mask.empty()) {
    std::vector<std::int64_t> extents;
    for (const axis_layout& axis : request.axes) extents.push_back(axis.extent);
    how.where = array_view(memory.mask, dtype::boolean, row_major(extents, 1));
  }
  const auto out = [&](std::size_t i) {
    const answer_block& block = blocks[i];
    return output_view(static_cast<std::byte*>(memory.out) + block.at, block.type, block.axes);
  };
  const array_view x(memory.x, request.type, request.axes);
  if (!request.y.empty())
    return reduce(on, request.ops, {x, array_view(memory.y, request.type, request.axes)}, {out(0)},
                  how);
  if (blocks.size() == 1) return reduce(on, request.ops, {x}, {out(0)}, how);
  if (blocks.size() == 2) return reduce(on, request.ops, {x}, {out(0), out(1)}, how);
  return reduce(on, request.ops, {x}, {out(0), out(1), out(2)}, how);
}

std::string text_of(const tested_request& request) {
  std::string text;
  for (const op op : request.ops) text += std::string(name(op)) + ' ';
  text += "of " + std::string(name(request.type));
  for (const axis_layout& axis : request.axes)
    text += " [" + std::to_string(axis.extent) + " by " + std::to_string(axis.stride_bytes) + "]";
  return text + ", ONEFOLD_TEST_SEED=" + std::to_string(onefold::test::seed());
}

}  // namespace

byte_list elements_of(dtype type, std::int64_t n, values kind, random_source& random,
                      std::int64_t apart) {
  if (is_floating(type)) return floats_of(type, n, kind, random, apart);
  const std::size_t width = size_bytes(type);
  byte_list bytes(std::size_t(n) * width);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (kind != values::tame)
      bytes[i] = static_cast<unsigned char>(random());
    else if (i % width == 0)
      bytes[i] = static_cast<unsigned char>(random.below(4));
  return bytes;
}

void expect_same(const tested_request& request) {
  const auto blocks = blocks_of(request);
  const std::size_t bytes = blocks.back().at + blocks.back().bytes;
  byte_list wanted(bytes), got(bytes);
  const device_bytes x(request.x, request.shift), y(request.y, request.y_shift), mask(request.mask),
      out(got);
  const memory_set host = {request.x.data(), request.y.data(), request.mask.data(), got.data()};
  memory_set there = {x.data(), y.data(), mask.data(), out.data()};
  if (request.at == places::host_answers) there.out = got.data();
  if (request.at == places::host) there = host;
  const status gpu = run(executor::cuda{}, request, blocks, there);
  if (!kernels_compute || gpu.code() == status_code::unsupported) return;
  const status cpu =
      run(executor::cpu{1}, request, blocks, {host.x, host.y, host.mask, wanted.data()});
  EXPECT_EQ(gpu.code(), cpu.code()) << text_of(request) << ": " << gpu.message();
  if (!cpu.ok()) return;
  if (request.at == places::device) got = out.get();
  EXPECT_TRUE(got == wanted) << text_of(request);
}

}  // namespace onefold::cuda::test
