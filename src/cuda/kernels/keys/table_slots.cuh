// SPDX-License-Identifier: Apache-2.0
#pragma once
// What kernels do with a table of fixed-point numbers (docs/numerics/key-table.md): add elements,
// merge copies, look for zeros, and round sums.

#include "cuda/kernels/keys/heads.cuh"
#include "cuda/kernels/keys/table.hpp"
#include "cuda/primitives/load.cuh"
#include "onefold/detail/integer_sum.hpp"
#include "onefold/detail/quotient.hpp"
#include "onefold/detail/wide_digits.hpp"

namespace onefold::cuda {

inline constexpr unsigned table_threads = 256;
inline constexpr int table_batch = 4;  ///< loads of a lane in flight

using table_word = unsigned long long;

/// Calls f(load(i)) for each i < n of this thread, a batch of loads at a time.
template <class Load, class F>
ONEFOLD_DEVICE void for_each_loaded(std::int64_t n, const Load& load, const F& f) {
  const std::int64_t step = all_threads();
  std::int64_t i = first_of_thread();
  ONEFOLD_ROLLED
  for (; i + (table_batch - 1) * step < n; i += table_batch * step) {
    decltype(load(i)) some[table_batch];
    ONEFOLD_UNROLL
    for (int k = 0; k < table_batch; ++k) some[k] = load(i + k * step);
    ONEFOLD_UNROLL
    for (int k = 0; k < table_batch; ++k) f(some[k]);
  }
  ONEFOLD_ROLLED
  for (; i < n; i += step) f(load(i));
}

ONEFOLD_DEVICE std::uint64_t warp_max(std::uint64_t x) {
  ONEFOLD_UNROLL
  for (unsigned step = warp_lanes / 2; step > 0; step /= 2)
    x = max(x, std::uint64_t(__shfl_xor_sync(whole_warp, table_word(x), step)));
  return x;
}
/// Raises a word to the largest of the block. Every lane of the block calls it.
ONEFOLD_DEVICE void raise(std::uint64_t& to, std::uint64_t x) {
  __shared__ std::uint64_t of_warps[table_threads / warp_lanes];
  x = warp_max(x);
  __syncthreads();  // an earlier call has read them
  if (lane_index() == 0) of_warps[threadIdx.x / warp_lanes] = x;
  __syncthreads();
  if (threadIdx.x >= warp_lanes) return;
  x = warp_max(lane_index() < blockDim.x / warp_lanes ? of_warps[lane_index()] : 0);
  if (lane_index() == 0) atomicMax(reinterpret_cast<table_word*>(&to), table_word(x));
}

template <class Raw>
ONEFOLD_DEVICE void find_extents_of_keys(const key_list& list, key_extents* to) {
  const typed_keys<Raw> keys(list);
  std::uint64_t last = 0, not_first = 0;
  for_each_loaded(
      list.n, [&](std::int64_t i) { return keys.at(i); },
      [&](Raw key) {
        last = max(last, std::uint64_t(key));
        not_first = max(not_first, ~std::uint64_t(key));
      });
  // A thread without keys has found nothing: 0, and nothing's complement.
  raise(to->last_key, last);
  raise(to->not_first_key, not_first);
}
/// Shifts rise with magnitudes, so the largest and the least magnitude have their extents.
template <class T>
ONEFOLD_DEVICE void find_extents_of_shifts(const void* elements, std::int64_t n, key_extents* to) {
  using format = detail::float_format<T>;
  using bits = typename format::bits;
  const auto* const x = static_cast<const T*>(elements);
  bits most = 0, least = bits(~bits(0));  // of all but zeros, less 1: zeros are the largest
  const auto look = [&](bits element) {
    const auto magnitude = bits(element & bits(~format::sign_bit)), below = bits(magnitude - 1);
    most = magnitude > most ? magnitude : most, least = below < least ? below : least;
  };
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(x) % 16 == 0;
  const std::int64_t vectors = is_aligned ? n / vector_items<T> : 0;
  for_each_loaded(
      vectors, [&](std::int64_t i) { return load_items(x + i * vector_items<T>); },
      [&](const vector_of<T>& v) { for_each_item<T>(v, v, [&](bits a, bits) { look(a); }); });
  const std::int64_t first = vectors * vector_items<T>;
  for_each_loaded(
      n - first, [&](std::int64_t i) { return bits(bits_at(x + first + i)); }, look);
  raise(to->last_shift, most == 0 ? 0 : std::uint64_t(detail::unit_shift<T>(most)));
  raise(to->not_first_shift,
        most == 0 ? 0 : ~std::uint64_t(detail::unit_shift<T>(bits(least + 1))));
  raise(to->not_finite, most >= format::infinity);
}

/// How the elements of a table are added.
class table_adder {
 public:
  ONEFOLD_DEVICE explicit table_adder(const key_table& table)
      : table_(table), sums_(reinterpret_cast<table_word*>(table.sums) +
                             first_of_thread() % table.copies * table.copy_words()),
        reciprocal_(0xFFFFFFFFu / unsigned(table.window) + 1) {}

