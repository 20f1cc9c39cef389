// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of exponentials of whole arrays of floats, chunk by chunk: the CPU's operations in the CPU's
// order, so the CPU's bits (docs/numerics/logsumexp.md). log_sum_trees.cuh has the tree above them.
//
// A chunk is looked at twice: for its ends, and for the sums of exponentials. 32 rows of 64
// elements are a block of rows, with sums of its own (only those of f64 have an order). A cluster
// holds a chunk in shared memory, each warp its blocks of rows; the next chunk is copied and
// searched for its ends as slots become free, so that it is read once. The last warp adds up the
// sums. Where there are no clusters a chunk is read twice.

#include "cuda/ordered/chunk_top.cuh"
#include "cuda/ordered/log_sum_twice.cuh"
#include "cuda/ordered/row_ring.cuh"

namespace onefold::cuda {

inline constexpr unsigned log_sum_threads = (row_warps + 1) * warp_lanes;
/// Stages of a warp that are on their way at least while the next one is searched.
inline constexpr int stages_on_their_way = 1;

/// Sums are added up while those of the two next chunks are written; ranks take chunks in turn.
inline constexpr int most_sums_kept = 3;
ONEFOLD_HOST_DEVICE constexpr int sums_kept(int cluster) {
  return (most_sums_kept + cluster - 1) / cluster;
}

/// Shared memory of a thread block; after it are the sums of blocks of rows, and the rings.
template <class T>
struct alignas(128) log_sum_memory {
  exponential_sum<T> rest[virtual_lanes];  // of the array's last row, if it is not whole
  // Of every block of rows of the cluster's chunk, of two chunks: least and largest place.
  std::int64_t ends[2][row_blocks_of_chunk][2];
  std::int64_t tops[row_blocks_of_chunk][2];  // where there are NaNs: largest place, NaNs
  cluster_mbarrier ends_mbarriers[2], tops_mbarrier, sums_mbarriers[most_sums_kept];
  term_powers powers;
};
inline constexpr int ends_bytes = row_blocks_of_chunk * 2 * int(sizeof(std::int64_t));

/// The sums of a chunk's blocks of rows.
template <class T>
struct chunk_sums {
  exponential_sum<T> of[row_blocks_of_chunk][virtual_lanes];
};
ONEFOLD_HOST_DEVICE constexpr int log_sum_bytes(int cluster, row_ring_shape shape) {
  // Of any T.
  return int(sizeof(log_sum_memory<float>)) + sums_kept(cluster) * int(sizeof(chunk_sums<float>)) +
         row_ring_bytes(cluster, shape);
}
/// The stages that a ring has where a chunk is held, at least; there is no use for more than
/// `most`.
template <class T>
ONEFOLD_HOST_DEVICE constexpr int least_stages(int cluster) {
  const int blocks = (row_blocks_of_chunk + row_block_step(cluster) - 1) / row_block_step(cluster);
  return blocks * stages_of_rows<T> + stages_on_their_way;
}
template <class T>
ONEFOLD_HOST_DEVICE constexpr int most_stages(int cluster) {
  return 2 * (least_stages<T>(cluster) - stages_on_their_way);
}

/// k of 2^k. Host compilers see the body of a template, and not this one.
ONEFOLD_DEVICE int places_of(int power) {
  return 31 - __clz(power);
}

template <class T>
class log_sum_cluster {
 public:
  using bits = folds::bits_of<T>;
  using place = folds::place_type<T>;

  ONEFOLD_DEVICE log_sum_cluster(const T* x, std::int64_t n, log_sum_memory<T>& memory,
                                 row_ring_shape shape)
      : x_(x), n_(n), memory_(memory), sums_(reinterpret_cast<chunk_sums<T>*>(&memory + 1)),
        cluster_(int(cluster_size())), cluster_bits_(places_of(cluster_)),
        kept_(sums_kept(cluster_)), warp_(int(threadIdx.x / warp_lanes)),
        begin_(warp_ * cluster_ + int(cluster_rank())),
        ring_(x, n,
              reinterpret_cast<uint4*>(sums_ + sums_kept(cluster_)) +
                  warp_ * shape.stages * shape.vectors,
              shape, warp_),
        searched_(n, warp_) {}

