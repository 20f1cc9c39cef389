// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of exponentials of whole arrays of narrow floats, whose chunks are read once: a block adds
// the sums of a chunk for each binade that its largest element may turn out to have
// (term_window.cuh), and reads it again where that is beyond the window. Chunks that have an
// origin, NaNs or no finite element are left to log_sum_chunks, and so are those of a wide sample.

#include "cuda/ordered/log_sum_twice.cuh"
#include "cuda/ordered/term_window.cuh"

namespace onefold::cuda {

inline constexpr unsigned window_threads = 128;

/// Shared memory of a block.
struct window_memory {
  term_powers powers;
  float largest[window_threads / warp_lanes];
  std::uint64_t sums[window_threads / warp_lanes];
};

/// A chunk, as a block reads it.
template <class T>
class windowed_chunk {
 public:
  using batch = float[term_window::items];

  ONEFOLD_DEVICE windowed_chunk(const T* x, int count, window_memory& memory)
      : x_(x), memory_(memory), own_power_(memory.powers.of[lane_index()]) {
    const int before = int(reinterpret_cast<std::uintptr_t>(x) % 16 / sizeof(T));
    head_ = min(before == 0 ? 0 : vector_items<T> - before, count);
    vectors_ = (count - head_) / vector_items<T>;
    edges_ = count - vectors_ * vector_items<T>;
    from_ = reinterpret_cast<const uint4*>(x + head_);
  }

  /// The words of log_sum_chunks, or chunk_left for the last one. Every thread calls it.
  ONEFOLD_DEVICE void write(std::int64_t* words) const {
    const float own = largest_of_sample(), guess = greatest_across(own);
    float top = guess;
    std::uint64_t sum = 0;
    bool left = window_place(guess, guess) < 0 || guess - least_across(own) > most_window_spread;
    if (!left) {
      top = add_window(guess, sum);
      left = !(fabsf(top) <= exponential::largest_origin_free);
    }
    sum = sum_across_block(sum);
    if (threadIdx.x != 0) return;
    if (!left) write_sum<T>(sum, top, memory_.powers, words);
    words[2] = 0, words[3] = left ? chunk_left : 0;
  }

 private:
  static constexpr int batch_vectors = term_window::items / vector_items<T>;
  static constexpr int sampled_vectors = 4;

  // Adds this thread's part of the sum, and returns the largest element.
  ONEFOLD_DEVICE float add_window(float guess, std::uint64_t& sum) const {
    const chunk_exponentials<T> about(guess, memory_.powers);
    term_window window;
    float largest = -INFINITY;
    for_each_batch([&](const batch& x) {
      ONEFOLD_UNROLL
      for (const float each : x) largest = greater_or_nan(largest, each);
      window.add(x, [&](float one) { return about.warp_term_from(one, own_power_); });
    });
    const float top = greatest_across(largest);
    if (const int place = window_place(guess, top); place >= 0)
      sum = window.at(place);
    else if (fabsf(top) <= exponential::largest_origin_free)
      sum = sum_of_terms(top);
    return top;
  }
  ONEFOLD_DEVICE std::uint64_t sum_of_terms(float top) const {
    const chunk_exponentials<T> exponentials(top, memory_.powers);
    std::uint64_t sum = 0;
    for_each_batch([&](const batch& x) {
      ONEFOLD_UNROLL
      for (const float each : x) sum += exponentials.warp_term_from(each, own_power_);
    });
    return sum;
  }
  // Of some vectors of a thread, from all over the chunk.
  ONEFOLD_DEVICE float largest_of_sample() const {
    const int apart = vectors_ / sampled_vectors;
    float largest = -INFINITY;
    ONEFOLD_UNROLL
    for (int i = 0; i < sampled_vectors; ++i) {
      if (int(threadIdx.x) >= apart) continue;
      const uint4 v = load_vector(from_ + i * apart + int(threadIdx.x));
      for_each_item<T>(
          v, v, [&](auto item, auto) { largest = greater_or_nan(largest, number_of<T>(item)); });
    }
    return largest;
  }

