// SPDX-License-Identifier: Apache-2.0
// Entry points of exact sums by key in a table, for keys in any order. Without CUDA types.
//
// A slot of the table is a key's sum in fixed point: words of 64 bits, each for a window of
// exponents, so that an element is added by one atomic addition (two of f64) and no addition can
// overflow. Integers add in any order to the same bits. docs/numerics/key-table.md has the proof.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "cuda/kernels/keys/keys.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/dtype.hpp"

namespace onefold::cuda {

/// What one reading of keys and elements finds. Ordinals are words that ascend with the keys.
/// Minima are kept as complements, so that all words begin as zero and only rise.
struct key_extents {
  std::uint64_t last_key, not_first_key;
  std::uint64_t last_shift, not_first_shift;  ///< of elements but zeros: of their lowest bit
  std::uint64_t not_finite;                   ///< not 0: an infinity or a NaN

  constexpr std::uint64_t first_key() const { return ~not_first_key; }
  ONEFOLD_HOST_DEVICE constexpr int first_shift() const { return int(~not_first_shift); }
  ONEFOLD_HOST_DEVICE constexpr bool only_zeros() const { return not_first_shift == 0; }
};

/// The elements of `keys.n` keys.
struct key_elements {
  key_list keys;
  const void* x = nullptr;  ///< contiguous, of a floating type, aligned to it
  dtype type = dtype::f32;
};

struct key_table {
  std::uint64_t first_key = 0;  ///< ordinal of slot 0's key
  std::int64_t slots = 0;
  int first_shift = 0;     ///< exponents above that of the type's least bit: of bit 0 of word 0
  int window = 1;          ///< exponents of a word
  int words = 1;           ///< of a sum
  bool has_count = false;  ///< a word more
  int copies = 1;          ///< added to side by side, where slots are few
  std::int64_t* sums = nullptr;      ///< [copies][all_words()][slots], zero before
  std::uint32_t* present = nullptr;  ///< [slots + 1]: 1 where elements are known to be; zero before
  std::uint32_t* not_minus_zero = nullptr;  ///< [slots + 1]; zero before. The last: open slots
  std::uint8_t* decided = nullptr;          ///< [slots]
  std::int64_t* places = nullptr;           ///< [slots + 1]: of the answers

  ONEFOLD_HOST_DEVICE constexpr int all_words() const { return words + int(has_count); }
  /// Whether 128 bits hold a sum: its words are below 2^63 each.
  ONEFOLD_HOST_DEVICE constexpr bool is_narrow() const { return (words - 1) * window < 64; }
  ONEFOLD_HOST_DEVICE constexpr std::int64_t copy_words() const { return all_words() * slots; }
};

/// Digits of the pieces that elements of a type are added by, enough for all pieces of an
/// element in one word.
constexpr int piece_bits(dtype type) {
  switch (type) {
  case dtype::f16:
    return 11;
  case dtype::bf16:
    return 8;
  case dtype::f32:
    return 24;
  default:
    return 28;  // pieces of 27 and 26 bits
  }
}
inline constexpr int low_piece_bits = 27;  ///< of f64

/// The exponents of a word to which n elements can be added: 2^digits 2^(window - 1) n <= 2^63.
constexpr int window_of(dtype type, std::int64_t n) {
  return 64 - piece_bits(type) - std::bit_width(std::uint64_t(n - 1));
}

/// Limbs of 32 bits that hold the sums of a table, and the most words that they can hold.
inline constexpr int table_limbs = 14;
ONEFOLD_HOST_DEVICE constexpr int most_table_words(int window) {
  return (32 * (table_limbs - 3) - 1) / window + 1;
}

/// Sets the words of a sum and the exponent of their first bit; false where a sum needs too many,
/// or an element is not finite.
ONEFOLD_HOST_DEVICE constexpr bool set_words(key_table& table, dtype type,
                                             const key_extents& found) {
  if (!found.only_zeros()) {
    table.first_shift = found.first_shift();
    const int high_piece = type == dtype::f64 ? low_piece_bits : 0;
    const int last = int(found.last_shift) + high_piece - table.first_shift;
    table.words = last / table.window + 1;
  }
  return found.not_finite == 0 && table.words <= most_table_words(table.window);
}

/// Words of a table for each element: one that is larger is slower than a sort.
inline constexpr std::int64_t elements_of_table_word = 2;

// Fewer slots are added to by atomic additions that wait for each other: of 2^26 elements on an
// H100 16384 slots take 1.1 ms, 1024 2.3 and 16 14.
inline constexpr std::int64_t slots_at_once = 1 << 14;

/// The table of n > 0 elements, without memory; nothing where it would be too large, or where an
/// element is not finite.
constexpr std::optional<key_table> table_for(dtype type, std::int64_t n, bool has_count,
                                             const key_extents& found) {
  const std::int64_t most = n / elements_of_table_word;
  const std::uint64_t slots = found.last_key - found.first_key() + 1;
  if (slots == 0 || slots > std::uint64_t(most)) return std::nullopt;
  key_table table;
  table.first_key = found.first_key();
  table.slots = std::int64_t(slots);
  table.has_count = has_count;
  table.window = window_of(type, n);
  if (!set_words(table, type, found)) return std::nullopt;
  const std::int64_t most_copies = most / table.copy_words();
  if (most_copies == 0) return std::nullopt;
  table.copies = int(std::clamp<std::int64_t>(slots_at_once / table.slots, 1, most_copies));
  return table;
}

/// Enqueues what finds the extents of keys and elements, zero before. Returns a cudaError_t as int.
int launch_key_extents(const key_elements& elements, key_extents* to, unsigned multiprocessors,
                       void* stream);

/// Enqueues the sums, and the places of the slots that have elements among all of them: places
/// [slots] is how many there are. `scratch` has `scratch_bytes`. Returns a cudaError_t as int.
int launch_key_sums(const key_elements& elements, const key_table& table, void* scratch,
                    std::size_t scratch_bytes, unsigned multiprocessors, void* stream);

/// Enqueues the answers, sums or means of `output`, a floating type, and the keys of the slots that
/// have elements. Returns a cudaError_t as int.
int launch_key_answers(const key_elements& elements, const key_table& table, bool is_mean,
                       dtype output, void* answers, void* keys, void* stream);

}  // namespace onefold::cuda