  ONEFOLD_DEVICE void run(std::int64_t* parts, bool only_left) {
    const std::int64_t chunks = (n_ + tuning::chunk_items - 1) / tuning::chunk_items;
    const std::int64_t step = gridDim.x / unsigned(cluster_),
                       first = blockIdx.x / unsigned(cluster_);
    if (first >= chunks) return;                                     // with the whole cluster
    if (only_left && !any_left(parts, first, step, chunks)) return;  // with it too
    const bool works = warp_ < ring_warps(cluster_);
    if (works) begin_copies();
    if (threadIdx.x == row_warps * warp_lanes) begin_mbarriers();
    write_term_powers(memory_.powers);
    sync_cluster();
    if (works) search_first();
    int turn = 0;
    ONEFOLD_ROLLED
    for (std::int64_t c = first; c < chunks; c += step, ++turn) {
      memory_.ends_mbarriers[turn % 2].wait(turn / 2);
      sync_without_clusters();
      const int count = count_of(c);
      const chunk_top<T> top = top_of_chunk(c, count, turn);
      // Before a worker goes on, every warp has read these ends: once all workers have sent those
      // of the next chunk, the cluster overwrites them with those of the chunk after it.
      __syncthreads();
      if (works)
        add_chunk(count, top, turn);
      else if (warp_ == row_warps)
        help(c, turn, top, parts, step);
    }
    sync_without_clusters();
    if (warp_ == row_warps) add_up(turn - 1, first + (turn - 1) * step, parts);
  }

 private:
  ONEFOLD_DEVICE int count_of(std::int64_t c) const {
    return int(min(n_ - c * tuning::chunk_items, tuning::chunk_items));
  }
  // Turn t's sums go to rank t mod cluster_, there to places in a round-robin.
  ONEFOLD_DEVICE int rank_of_turn(int turn) const { return turn & (cluster_ - 1); }
  ONEFOLD_DEVICE int place_of_turn(int turn) const {
    const int own = turn >> cluster_bits_;
    return kept_ == most_sums_kept ? own % most_sums_kept : own & (kept_ - 1);
  }
  // How often the place of a turn was used before.
  ONEFOLD_DEVICE int uses_before(int turn) const {
    const int own = turn >> cluster_bits_;
    return kept_ == most_sums_kept ? own / most_sums_kept : own >> (kept_ - 1);
  }

  ONEFOLD_DEVICE void begin_mbarriers() {
    for (cluster_mbarrier& mbarrier : memory_.ends_mbarriers)
      mbarrier.begin(), mbarrier.expect(ends_bytes);
    memory_.tops_mbarrier.begin();
    for (cluster_mbarrier& mbarrier : memory_.sums_mbarriers) mbarrier.begin();
  }
  ONEFOLD_DEVICE void begin_copies() {
    ONEFOLD_ROLLED
    for (int i = 0; i < ring_.stages(); ++i) ring_.begin_next();
  }
  // The first chunk is searched, and what is there of the second.
  ONEFOLD_DEVICE void search_first() {
    ONEFOLD_ROLLED
    for (int i = stages_on_their_way; i < ring_.stages(); ++i) search_next();
  }

  // The ends of the next stage. Those of a block of rows are sent to the cluster.
  ONEFOLD_DEVICE void search_next() {
    wait_for_copies<stages_on_their_way>();
    const bits* const from = ring_.elements(behind_);
    if (searched_.whole() && ring_.aligned()) {
      const uint4* const mine = reinterpret_cast<const uint4*>(from) + lane_index();
      ONEFOLD_UNROLL
      for (int i = 0; i < row_stage_vectors; i += int(warp_lanes)) vector_ends_.take(mine[i]);
    } else {
      search_shifted(from);
    }
    if (searched_.ends_rows()) {
      send_ends();
      if (searched_.ends_chunk()) parity_ ^= 1;
    }
    searched_.advance();
    behind_ = ring_.slot_after(behind_);
  }