  /// use(x) of all elements, and of some -Inf after them, by whole warps.
  template <class Use>
  ONEFOLD_DEVICE void for_each_batch(const Use& use) const {
    constexpr int threads = int(window_threads), step = batch_vectors * threads;
    int first = int(threadIdx.x);
    const int whole = vectors_ / (2 * step) * (2 * step);
    ONEFOLD_ROLLED
    for (; first < whole; first += 2 * step) {
      uint4 v[2][batch_vectors];
      ONEFOLD_UNROLL
      for (int i = 0; i < 2 * batch_vectors; ++i)
        v[i / batch_vectors][i % batch_vectors] = load_vector(from_ + first + i * threads);
      use_vectors(v[0], use), use_vectors(v[1], use);
    }
    ONEFOLD_ROLLED
    for (; first - int(threadIdx.x) < vectors_; first += step) {
      uint4 v[batch_vectors];
      ONEFOLD_UNROLL
      for (int i = 0; i < batch_vectors; ++i) {
        const int at = first + i * threads;
        v[i] = at < vectors_ ? load_vector(from_ + at) : least_elements<T>();
      }
      use_vectors(v, use);
    }
    if (edges_ > 0) use_edges(use);
  }
  template <class Use>
  ONEFOLD_DEVICE static void use_vectors(const uint4 (&v)[batch_vectors], const Use& use) {
    batch x;
    int i = 0;
    ONEFOLD_UNROLL
    for (const uint4& each : v)
      for_each_item<T>(each, each, [&](auto item, auto) { x[i++] = number_of<T>(item); });
    use(x);
  }
  // What is before the first whole vector and after the last one.
  template <class Use>
  ONEFOLD_DEVICE void use_edges(const Use& use) const {
    batch x;
    ONEFOLD_UNROLL
    for (float& each : x) each = -INFINITY;
    const int edge = int(threadIdx.x), inside = vectors_ * vector_items<T>;
    if (edge < edges_) x[0] = number_of<T>(bits_at(x_ + (edge < head_ ? edge : inside + edge)));
    use(x);
  }

  ONEFOLD_DEVICE float greatest_across(float x) const {
    ONEFOLD_UNROLL
    for (int step = 1; step < int(warp_lanes); step *= 2)
      x = greater_or_nan(x, __shfl_xor_sync(whole_warp, x, step));
    __syncthreads();  // the numbers before these have been read
    if (lane_index() == 0) memory_.largest[threadIdx.x / warp_lanes] = x;
    __syncthreads();
    for (const float each : memory_.largest) x = greater_or_nan(x, each);
    return x;
  }
  ONEFOLD_DEVICE float least_across(float x) const { return -greatest_across(-x); }
  /// In thread 0.
  ONEFOLD_DEVICE std::uint64_t sum_across_block(std::uint64_t sum) const {
    ONEFOLD_UNROLL
    for (int step = 1; step < int(warp_lanes); step *= 2)
      sum += __shfl_xor_sync(whole_warp, sum, step);
    __syncthreads();
    if (lane_index() == 0) memory_.sums[threadIdx.x / warp_lanes] = sum;
    __syncthreads();
    std::uint64_t all = 0;
    for (const std::uint64_t each : memory_.sums) all += each;
    return all;
  }

  const T* x_;
  const uint4* from_;  // the first whole vector
  window_memory& memory_;
  std::uint32_t own_power_;
  int head_, vectors_, edges_;  // elements before it; vectors; elements of none
};

/// Shape:  x[n], n > 0, aligned to T; parts as of log_sum_chunks, but for chunks whose last word is
///         chunk_left; block of window_threads, any grid.
/// Error:  docs/numerics/logsumexp.md.
/// Order:  none: the same words in any grid.
template <class T>
__global__ void __launch_bounds__(window_threads, 8)
    log_sum_windows(const T* x, std::int64_t n, std::int64_t* parts) {
  __shared__ window_memory memory;
  write_term_powers(memory.powers);
  __syncthreads();
  const std::int64_t chunks = (n + tuning::chunk_items - 1) / tuning::chunk_items;
  ONEFOLD_ROLLED
  for (std::int64_t c = blockIdx.x; c < chunks; c += gridDim.x) {
    const std::int64_t first = c * tuning::chunk_items;
    const int count = int(min(n - first, tuning::chunk_items));
    windowed_chunk<T>(x + first, count, memory).write(parts + log_sum_chunk_words * c);
  }
}

}  // namespace onefold::cuda
