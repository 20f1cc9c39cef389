// SPDX-License-Identifier: Apache-2.0
// The state as a value: made, merged, stored and read back.
//
// Bytes: "onefold" and a version byte; operator, element type, two zero bytes, the number of
// words as 32 bits; then the words of the exact sum as 64-bit integers. All little-endian.
#include "onefold/state.hpp"

#include <cstring>
#include <string>
#include <type_traits>

namespace onefold {
namespace {

constexpr char magic[8] = {'o', 'n', 'e', 'f', 'o', 'l', 'd', 1};
constexpr std::size_t header_bytes = 16;

state::sum_state make_sum(dtype input) {
  switch (input) {
  case dtype::f16:
    return exact_sum<f16>{};
  case dtype::bf16:
    return exact_sum<bf16>{};
  case dtype::f32:
    return exact_sum<float>{};
  case dtype::f64:
    return exact_sum<double>{};
  default:
    return exact_sum<std::int64_t>{};
  }
}

void append(std::vector<std::byte>& bytes, std::uint64_t word, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(std::byte(word >> (8 * i)));
}

std::uint64_t read(std::span<const std::byte> bytes, std::size_t at, int size) {
  std::uint64_t word = 0;
  for (int i = 0; i < size; ++i) word |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
  return word;
}

status malformed(const std::string& what) {
  return {status_code::malformed, "not a state: " + what + "; states are written by bytes()"};
}

// What a state of no history could not say: digits out of range, counts below zero.
template <class Sum>
bool plausible(const Sum& sum) {
  if (sum.count() < 0) return false;
  if constexpr (!std::is_same_v<Sum, detail::integer_sum>) {
    std::int64_t words[Sum::words];
    int n = 0;
    sum.for_each_word([&](std::int64_t word) { words[n++] = word; });
    std::int64_t specials = 0;
    for (int i = Sum::limbs + 1; i < Sum::limbs + 4; ++i) {
      if (words[i] < 0 || words[i] > sum.count()) return false;
      specials += words[i];
    }
    return specials <= sum.count();
  }
  return true;
}

}  // namespace

path_counts& path_counts::operator+=(const path_counts& other) noexcept {
  small += other.small;
  fast_tiles += other.fast_tiles;
  windows += other.windows;
  reopened += other.reopened;
  escalated += other.escalated;
  slow_tiles += other.slow_tiles;
  drains += other.drains;
  return *this;
}

state::state(op what, dtype input) : sum_(make_sum(input)), what_(what), input_(input) {}

std::int64_t state::count() const noexcept {
  return std::visit([](const auto& sum) { return sum.count(); }, sum_);
}

status state::try_merge(const state& other) {
  if (what_ != other.what_ || input_ != other.input_)
    return {status_code::mismatch, "a state of " + std::string(name(other.what_)) + " of " +
                                       std::string(name(other.input_)) +
                                       " cannot merge into one of " + std::string(name(what_)) +
                                       " of " + std::string(name(input_)) +
                                       "; merge states of one operator and one element type"};
  std::visit(
      [&](auto& sum) { sum.merge(std::get<std::remove_reference_t<decltype(sum)>>(other.sum_)); },
      sum_);
  paths_ += other.paths_;
  return {};
}

state& state::merge(const state& other) {
  if (auto done = try_merge(other); !done) throw error(done);
  return *this;
}

std::vector<std::byte> state::bytes() const {
  std::vector<std::byte> bytes;
  for (char c : magic) bytes.push_back(std::byte(c));
  append(bytes, std::uint64_t(what_), 1);
  append(bytes, std::uint64_t(input_), 1);
  append(bytes, 0, 2);
  std::visit(
      [&](const auto& sum) {
        append(bytes, std::remove_reference_t<decltype(sum)>::words, 4);
        sum.for_each_word([&](std::int64_t word) { append(bytes, std::uint64_t(word), 8); });
      },
      sum_);
  return bytes;
}

result<state> state::from_bytes(std::span<const std::byte> bytes) {
  if (bytes.size() < header_bytes || std::memcmp(bytes.data(), magic, 7) != 0)
    return malformed("it does not begin with \"onefold\"");
  if (bytes[7] != std::byte(magic[7]))
    return malformed("its version is " + std::to_string(std::to_integer<int>(bytes[7])) +
                     ", this build reads version 1");
  const auto what = read(bytes, 8, 1), input = read(bytes, 9, 1);
  if (what >= std::size(all_ops) || input >= std::size(all_dtypes) || read(bytes, 10, 2) != 0)
    return malformed("its operator or element type is unknown");
  state read_back(static_cast<op>(what), static_cast<dtype>(input));
  const bool right = std::visit(
      [&](auto& sum) {
        using sum_type = std::remove_reference_t<decltype(sum)>;
        constexpr std::size_t words = sum_type::words;
        if (read(bytes, 12, 4) != words || bytes.size() != header_bytes + 8 * words) return false;
        std::size_t at = header_bytes;
        sum = sum_type::from_words([&] {
          at += 8;
          return std::int64_t(read(bytes, at - 8, 8));
        });
        return plausible(sum);
      },
      read_back.sum_);
  if (!right) return malformed("its length or its counts do not fit together");
  // A state that bytes() could have written is one that it writes again.
  const auto again = read_back.bytes();
  if (std::memcmp(again.data(), bytes.data(), bytes.size()) != 0)
    return malformed("its digits are out of range");
  return read_back;
}

}  // namespace onefold