  ONEFOLD_DEVICE void search_shifted(const bits* from) {
    const int count = min(searched_.left(), row_stage_items<T>);
    __syncwarp();
    ONEFOLD_ROLLED
    for (int i = int(lane_index()); i < count; i += int(warp_lanes)) {
      const place one = folds::place_of<T>(from[i]);
      ends_.take({one, one});
    }
  }

  ONEFOLD_DEVICE void send_ends() {
    ends_.take({place(vector_ends_.lowest()), place(vector_ends_.highest())});
    ends_.fold();
    if (int(lane_index()) < cluster_ && !searched_.beyond()) {
      std::int64_t* const to = memory_.ends[parity_][searched_.row_block()];
      send(to, lane_index(), std::int64_t(ends_.least), memory_.ends_mbarriers[parity_]);
      send(to + 1, lane_index(), std::int64_t(ends_.largest), memory_.ends_mbarriers[parity_]);
    }
    ends_ = {}, vector_ends_ = {};
  }

  // In every thread.
  ONEFOLD_DEVICE chunk_top<T> top_of_chunk(std::int64_t c, int count, int turn) {
    place_ends<T> ends;
    if (int(lane_index()) * row_block_items < count) {
      const std::int64_t* const received = memory_.ends[turn % 2][lane_index()];
      ends = {place(received[0]), place(received[1])};
    }
    ends.fold();
    if (ends.have_nan()) return top_beside_nans(x_ + c * tuning::chunk_items, count);
    return chunk_top<T>(ends);
  }

  // Looks at all elements once more.
  ONEFOLD_DEVICE chunk_top<T> top_beside_nans(const T* x, int count) {
    ONEFOLD_ROLLED
    for (int b = begin_; warp_ < row_warps && b < row_blocks_of_chunk;
         b += row_block_step(cluster_)) {
      chunk_top<T> mine;
      const int end = min((b + 1) * row_block_items, count);
      ONEFOLD_ROLLED
      for (int i = b * row_block_items + int(lane_index()); i < end; i += int(warp_lanes))
        mine.take(folds::bits_of<T>(bits_at(x + i)));
      mine.fold();
      if (int(lane_index()) >= cluster_) continue;
      send(memory_.tops[b], lane_index(), std::int64_t(mine.largest), memory_.tops_mbarrier);
      send(memory_.tops[b] + 1, lane_index(), std::int64_t(mine.nans), memory_.tops_mbarrier);
    }
    if (threadIdx.x == row_warps * warp_lanes) memory_.tops_mbarrier.expect(ends_bytes);
    __syncwarp();
    memory_.tops_mbarrier.wait(with_nans_++);
    sync_without_clusters();
    chunk_top<T> all;
    all.largest = place(memory_.tops[lane_index()][0]);
    all.nans = std::uint32_t(memory_.tops[lane_index()][1]);
    all.fold();
    return all;
  }

  ONEFOLD_DEVICE void add_chunk(int count, const chunk_top<T>& top, int turn) {
    const chunk_exponentials<T> exponentials(top.value(), memory_.powers);
    chunk_sums<T>& sums = sums_[place_of_turn(turn)];
    const cluster_mbarrier& mbarrier = memory_.sums_mbarriers[place_of_turn(turn)];
    const bool none = top.none();
    ONEFOLD_ROLLED
    for (int b = begin_; b < row_blocks_of_chunk; b += row_block_step(cluster_)) {
      exponential_sum<T> sum[2] = {0, 0};
      int at = b * row_block_items;
      ONEFOLD_ROLLED
      for (int s = 0; s < stages_of_rows<T>; ++s, at += row_stage_items<T>) {
        __syncwarp();
        const bits* const from = ring_.elements(front_) + lane_index();
        if (none || at + row_stage_items < T >> count)
          add_edge(from, count - at, exponentials, none, sum, turn);
        else if (sizeof(T) < 8 && ring_.aligned())
          add_vectors(ring_.elements(front_), exponentials, sum);
        else if (sizeof(T) < 8 || top.near)
          add_stage<true>(from, exponentials, sum);
        else
          add_stage<false>(from, exponentials, sum);
        __syncwarp();
        ring_.begin_next();
        front_ = ring_.slot_after(front_);
        search_next();
      }
      exponential_sum<T>* const to = sums.of[b] + lane_index();
      send(to, unsigned(rank_of_turn(turn)), sum[0], mbarrier);
      send(to + warp_lanes, unsigned(rank_of_turn(turn)), sum[1], mbarrier);
    }
  }

