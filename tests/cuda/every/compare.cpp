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

std::vector<std::int64_t> extents_of(const asked& of, op what) {
  auto extents = answer_shape({of.x.data(), of.type, of.axes}, of.how);
  if (answers_of(what) > 1) extents.push_back(answers_of(what));
  return extents;
}

struct answer_block {
  dtype type;
  axis_list axes;
  std::size_t at, bytes;  ///< in the memory of all answers
};

std::vector<answer_block> blocks_of(const asked& of) {
  std::vector<answer_block> made;
  std::size_t at = 0;
  for (const op what : of.ops) {
    const dtype type = of.output.value_or(default_output(what, of.type));
    const auto extents = extents_of(of, what);
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

status run(const executor& on, const asked& of, const std::vector<answer_block>& blocks,
           const memory_set& memory) {
  options how = of.how;
  if (!of.mask.empty()) {
    std::vector<std::int64_t> extents;
    for (const axis_layout& axis : of.axes) extents.push_back(axis.extent);
    how.where = array_view(memory.mask, dtype::boolean, row_major(extents, 1));
  }
  const auto out = [&](std::size_t i) {
    const answer_block& block = blocks[i];
    return output_view(static_cast<std::byte*>(memory.out) + block.at, block.type, block.axes);
  };
  const array_view x(memory.x, of.type, of.axes);
  if (!of.y.empty())
    return reduce(on, of.ops, {x, array_view(memory.y, of.type, of.axes)}, {out(0)}, how);
  if (blocks.size() == 1) return reduce(on, of.ops, {x}, {out(0)}, how);
  if (blocks.size() == 2) return reduce(on, of.ops, {x}, {out(0), out(1)}, how);
  return reduce(on, of.ops, {x}, {out(0), out(1), out(2)}, how);
}

std::string text_of(const asked& of) {
  std::string text;
  for (const op what : of.ops) text += std::string(name(what)) + ' ';
  text += "of " + std::string(name(of.type));
  for (const axis_layout& axis : of.axes)
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

void expect_same(const asked& of) {
  const auto blocks = blocks_of(of);
  const std::size_t bytes = blocks.back().at + blocks.back().bytes;
  byte_list wanted(bytes), got(bytes);
  const device_bytes x(of.x, of.shift), y(of.y, of.y_shift), mask(of.mask), out(got);
  const memory_set host = {of.x.data(), of.y.data(), of.mask.data(), got.data()};
  memory_set there = {x.data(), y.data(), mask.data(), out.data()};
  if (of.at == places::host_answers) there.out = got.data();
  if (of.at == places::host) there = host;
  const status gpu = run(executor::cuda{}, of, blocks, there);
  if (!kernels_compute || gpu.code() == status_code::unsupported) return;
  const status cpu = run(executor::cpu{1}, of, blocks, {host.x, host.y, host.mask, wanted.data()});
  EXPECT_EQ(gpu.code(), cpu.code()) << text_of(of) << ": " << gpu.message();
  if (!cpu.ok()) return;
  if (of.at == places::device) got = out.get();
  EXPECT_TRUE(got == wanted) << text_of(of);
}

}  // namespace onefold::cuda::test
