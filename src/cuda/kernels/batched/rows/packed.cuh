// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of which a vector holds several: a lane takes whole vectors, and writes their answers as one
// piece.

#include "cuda/kernels/batched/rows/reader.cuh"
#include "cuda/loaders/packed_rows.cuh"
#include "cuda/rounding/two_floats.cuh"

namespace onefold::cuda {

/// The bits of an answer to a plain form.
template <class Terms>
struct plain_word {
  using type = std::uint64_t;
};
template <class Terms>
requires(Terms::digits > 0) struct plain_word<Terms> {
  using type = typename Terms::bits;
};

/// The answers of a vector, or of several rows that are whole vectors together.
template <class Terms, int Rows>
using plain_words = packed_words<typename plain_word<Terms>::type, Rows>;

/// Rows of Each elements, of plain forms or means or norms of two floats; x and out at multiples of
/// 16 bytes.
template <class Terms, bool Plain, int Each>
class packed_rows {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::short_sum;
  static constexpr int rows = vector_items<T> / Each;  ///< of a vector
  static_assert(rows > 1);

  ONEFOLD_DEVICE packed_rows(const rows_arguments& a, std::int64_t* words)
      : a_(a), words_(words), vectors_(a.batch.x, a.batch.answers()) {}

  /// Of `warps` the one with number `warp`: every warps-th step of several vectors a lane.
  ONEFOLD_DEVICE void take(std::int64_t warp, std::int64_t warps) const {
    [[maybe_unused]] unsigned ambiguous = 0;
    vectors_.take(
        warp * vectors_.step, warps * vectors_.step,
        [&](const uint4& v, std::int64_t at, bool there, int i) {
          answers made;
          const unsigned open = add(made, v, std::make_integer_sequence<int, rows>());
          if (there) write_once(static_cast<answers*>(a_.batch.out) + at, made);
          if constexpr (!certified) ambiguous |= (there ? open : 0) << i * rows;
        },
        [&](std::int64_t first) {
          if constexpr (!certified) fallback(first, ambiguous), ambiguous = 0;
          return true;
        });
    if (warp > 0) return;
    vectors_.take_rest([&](const uint4& v, std::int64_t k, bool there) {
      answers made;
      const bool open = !answer<0>(made.bits[0], v);
      if (there) static_cast<typename plain_word<Terms>::type*>(a_.batch.out)[k] = made.bits[0];
      if constexpr (!certified) fallback_answers<Terms>(a_.batch, there && open, k, words_);
    });
  }

 private:
  using answers = plain_words<Terms, rows>;
  using traits = typename Terms::traits;
  static constexpr int loads = 8;  ///< of a lane on their way
  static constexpr bool two_floats = [] {
    if constexpr (std::is_same_v<T, float>) return Each == 2 && !(Plain && Terms::squares);
    return false;
  }();
  static constexpr bool norms = [] {
    if constexpr (two_floats) return Terms::squares;
    return false;
  }();
  static constexpr bool certified = Terms::digits == 0 || (two_floats && !norms);
  static_assert(Plain || two_floats);

  // The answers of a vector; a bit for each that is ambiguous.
  template <int... Row>
  ONEFOLD_DEVICE unsigned add(answers& made, const uint4& v,
                              std::integer_sequence<int, Row...>) const {
    unsigned ambiguous = 0;
    ((ambiguous |= unsigned(!answer<Row * Each>(made.bits[Row], v)) << Row), ...);
    return ambiguous;
  }
  template <int First, class Word>
  ONEFOLD_DEVICE bool answer(Word& made, const uint4& v) const {
    if constexpr (two_floats) {
      const float x = traits::float_term(bits_in<T, First>(v));
      const float y = traits::float_term(bits_in<T, First + 1>(v));
      if constexpr (norms) return norm_of_two(x, y, made);
      made = Plain ? sum_of_two(x, y) : mean_of_two(x, y);
      return true;
    } else {
      const sum total = sum_of<First>(v, std::make_integer_sequence<int, Each>());
      if constexpr (Terms::digits > 0) {
        return plain_bits<T>(total, made);
      } else {
        made = Word(total.counts[0]);
        return true;
      }
    }
  }
  template <int First, int... I>
  ONEFOLD_DEVICE static sum sum_of(const uint4& v, std::integer_sequence<int, I...>) {
    sum total;
    if constexpr (sizeof(T) == 1 && Each >= 4)
      total.counts[0] = sum_of_bytes<First / 4>(v);
    else
      (Terms::add(total, bits_in<T, First + I>(v)), ...);
    return total;
  }
  template <int First>
  ONEFOLD_DEVICE static std::int64_t sum_of_bytes(const uint4& v) {
    std::uint32_t count = traits::add_bytes(word_of<First>(v), word_of<First>(v), 0);
    if constexpr (Each == 8)
      count = traits::add_bytes(word_of<First + 1>(v), word_of<First + 1>(v), count);
    return traits::is_signed ? std::int64_t(std::int32_t(count)) : std::int64_t(count);
  }

  ONEFOLD_DEVICE void fallback(std::int64_t first, unsigned ambiguous) const {
    if (!any_lane(ambiguous != 0)) return;
    ONEFOLD_ROLLED
    for (int i = 0; i < loads * rows; ++i) {
      const std::int64_t at = first + i / rows * int(warp_lanes) + lane_index();
      const std::int64_t k = at * rows + i % rows;
      bool open = (ambiguous >> i & 1) != 0;
      if constexpr (norms)
        open = open && !write_slowly(sum_of_row(k), a_.batch.form, a_.batch.out, k);
      fallback_answers<Terms>(a_.batch, open, k, words_);
    }
  }
  ONEFOLD_DEVICE sum sum_of_row(std::int64_t k) const {
    const T* const row = static_cast<const T*>(a_.batch.x) + k * Each;
    sum total;
    Terms::add(total, bits_at(row)), Terms::add(total, bits_at(row + 1));
    return total;
  }

  const rows_arguments& a_;
  std::int64_t* words_;
  packed_vectors<rows, loads> vectors_;
};

/// Whether rows of such a length have been taken.
template <class Terms, bool Plain>
ONEFOLD_DEVICE bool take_packed(const rows_arguments& a, std::int64_t* words, std::int64_t warp,
                                std::int64_t warps) {
  constexpr int items = vector_items<typename Terms::element>;
  constexpr int most = 16 / sizeof(typename plain_word<Terms>::type);  // answers of a vector
  const auto take = [&]<int Each>(std::integral_constant<int, Each>) {
    packed_rows<Terms, Plain, Each>(a, words).take(warp, warps);
    return true;
  };
  if constexpr (items >= 4 && items / 2 <= most)
    if (a.batch.n == 2) return take(std::integral_constant<int, 2>());
  if constexpr (items >= 8 && items / 4 <= most)
    if (a.batch.n == 4) return take(std::integral_constant<int, 4>());
  if constexpr (items >= 16)
    if (a.batch.n == 8) return take(std::integral_constant<int, 8>());
  return false;
}

}  // namespace onefold::cuda