  template <bool Near>
  ONEFOLD_DEVICE static void add_stage(const bits* from, const chunk_exponentials<T>& exponentials,
                                       exponential_sum<T> (&sum)[2]) {
    constexpr int each = 8;
    ONEFOLD_ROLLED
    for (int first = 0; first < row_stage_items<T>; first += each * int(warp_lanes)) {
      double x[each];
      exponential_sum<T> next[each];
      ONEFOLD_UNROLL
      for (int i = 0; i < each; ++i) x[i] = double_of<T>(from[first + i * int(warp_lanes)]);
      exponentials.template terms_of<Near>(x, next);
      ONEFOLD_UNROLL
      for (int i = 0; i < each; ++i) sum[i % 2] += next[i];
    }
  }

  // Terms have no order.
  ONEFOLD_DEVICE void add_vectors(const bits* from, const chunk_exponentials<T>& exponentials,
                                  exponential_sum<T> (&sum)[2]) const {
    if constexpr (sizeof(T) < 8) {
      if (exponentials.has_origin())
        add_vectors<true>(from, exponentials, sum);
      else
        add_vectors<false>(from, exponentials, sum);
    }
  }
  template <bool Origin>
  ONEFOLD_DEVICE void add_vectors(const bits* from, const chunk_exponentials<T>& exponentials,
                                  exponential_sum<T> (&sum)[2]) const {
    const float origin = Origin ? exponentials.scale().origin : 0;
    const std::uint32_t own_power = memory_.powers.of[lane_index()];
    constexpr int unrolled = sizeof(T) == 4 ? 2 : 1;
    const uint4* at = reinterpret_cast<const uint4*>(from) + lane_index();
    ONEFOLD_ROLLED
    for (int i = 0; i < row_stage_vectors; i += unrolled * int(warp_lanes)) {
      uint4 v[unrolled];
      ONEFOLD_UNROLL
      for (int j = 0; j < unrolled; ++j) v[j] = at[i + j * int(warp_lanes)];
      ONEFOLD_UNROLL
      for (int j = 0; j < unrolled; ++j)
        for_each_item<T>(v[j], v[j], [&](auto item, auto) {
          const float x = number_of<T>(item);
          sum[0] += exponentials.warp_term_from(Origin ? x - origin : x, own_power);
        });
    }
  }

  // The last row, if it is partial, has sums of its own.
  ONEFOLD_DEVICE void add_edge(const bits* from, int left,
                               const chunk_exponentials<T>& exponentials, bool none,
                               exponential_sum<T> (&sum)[2], int turn) {
    const auto exponential = [&](int i, bool there) {
      return there && !none ? exponentials.term_of(number_of<T>(from[i])) : exponential_sum<T>(0);
    };
    const int count = min(left, row_stage_items<T>), rest = max(count, 0) % int(virtual_lanes);
    const int upper = int(warp_lanes), lane = int(lane_index());
    int i = 0;
    ONEFOLD_ROLLED
    for (; i + int(virtual_lanes) <= count; i += int(virtual_lanes))
      sum[0] += exponential(i, true), sum[1] += exponential(i + upper, true);
    if (rest == 0) return;
    exponential_sum<T>* const to = memory_.rest + lane;
    const cluster_mbarrier& mbarrier = memory_.sums_mbarriers[place_of_turn(turn)];
    send(to, unsigned(rank_of_turn(turn)), exponential(i, lane < rest), mbarrier);
    send(to + upper, unsigned(rank_of_turn(turn)), exponential(i + upper, lane + upper < rest),
         mbarrier);
  }