  template <class T>
  ONEFOLD_DEVICE void add(std::int64_t slot, typename detail::float_format<T>::bits element) const {
    const std::int64_t magnitude = detail::significand<T>(element);
    const int shift = detail::unit_shift<T>(element) - table_.first_shift;
    const bool minus = (element & detail::float_format<T>::sign_bit) != 0;
    if constexpr (sizeof(T) == 8) {
      constexpr std::int64_t low = (std::int64_t(1) << low_piece_bits) - 1;
      add_piece(slot, magnitude & low, shift, minus);
      add_piece(slot, magnitude >> low_piece_bits, shift + low_piece_bits, minus);
    } else {
      add_piece(slot, magnitude, shift, minus);
    }
    if (table_.has_count) atomicAdd(sums_ + table_.words * table_.slots + slot, table_word(1));
  }

 private:
  ONEFOLD_DEVICE void add_piece(std::int64_t slot, std::int64_t magnitude, int shift,
                                bool minus) const {
    if (magnitude == 0) return;  // of zero the shift may be below that of all others
    const int word = int(std::uint64_t(shift) * reciprocal_ >> 32);
    const auto piece = table_word(minus ? -magnitude : magnitude) << (shift - word * table_.window);
    atomicAdd(sums_ + word * table_.slots + slot, piece);
  }

