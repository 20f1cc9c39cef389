// SPDX-License-Identifier: Apache-2.0
// Batched kernels: the specified summation tree of fast sums, compiled for each SIMD target.
//
// The tree is that of fast-inl.hpp: 64 virtual lanes, folded by halves. Lanes that hold -0 need no
// addition, so an output of n < 64 elements takes only as many vectors as it fills.
#if defined(ONEFOLD_CPU_BATCHED_TREE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEFOLD_CPU_BATCHED_TREE_INL
#undef ONEFOLD_CPU_BATCHED_TREE_INL
#else
#define ONEFOLD_CPU_BATCHED_TREE_INL
#endif

#include <utility>

#include "cpu/kernels/batched/batched_loop-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onefold::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
  constexpr std::make_integer_sequence<int, vectors> each;
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
  start_tree(sums, each);
  std::int64_t i = 0;
  for (; i + tree_lanes <= n; i += tree_lanes) add_tree_row<Of>(sums, x + i, y + i, each);
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
  alignas(64) lane each[lanes];
  sum.write(store_part<lane>{each, 0});
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) each[k] = each[k] + each[k + half];
  return each[0];
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
  alignas(64) lane each[lanes];
  for (lane& other : each) other = lane(-0.0);
  each[0] = n == 0 ? lane(0) : tree_of_chunks<Of, Sum>(x, y, n, x_end, y_end);
  return Sum::read(each, 0);
}

}  // namespace HWY_NAMESPACE
}  // namespace onefold::cpu
HWY_AFTER_NAMESPACE();

#endif