  // The last warp writes what is known of a chunk, and adds up the sums of the one before. Then the
  // ends of the chunk after the next may be sent.
  ONEFOLD_DEVICE void help(std::int64_t c, int turn, const chunk_top<T>& top, std::int64_t* parts,
                           std::int64_t step) {
    if (lane_index() == 0 && rank_of_turn(turn) == int(cluster_rank())) {
      parts[4 * c + 2] = top.nans, parts[4 * c + 3] = top.infinite();
      const bool rest = count_of(c) % int(virtual_lanes) != 0;
      memory_.sums_mbarriers[place_of_turn(turn)].expect(int(sizeof(chunk_sums<T>)) +
                                                         (rest ? int(sizeof(memory_.rest)) : 0));
    }
    if (turn > 0) add_up(turn - 1, c - step, parts);
    largest_ = top.value();
    __syncwarp();
    if (lane_index() == 0) memory_.ends_mbarriers[turn % 2].expect(ends_bytes);
  }

  // The sums of a chunk in the order of its rows, and the fold of the lanes.
  ONEFOLD_DEVICE void add_up(int turn, std::int64_t c, std::int64_t* parts) const {
    if (rank_of_turn(turn) != int(cluster_rank())) return;
    memory_.sums_mbarriers[place_of_turn(turn)].wait(uses_before(turn));
    const chunk_sums<T>& sums = sums_[place_of_turn(turn)];
    const int count = count_of(c), upper = int(lane_index() + warp_lanes);
    exponential_sum<T> total[2] = {0, 0};
    ONEFOLD_UNROLL_BY_8
    for (int b = 0; b < row_blocks_of_chunk; ++b)
      total[0] += sums.of[b][lane_index()], total[1] += sums.of[b][upper];
    if (count % int(virtual_lanes) != 0)
      total[0] += memory_.rest[lane_index()], total[1] += memory_.rest[upper];
    exponential_sum<T> sum = total[0] + total[1];
    for (unsigned step = warp_lanes / 2; step > 0; step /= 2)
      sum = sum + __shfl_down_sync(whole_warp, sum, step);
    if (lane_index() != 0) return;
    write_sum<T>(sum, largest_, memory_.powers, parts + 4 * c);
  }

  const T* x_;
  std::int64_t n_;
  log_sum_memory<T>& memory_;
  chunk_sums<T>* sums_;
  int cluster_, cluster_bits_, kept_, warp_, begin_;  // begin_: the warp's first block of rows
  row_ring<T> ring_;
  row_cursor<T> searched_;
  int front_ = 0, behind_ = 0;      // slots of the next stage that is added, searched
  int parity_ = 0, with_nans_ = 0;  // of the chunk that is searched; chunks with NaNs
  double largest_ = 0;              // of the last warp: of the chunk before
  vector_ends<T> vector_ends_;
  place_ends<T> ends_;
};

/// Shape:  x[n], n > 0, aligned to T; only_left: of some chunks log_sum_windows has written the
///         parts, and only those that are chunk_left have to be. parts[chunks * 4]: the largest
///         finite element, the sum of exponentials of the distances from it, NaNs, whether an
///         element is +Inf; zeros where there is no finite element or one is +Inf. shape:
///         least_stages … most_stages, and then clusters of 1, 2, 4 … blocks of log_sum_threads
///         with log_sum_bytes(cluster, shape) of dynamic shared memory; or none, and then blocks of
///         chunk_threads with a twice_read_memory, the only way before sm_90. Any grid of whole
///         clusters.
/// Error:  docs/numerics/logsumexp.md.
/// Order:  the CPU's: parts have the bits of its sums of chunks, in any grid.
template <class T>
__global__ void __launch_bounds__(log_sum_threads, 1)
    log_sum_chunks(const T* x, std::int64_t n, std::int64_t* parts, row_ring_shape shape,
                   bool only_left) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, memory);
#if defined(ONEFOLD_CLUSTERS) || defined(ONEFOLD_PLAIN_DEVICE_CODE)
  if (shape.stages > 0)
    return log_sum_cluster<T>(x, n, *reinterpret_cast<log_sum_memory<T>*>(memory), shape)
        .run(parts, only_left);
#endif
  log_sums_read_twice(x, n, parts, only_left, *reinterpret_cast<twice_read_memory<T>*>(memory));
}

}  // namespace onefold::cuda