  const key_table& table_;
  table_word* sums_;
  unsigned reciprocal_;  // of the window, times 2^32, rounded up
};

template <class Raw, class Bits>
struct key_element {
  Raw key;
  Bits element;
};
/// Calls f(slot, bits of an element) for each of the grid's elements of T.
template <class T, class F>
ONEFOLD_DEVICE void for_each_keyed(const key_elements& elements, const key_table& table,
                                   const F& f) {
  using bits = typename detail::float_format<T>::bits;
  with_raw(elements.keys.kind.bytes, [&]<class Raw>(Raw) {
    const typed_keys<Raw> keys(elements.keys);
    const auto* const x = static_cast<const bits*>(elements.x);
    for_each_loaded(
        elements.keys.n,
        [&](std::int64_t i) {
          return key_element<Raw, bits>{keys.at(i), x[i]};
        },
        [&](const key_element<Raw, bits>& one) {
          f(std::int64_t(std::uint64_t(one.key) - table.first_key), one.element);
        });
  });
}

/// Adds all copies up in the first one, a warp each word.
ONEFOLD_DEVICE void merge_table(const key_table& table) {
  const std::int64_t words = table.copy_words(), step = all_threads() / warp_lanes;
  ONEFOLD_ROLLED
  for (std::int64_t i = first_of_thread() / warp_lanes; i < words; i += step) {
    table_word sum = 0;
    for (int copy = int(lane_index()); copy < table.copies; copy += int(warp_lanes))
      sum += table_word(table.sums[copy * words + i]);
    ONEFOLD_UNROLL
    for (unsigned apart = warp_lanes / 2; apart > 0; apart /= 2)
      sum += __shfl_xor_sync(whole_warp, sum, apart);
    if (lane_index() == 0) table.sums[i] = std::int64_t(sum);
  }
}
/// A slot with a word that is not zero has elements, and not zeros alone. The others are open: no
/// element, or a sum that is zero.
/// is_open(slot): whether it matters which elements a slot of words that are zero has.
template <class IsOpen>
ONEFOLD_DEVICE void decide_table(const key_table& table, const IsOpen& is_open) {
  bool open = false;
  ONEFOLD_ROLLED
  for (std::int64_t slot = first_of_thread(); slot < table.slots; slot += all_threads()) {
    std::int64_t any = 0;
    ONEFOLD_ROLLED
    for (int w = 0; w < table.words; ++w) any |= table.sums[w * table.slots + slot];
    table.decided[slot] = any != 0;
    table.present[slot] = any != 0;
    open |= any == 0 && is_open(slot);
  }
  if (any_lane(open) && lane_index() == 0) atomicOr(table.not_minus_zero + table.slots, 1u);
}
/// An element of an open slot: there is one, and it may be another than -0.
template <class T>
ONEFOLD_DEVICE void note_open(const key_table& table, std::int64_t slot,
                              typename detail::float_format<T>::bits element) {
  if (table.decided[slot] != 0) return;
  atomicOr(table.present + slot, 1u);
  if (element != detail::float_format<T>::sign_bit) atomicOr(table.not_minus_zero + slot, 1u);
}
/// The sum, or the mean, of a slot in 128 bits, times 2^-lsb.
/// Precondition: table.is_narrow().
ONEFOLD_DEVICE detail::real_answer narrow_answer(const key_table& table, std::int64_t slot,
                                                 bool is_mean) {
  detail::integer_sum sum;
  ONEFOLD_ROLLED
  for (int w = 0, shift = 0; w < table.words; ++w, shift += table.window) {
    const std::int64_t word = table.sums[w * table.slots + slot];
    sum.deposit(std::uint64_t(word) << shift, (word >> 1) >> (63 - shift));
  }
  if (is_mean) sum.note_elements(table.sums[table.words * table.slots + slot]);
  detail::integer_sum::storage magnitude;
  return sum.answer(is_mean, magnitude);
}
/// The same of any table.
static ONEFOLD_COLD detail::real_answer wide_answer(const key_table& table, std::int64_t slot,
                                                    bool is_mean) {
  detail::wide_digits<table_limbs> sum = {};
  ONEFOLD_ROLLED
  for (int w = 0; w < table.words; ++w)
    sum.deposit(table.sums[w * table.slots + slot], w * table.window);
  detail::magnitude_digits<table_limbs> magnitude;
  sum.write_magnitude(magnitude);
  const auto view = magnitude.view();
  const int lsb = 32 * magnitude.first_limb;
  const std::int64_t count = is_mean ? table.sums[table.words * table.slots + slot] : 1;
  return {is_mean ? detail::mean_of<detail::all_checks>(view, lsb, count)
                  : detail::sticky_of<detail::all_checks>(view, lsb),
          detail::real_answer::form::number, magnitude.below_zero};
}

/// The sum or the mean of the elements of a slot, which has some.
ONEFOLD_DEVICE detail::real_answer answer_of_slot(const key_table& table, std::int64_t slot,
                                                  bool is_mean, int lsb) {
  detail::real_answer answer =
      table.is_narrow() ? narrow_answer(table, slot, is_mean) : wide_answer(table, slot, is_mean);
  answer.magnitude.exponent += lsb + table.first_shift;
  if (table.decided[slot] == 0 && table.not_minus_zero[slot] == 0) answer.minus = true;
  return answer;
}

}  // namespace onefold::cuda
