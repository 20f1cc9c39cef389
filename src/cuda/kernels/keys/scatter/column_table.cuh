// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of one element each, added by key in a table of fixed-point numbers
// (docs/numerics/key-table.md): atomic additions of integers instead of lists. The device plans the
// table, so the host waits for nothing; where there is none, the lists add the elements.

#include "cuda/kernels/keys/scatter/scatter_launch.hpp"
#include "cuda/kernels/keys/table_slots.cuh"

namespace onefold::cuda {

/// Shape:  the elements of a column and their initial ones (has_column: side by side); extents:
/// zero before; blocks of whole
///         warps, any grid.
/// Error:  none.
/// Order:  none.
static __global__ void __launch_bounds__(table_threads)
    find_column_extents(ONEFOLD_KERNEL_ARGUMENT scatter_launch a) {
  const row_scatter& request = a.request;
  with_float(request.type, [&]<class T>(T) {
    find_extents_of_shifts<T>(request.x, request.rows, a.column.extents);
    if (request.has_initial_term(1))
      find_extents_of_shifts<T>(request.initial, request.answers, a.column.extents);
  });
}

/// The table of a column; without slots, if its words would be too many.
ONEFOLD_DEVICE key_table planned_table(const scatter_launch& a) {
  key_table table = a.column.planned;
  const bool fits =
      set_words(table, a.request.type, *a.column.extents) && table.copy_words() <= a.table_words();
  if (!fits) table.slots = 0;
  if (fits)
    table.copies = int(max(min(slots_at_once / table.slots, a.table_words() / table.copy_words()),
                           std::int64_t(1)));
  return table;
}
/// Shape:  a column whose extents are known; its table and the marks become zero; any grid.
/// Error:  none.
/// Order:  none.
static __global__ void __launch_bounds__(table_threads)
    plan_column(ONEFOLD_KERNEL_ARGUMENT scatter_launch a) {
  const key_table table = planned_table(a);
  if (first_of_thread() == 0) *a.column.table = table;
  if (table.slots == 0) return;
  ONEFOLD_ROLLED
  for (std::int64_t i = first_of_thread(); i < table.copies * table.copy_words();
       i += all_threads())
    table.sums[i] = 0;
  ONEFOLD_ROLLED
  for (std::int64_t i = first_of_thread(); i <= table.slots; i += all_threads())
    table.present[i] = table.not_minus_zero[i] = 0;
}

/// The table that was planned. Its addresses are the kernel's arguments: global memory to the
/// compiler.
ONEFOLD_DEVICE key_table table_of(const scatter_launch& a) {
  key_table table = a.column.planned;
  const key_table& found = *a.column.table;
  table.slots = found.slots, table.first_shift = found.first_shift;
  table.words = found.words, table.copies = found.copies;
  return table;
}

/// Calls f(slot, bits) for each of the grid's elements of T whose key is an answer.
template <class T, class F>
ONEFOLD_DEVICE void for_each_of_column(const scatter_launch& a, const key_table& table,
                                       const F& f) {
  for_each_keyed<T>(a.column.elements, table, [&](std::int64_t slot, auto element) {
    if (0 <= slot && slot < table.slots) f(slot, element);
  });
}

/// Shape:  a column whose table is planned; any grid.
/// Error:  none: fixed-point sums, docs/numerics/key-table.md.
/// Order:  none.
static __global__ void __launch_bounds__(table_threads)
    add_column(ONEFOLD_KERNEL_ARGUMENT scatter_launch a) {
  const key_table table = table_of(a);
  if (table.slots == 0) return;
  const table_adder adder(table);
  with_float(a.request.type, [&]<class T>(T) {
    for_each_of_column<T>(
        a, table, [&](std::int64_t slot, auto element) { adder.template add<T>(slot, element); });
  });
}

/// Adds all copies up in the first one, a warp each word.
/// Shape:  as add_column, after it; any grid of whole warps.
/// Error:  none: integers.
/// Order:  none.
static __global__ void __launch_bounds__(table_threads)
    merge_column(ONEFOLD_KERNEL_ARGUMENT scatter_launch a) {
  const key_table table = table_of(a);
  if (table.slots != 0 && table.copies > 1) merge_table(table);
}

/// Shape:  as add_column, after merge_column; any grid of whole warps.
/// Error:  none.
/// Order:  none.
static __global__ void __launch_bounds__(table_threads)
    decide_column(ONEFOLD_KERNEL_ARGUMENT scatter_launch a) {
  const key_table table = table_of(a);
  if (table.slots == 0) return;
  with_float(a.request.type, [&]<class T>(T) {
    // The sum of zeros and an initial element that is not -0 is that, as it is without rows.
    const T* const first = a.request.has_initial_term(1) && !a.request.is_mean
                               ? static_cast<const T*>(a.request.initial)
                               : nullptr;
    decide_table(table, [&](std::int64_t slot) {
      return first == nullptr || bits_at(first + slot) == detail::float_format<T>::sign_bit;
    });
  });
}

/// Looks at the elements of answers whose sums are zero, as look_at_open_slots.
/// Shape:  as add_column, after decide_column.
/// Error:  none.
/// Order:  none.
static __global__ void __launch_bounds__(table_threads)
    look_at_column(ONEFOLD_KERNEL_ARGUMENT scatter_launch a) {
  const key_table table = table_of(a);
  if (table.slots == 0 || table.not_minus_zero[table.slots] == 0) return;
  with_float(a.request.type, [&]<class T>(T) {
    for_each_of_column<T>(
        a, table, [&](std::int64_t slot, auto element) { note_open<T>(table, slot, element); });
  });
}

/// The answer of a slot that has elements. The initial element is added by the slot's own thread.
template <class T>
ONEFOLD_DEVICE T answer_of_column(const scatter_launch& a, const key_table& table,
                                  std::int64_t slot) {
  using format = detail::float_format<T>;
  const row_scatter& request = a.request;
  bool only_minus_zeros = table.decided[slot] == 0 && table.not_minus_zero[slot] == 0;
  if (request.has_initial_term(1)) {
    const auto first = bits_at(static_cast<const T*>(request.initial) + slot);
    key_table alone = table;
    alone.copies = 1, alone.has_count = false;
    table_adder(alone).template add<T>(slot, first);
    if (table.has_count && request.counts_initial)
      table.sums[table.words * table.slots + slot] += 1;
    only_minus_zeros &= first == format::sign_bit;
  }
  detail::real_answer answer =
      table.is_narrow() ? narrow_answer(table, slot, request.is_mean)
                        : wide_answer(key_table(table), slot, request.is_mean);  // out of line
  answer.magnitude.exponent += format::lsb + table.first_shift;
  if (only_minus_zeros) answer.minus = true;
  return answer.template rounded<T>();
}

/// Shape:  as add_column, after look_at_column; out[answers].
/// Error:  none: rounded once.
/// Order:  none.
static __global__ void __launch_bounds__(table_threads)
    write_column(ONEFOLD_KERNEL_ARGUMENT scatter_launch a) {
  const key_table table = table_of(a);
  with_float(a.request.type, [&]<class T>(T) {
    const row_scatter& request = a.request;
    T* const out = static_cast<T*>(request.out);
    ONEFOLD_ROLLED
    for (std::int64_t slot = first_of_thread(); slot < table.slots; slot += all_threads())
      if (table.present[slot] != 0)
        out[slot] = answer_of_column<T>(a, table, slot);
      else if (request.initial != nullptr)
        out[slot] = static_cast<const T*>(request.initial)[slot];
      else
        out[slot] = request.is_mean ? detail::canonical_nan<T>() : T();
  });
}

}  // namespace onefold::cuda
