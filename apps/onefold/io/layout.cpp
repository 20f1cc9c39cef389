// SPDX-License-Identifier: Apache-2.0
// Sizes, views and byte order of binary data.
#include "io/layout.hpp"

#include <bit>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace onefold::program {
namespace {

constexpr bool big_endian_machine = std::endian::native == std::endian::big;

template <class Word>
Word reversed(Word word) noexcept {
  if constexpr (sizeof word == 2) return __builtin_bswap16(word);
  if constexpr (sizeof word == 4) return __builtin_bswap32(word);
  if constexpr (sizeof word == 8) return __builtin_bswap64(word);
}

template <class Word>
void reverse_words(std::span<std::byte> bytes) noexcept {
  for (std::size_t at = 0; at + sizeof(Word) <= bytes.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    word = reversed(word);
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

}  // namespace

std::optional<std::int64_t> count_items(std::span<const std::int64_t> shape,
                                        std::size_t item_bytes) noexcept {
  auto bytes = std::int64_t(item_bytes);
  bool nothing = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) nothing = true;
    // The builtin computes the product in the width of its result type.
    else if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  }
  return nothing ? 0 : bytes / std::int64_t(item_bytes);
}

array_view view_of(const layout& described, const void* data) noexcept {
  axis_list axes;
  if (described.shape.size() > std::size_t(max_rank)) return {data, described.type, axes};
  axes.resize(int(described.shape.size()));
  auto stride = std::int64_t(size_bytes(described.type));
  const int rank = axes.size();
  for (int i = 0; i < rank; ++i) {
    const int axis = described.column_major ? i : rank - 1 - i;
    const std::int64_t extent = described.shape[std::size_t(axis)];
    axes[axis] = {extent, stride};
    if (extent > 0) stride *= extent;
  }
  return {data, described.type, axes};
}

std::string describe(const layout& described) {
  std::string text = fmt::format("{} ({})", name(described.type), fmt::join(described.shape, ", "));
  if (described.column_major) text += ", column major";
  if (described.big_endian) text += ", big endian";
  return text;
}

void make_native(const layout& described, std::span<std::byte> bytes) noexcept {
  if (described.type == dtype::boolean) {
    for (std::byte& byte : bytes) byte = byte == std::byte{0} ? std::byte{0} : std::byte{1};
  }
  if (described.big_endian == big_endian_machine) return;
  switch (size_bytes(described.type)) {
  case 2:
    return reverse_words<std::uint16_t>(bytes);
  case 4:
    return reverse_words<std::uint32_t>(bytes);
  case 8:
    return reverse_words<std::uint64_t>(bytes);
  default:
    return;
  }
}

}  // namespace onefold::program
