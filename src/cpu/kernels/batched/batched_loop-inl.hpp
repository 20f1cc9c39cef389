// SPDX-License-Identifier: Apache-2.0
// Batched kernels: rows and segments, compiled for each SIMD target. Each output is summed in a
// vector of its own; then the vectors of as many outputs as there are lanes are folded into one
// vector of outputs.
//
// The tree of fast sums is that of fast-inl.hpp: 64 virtual lanes, folded by halves. Lanes that
// hold -0 need no addition, so an output of n < 64 elements takes only as many vectors as it fills.
#if defined(ONEFOLD_CPU_BATCHED_ROWS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_BATCHED_ROWS_INL
#undef ONEFOLD_CPU_BATCHED_ROWS_INL
#else
#define ONEFOLD_CPU_BATCHED_ROWS_INL
#endif

#include <bit>
#include <utility>

#include "cpu/kernels/batched/batched.hpp"
#include "cpu/kernels/batched/batched_sums-inl.hpp"
#include "request/tuning.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Outputs between two changes of the rounding mode: their sums fit in the first-level cache.
inline constexpr int batch_outputs = 1024;

struct batch_sums {
  static constexpr int capacity = batch_outputs + 16;  // a vector may extend past the last output
  alignas(64) double words[3 * capacity];
  template <class Lane>
  Lane* part(int i) {
    static_assert(sizeof(Lane) <= sizeof(double));
    return reinterpret_cast<Lane*>(words + i * capacity);
  }
};

// The address of the elements of output k, in a row or a segment. One type for both halves the
// code.
template <class T>
struct places {
  const std::byte *x, *y;
  std::int64_t stride, y_stride, n;
  const std::int64_t* offsets = nullptr;
  const T *all_x_end, *all_y_end;  // null where memory between outputs must not be read

  explicit places(const batched_block& b)
      : x(b.x), y(b.y ? b.y : b.x), stride(b.stride), y_stride(b.y ? b.y_stride : b.stride),
        n(b.n) {
    if (b.request.shape == batched_shape::segments) {
      offsets = b.offsets;
      all_x_end = x_at(b.outputs), all_y_end = y_at(b.outputs);
    } else {
      // Elements between rows may belong to another thread, so reads past a row are allowed only
      // without gaps.
      const std::int64_t whole = n * std::int64_t(sizeof(T));
      all_x_end = stride == whole ? x_at(b.outputs) : nullptr;
      all_y_end = y_stride == whole ? y_at(b.outputs) : nullptr;
    }
  }
  HWY_INLINE std::int64_t size(std::int64_t k) const {
    return offsets ? offsets[k + 1] - offsets[k] : n;
  }
  HWY_INLINE const T* at(const std::byte* from, std::int64_t apart, std::int64_t k) const {
    const std::int64_t bytes = offsets ? offsets[k] * std::int64_t(sizeof(T)) : k * apart;
    return reinterpret_cast<const T*>(from + bytes);
  }
  HWY_INLINE const T* x_at(std::int64_t k) const { return at(x, stride, k); }
  HWY_INLINE const T* y_at(std::int64_t k) const { return at(y, y_stride, k); }
  HWY_INLINE const T* x_end(std::int64_t k) const { return all_x_end ? all_x_end : x_at(k) + n; }
  HWY_INLINE const T* y_end(std::int64_t k) const { return all_y_end ? all_y_end : y_at(k) + n; }
};

// One vector whose lanes hold the folded sums of Lanes outputs, in their order. Each input vector
// holds the lanes of Held outputs.
template <int Lanes, int Held = 1, class Sum>
HWY_INLINE Sum fold_lanes(const Sum* from) {
  if constexpr (Lanes == Held) {
    return *from;
  } else {
    constexpr int apart = lanes_of<typename Sum::tag> / Lanes;
    const Sum a = fold_lanes<Lanes / 2, Held>(from);
    const Sum b = fold_lanes<Lanes / 2, Held>(from + Lanes / 2 / Held);
    Sum low = Sum::zip(a, b, pick_lanes<apart, false>());
    low.join(Sum::zip(a, b, pick_lanes<apart, true>()));
    return low;
  }
}

// Sums the elements of one output into one vector, in any order.
template <accumulator Of, class Sum, class T>
HWY_INLINE Sum sum_in_any_order(const T* x, const T* y, std::int64_t n, const T* x_end,
                                const T* y_end) {
  constexpr int lanes = lanes_of<typename Sum::tag>;
  Sum sum = Sum::start();
  std::int64_t i = 0;
  if (n >= 8 * lanes) {
    Sum b = Sum::start(), c = Sum::start(), d = Sum::start();
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
      prefetch_behind(x + i, 4 * lanes * std::int64_t(sizeof(T)));
      if (Of == accumulator::products) prefetch_behind(y + i, 4 * lanes * std::int64_t(sizeof(T)));
      add_vector<Of>(sum, x + i, y + i);
      add_vector<Of>(b, x + i + lanes, y + i + lanes);
      add_vector<Of>(c, x + i + 2 * lanes, y + i + 2 * lanes);
      add_vector<Of>(d, x + i + 3 * lanes, y + i + 3 * lanes);
    }
    sum.join(b), c.join(d), sum.join(c);
  }
  prefetch_behind(x + i, (n - i) * std::int64_t(sizeof(T)));
  for (; i + lanes <= n; i += lanes) add_vector<Of>(sum, x + i, y + i);
  if (i < n) add_some<Of>(sum, x + i, y + i, n - i, x_end, y_end);
  return n == 0 ? Sum::nothing() : sum;
}

