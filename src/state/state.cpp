// SPDX-License-Identifier: Apache-2.0
// The state as a value: made, merged, stored and read back.
//
// Bytes: "onefold" and a version byte; operator, element type, two zero bytes, the number of
// words as 32 bits; then the words of the exact sum as 64-bit integers. All little-endian.
#include "onefold/state.hpp"

#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

namespace onefold {
namespace {

using detail::tag;

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

// The bits of |sum| (of |sum| - 1 below zero), from carried digits whose last one has the sign.
int width(std::span<const std::int64_t> digits) {
  const std::uint32_t flip = digits.back() < 0 ? ~std::uint32_t(0) : 0;
  std::size_t top = digits.size() - 1;
  while (top > 0 && (std::uint32_t(digits[top]) ^ flip) == 0) --top;
  return 32 * int(top) + detail::bit_width(std::uint32_t(digits[top]) ^ flip);
}

// Words that a history of additions could have left: digits in range, a sum that so many elements
// can reach, no count below zero or above their number, a zero sum where all elements were -0.
template <class T>
bool plausible(tag<detail::wide_sum<T>>, std::span<const std::int64_t> words) {
  constexpr int limbs = detail::wide_sum<T>::limbs;
  bool any_digit = words[limbs - 1] != 0;
  if (words[limbs - 1] != std::int32_t(words[limbs - 1])) return false;
  for (const std::int64_t digit : words.first(limbs - 1)) {
    if (digit != std::int64_t(std::uint32_t(digit))) return false;
    any_digit = any_digit || digit != 0;
  }
  std::int64_t left = words[limbs];  // elements that no count has named yet
  if (left < 0) return false;
  using format = detail::float_format<T>;
  const int widest =
      format::max_exponent + 1 - format::lsb + detail::bit_width(std::uint64_t(left));
  if (width(words.first(limbs)) > widest || (left == 0 && any_digit)) return false;
  for (const std::int64_t specials : words.subspan(limbs + 1, 3)) {
    if (specials < 0 || specials > left) return false;
    left -= specials;
  }
  const std::int64_t only_negative_zeros = words[limbs + 4];
  if (only_negative_zeros != 0 && only_negative_zeros != 1) return false;
  return !only_negative_zeros || (!any_digit && left == words[limbs]);
}

bool plausible(tag<detail::integer_sum>, std::span<const std::int64_t> words) {
  if (words[2] == 0) return words[0] == 0 && words[1] == 0;
  return words[2] > 0 && words[1] >= -words[2] && words[1] <= words[2];
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
  if (count() > std::numeric_limits<std::int64_t>::max() - other.count())
    return {status_code::overflow, "the states have 2^63 elements or more together"};
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
      [&]<class Sum>(Sum& sum) {
        std::int64_t words[Sum::words];
        if (read(bytes, 12, 4) != Sum::words || bytes.size() != header_bytes + sizeof words)
          return false;
        for (int i = 0; i < Sum::words; ++i)
          words[i] = std::int64_t(read(bytes, header_bytes + 8 * std::size_t(i), 8));
        if (!plausible(tag<Sum>{}, words)) return false;
        const std::int64_t* word = words;
        sum = Sum::from_words([&] { return *word++; });
        return true;
      },
      read_back.sum_);
  if (!right) return malformed("its length, its digits or its counts do not fit together");
  return read_back;
}

}  // namespace onefold
