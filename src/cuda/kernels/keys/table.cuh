// SPDX-License-Identifier: Apache-2.0
#pragma once
// The kernels of exact sums by key in a table of fixed-point numbers (docs/numerics/key-table.md).

#include "cuda/kernels/keys/table_slots.cuh"

namespace onefold::cuda {

/// Shape:  n >= 1 elements and their keys; to: zero before; any grid of whole warps.
/// Error:  none.
/// Order:  none.
static __global__ void __launch_bounds__(table_threads)
    find_key_extents(ONEFOLD_KERNEL_ARGUMENT key_elements elements, key_extents* to) {
  with_raw(elements.keys.kind.bytes,
           [&]<class Raw>(Raw) { find_extents_of_keys<Raw>(elements.keys, to); });
  with_float(elements.type,
             [&]<class T>(T) { find_extents_of_shifts<T>(elements.x, elements.keys.n, to); });
}

/// Shape:  n elements of T and their keys; table.sums: zero before; any grid.
/// Error:  none: fixed-point sums, docs/numerics/key-table.md.
/// Order:  none.
template <class T>
static __global__ void __launch_bounds__(table_threads)
    add_by_key(ONEFOLD_KERNEL_ARGUMENT key_elements elements,
               ONEFOLD_KERNEL_ARGUMENT key_table table) {
  const table_adder adder(table);
  for_each_keyed<T>(elements, table,
                    [&](std::int64_t slot, auto element) { adder.template add<T>(slot, element); });
}

inline auto add_by_key_of(dtype type) -> void (*)(key_elements, key_table) {
  return type == dtype::f16    ? add_by_key<f16>
         : type == dtype::bf16 ? add_by_key<bf16>
         : type == dtype::f32  ? add_by_key<float>
                               : add_by_key<double>;
}

/// Shape:  a table; any grid of whole warps.
/// Error:  none: integers.
/// Order:  none.
static __global__ void __launch_bounds__(table_threads)
    merge_copies(ONEFOLD_KERNEL_ARGUMENT key_table table) {
  merge_table(table);
}

/// Shape:  the slots of a table; any grid of whole warps.
/// Error:  none.
/// Order:  none.
static __global__ void __launch_bounds__(table_threads)
    decide_slots(ONEFOLD_KERNEL_ARGUMENT key_table table) {
  decide_table(table, [](std::int64_t) { return true; });
}

/// Looks at the elements of open slots: whether there are any, and whether one is not -0.
/// Shape:  as add_by_key, after decide_slots.
/// Error:  none.
/// Order:  none.
static __global__ void __launch_bounds__(table_threads)
    look_at_open_slots(ONEFOLD_KERNEL_ARGUMENT key_elements elements,
                       ONEFOLD_KERNEL_ARGUMENT key_table table) {
  if (table.not_minus_zero[table.slots] == 0) return;
  with_float(elements.type, [&]<class T>(T) {
    for_each_keyed<T>(elements, table,
                      [&](std::int64_t slot, auto element) { note_open<T>(table, slot, element); });
  });
}

/// Shape:  the slots of a table whose places are known; answers and keys: of each slot that has
///         elements one, ascending; any grid.
/// Error:  none: rounded once.
/// Order:  none.
static __global__ void __launch_bounds__(table_threads)
    write_key_answers(const key_elements elements, ONEFOLD_KERNEL_ARGUMENT key_table table,
                      bool is_mean, dtype output, void* answers, void* keys) {
  int lsb = 0;
  with_float(elements.type, [&]<class T>(T) { lsb = detail::float_format<T>::lsb; });
  ONEFOLD_ROLLED
  for (std::int64_t slot = first_of_thread(); slot < table.slots; slot += all_threads()) {
    if (table.present[slot] == 0) continue;
    const std::int64_t place = table.places[slot];
    const detail::real_answer answer = answer_of_slot(table, slot, is_mean, lsb);
    with_float(output,
               [&]<class Out>(Out) { static_cast<Out*>(answers)[place] = answer.rounded<Out>(); });
    with_raw(elements.keys.kind.bytes, [&]<class Raw>(Raw) {
      static_cast<Raw*>(keys)[place] =
          typed_keys<Raw>::key_of(elements.keys, table.first_key + slot);
    });
  }
}

}  // namespace onefold::cuda