inline constexpr int tree_lanes = 64;

template <accumulator Of, class Sum, class T, int... V>
HWY_INLINE void add_tree_row(Sum* sums, const T* x, const T* y, std::integer_sequence<int, V...>) {
  constexpr int lanes = lanes_of<typename Sum::tag>;
  prefetch_behind(x, tree_lanes * std::int64_t(sizeof(T)));
  (add_vector<Of>(sums[V], x + V * lanes, y + V * lanes), ...);
}

template <class Sum, int... V>
HWY_INLINE void start_tree(Sum* sums, std::integer_sequence<int, V...>) {
  ((sums[V] = Sum::start()), ...);
}

// The sum of one chunk as one vector, whose lanes are not folded yet.
template <accumulator Of, class Sum, class T>
HWY_INLINE Sum tree_of_chunk(const T* x, const T* y, std::int64_t n, const T* x_end,
                             const T* y_end) {
  constexpr int lanes = lanes_of<typename Sum::tag>, vectors = tree_lanes / lanes;
  constexpr std::make_integer_sequence<int, vectors> indices;
  Sum sums[vectors];
  if (n <= lanes) {
    prefetch_behind(x, n * std::int64_t(sizeof(T)));
    sums[0] = Sum::start();
    if (n == lanes)
      add_vector<Of>(sums[0], x, y);
    else if (n > 0)
      add_some<Of>(sums[0], x, y, n, x_end, y_end);
    return sums[0];
  }
  start_tree(sums, indices);
  std::int64_t i = 0;
  for (; i + tree_lanes <= n; i += tree_lanes) add_tree_row<Of>(sums, x + i, y + i, indices);
  prefetch_behind(x + i, (n - i) * std::int64_t(sizeof(T)));
  int v = 0;
  for (; i + lanes <= n; i += lanes) add_vector<Of>(sums[v++], x + i, y + i);
  if (i < n) add_some<Of>(sums[v++], x + i, y + i, n - i, x_end, y_end);
  const int used = n >= tree_lanes ? vectors : v;
  for (int half = vectors / 2; half > 0; half /= 2)
    for (int k = 0; k < half && k + half < used; ++k) sums[k].join(sums[k + half]);
  return sums[0];
}

template <class Sum>
HWY_INLINE typename hn::TFromD<typename Sum::tag> fold_one(const Sum& sum) {
  using lane = hn::TFromD<typename Sum::tag>;
  constexpr int lanes = lanes_of<typename Sum::tag>;
  alignas(64) lane values[lanes];
  sum.write(store_part<lane>{values, 0});
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) values[k] = values[k] + values[k + half];
  return values[0];
}

// The tree above the chunks: the left subtree has the largest power of two of chunks that is less
// than their number, the right subtree the rest.
template <accumulator Of, class Sum, class T>
HWY_NOINLINE typename hn::TFromD<typename Sum::tag>
tree_of_chunks(const T* x, const T* y, std::int64_t n, const T* x_end, const T* y_end) {
  if (n <= tuning::chunk_items) return fold_one(tree_of_chunk<Of, Sum>(x, y, n, x_end, y_end));
  const auto chunks = std::uint64_t((n + tuning::chunk_items - 1) / tuning::chunk_items);
  const auto left = std::int64_t(std::bit_floor(chunks - 1)) * tuning::chunk_items;
  const auto first = tree_of_chunks<Of, Sum>(x, y, left, x_end, y_end);
  return first + tree_of_chunks<Of, Sum>(x + left, y + left, n - left, x_end, y_end);
}

template <accumulator Of, class Sum, class T>
HWY_INLINE Sum sum_in_tree(const T* x, const T* y, std::int64_t n, const T* x_end, const T* y_end) {
  if (HWY_LIKELY(n <= tuning::chunk_items && n > 0))
    return tree_of_chunk<Of, Sum>(x, y, n, x_end, y_end);
  using lane = hn::TFromD<typename Sum::tag>;
  constexpr int lanes = lanes_of<typename Sum::tag>;
  alignas(64) lane values[lanes];
  for (lane& other : values) other = lane(-0.0);
  values[0] = n == 0 ? lane(0) : tree_of_chunks<Of, Sum>(x, y, n, x_end, y_end);
  return Sum::read(values, 0);
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
