// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of sums of exponentials of contiguous rows of narrow floats, a block each. A lane
// holds four vectors in registers. Longer rows are read twice, the second time from their end,
// which the first cache has. Sums of terms are exact (docs/numerics/logsumexp.md), so any lane may
// add any of them.

#include "cuda/nested/nest.cuh"
#include "cuda/nested/ordered/log_reading.cuh"
#include "cuda/nested/ordered/log_tiles.hpp"
#include "cuda/parts/copy.cuh"

namespace onefold::cuda {

/// A row in batches of log_row_units vectors a lane, and the elements before and after its vectors,
/// of which a lane has one at most.
template <class T>
class block_row {
 public:
  using bits = typename log_lane<T>::bits;
  using batch = uint4[log_row_units];

  ONEFOLD_DEVICE block_row(const std::byte* x, unsigned count) : count_(count) {
    const auto* const first = reinterpret_cast<const T*>(x);
    const auto address = unsigned(reinterpret_cast<std::uintptr_t>(x));
    const unsigned head = (0u - address) % 16 / unsigned(sizeof(T));
    vectors_ = (count - head) / unsigned(vector_items<T>);
    from_ = reinterpret_cast<const uint4*>(first + head);
    const unsigned at = threadIdx.x + (threadIdx.x < head ? 0 : vector_elements());
    if (at < count) edge_ = bits_at(first + at);
  }

  ONEFOLD_DEVICE bool has_edges() const { return vector_elements() != count_; }
  /// Of this lane; -Inf where it has none.
  ONEFOLD_DEVICE bits edge() const { return edge_; }

  ONEFOLD_DEVICE int batches() const {
    const unsigned vectors = log_row_units * blockDim.x;
    return int((vectors_ + vectors - 1) / vectors);
  }
  ONEFOLD_DEVICE void load(int index, batch& to) const {
    ONEFOLD_UNROLL
    for (int i = 0; i < log_row_units; ++i) {
      const unsigned at = unsigned(index * log_row_units + i) * blockDim.x + threadIdx.x;
      to[i] = at < vectors_ ? from_[at] : least_elements<T>();
    }
  }

 private:
  using format = detail::float_format<T>;

  ONEFOLD_DEVICE unsigned vector_elements() const { return vectors_ * unsigned(vector_items<T>); }

  unsigned count_, vectors_;
  const uint4* from_;
  bits edge_ = bits(format::infinity | format::sign_bit);
};

/// What the warps of a block exchange. Two barriers a row keep its arrays apart.
struct log_row_exchange {
  float largest[warp_lanes];
  std::uint64_t sums[warp_lanes];
};

/// Rows of the first warp wait until each of its lanes has one: the block's next row waits
/// meanwhile.
template <class T>
struct log_row_writer {
  const log_tables& tables;
  const finish_list& list;

  ONEFOLD_DEVICE void operator()(const log_row_sum& row, std::int64_t k) const {
    write_log_row<T>(row, tables, list, k);
  }
};
template <class T>
using held_log_rows = held_answers<log_row_sum, log_row_writer<T>>;

/// The lines of a row come to the second cache, a lane each, while another row is added. Not of
/// longer rows: they would displace what is read twice.
template <class T>
ONEFOLD_DEVICE void ask_for_row(const std::byte* x, unsigned count) {
  constexpr unsigned line_bytes = 128;
  ONEFOLD_ROLLED
  for (unsigned at = threadIdx.x * line_bytes; at < count * unsigned(sizeof(T));
       at += blockDim.x * line_bytes)
    ask_for(x + at);
}

/// Answer k of a row, for the first warp. next: the block's next row, if there is one.
template <class T>
ONEFOLD_DEVICE void reduce_log_row(const block_row<T>& row, const std::byte* next, unsigned count,
                                   const log_tables& tables, log_row_exchange& exchange,
                                   held_log_rows<T>& held_rows, std::int64_t k) {
  const unsigned warp = threadIdx.x / warp_lanes, warps = blockDim.x / warp_lanes;
  log_lane<T> lane;
  typename block_row<T>::batch held;
  const int batches = row.batches();
  ONEFOLD_ROLLED
  for (int i = 0; i < batches; ++i) {
    row.load(i, held);
    lane.add_all(held);
  }
  lane.add(row.edge());
  if (next != nullptr && batches <= 2) ask_for_row<T>(next, count);
  lane.fold(warp_lanes);
  if (lane_index() == 0) exchange.largest[warp] = lane.largest;
  __syncthreads();
  if (lane_index() < warps) lane.largest = exchange.largest[lane_index()];
  lane.fold(warp_lanes);

  term_lane<T> terms = log_row_reading<T>{tables.powers}.terms_of(lane);
  terms.add_all(held);
  ONEFOLD_ROLLED
  for (int i = batches - 2; i >= 0; --i) {
    row.load(i, held);
    terms.add_all(held);
  }
  if (row.has_edges()) terms.add(row.edge());
  terms.fold(warp_lanes);
  if (lane_index() == 0) exchange.sums[warp] = terms.sum;
  __syncthreads();
  if (warp != 0) return;
  terms.sum = lane_index() < warps ? exchange.sums[lane_index()] : 0;
  terms.fold(warp_lanes);
  held_rows.take({lane.largest, terms.sum}, k);
}

template <class T>
ONEFOLD_DEVICE void reduce_block_rows(const nested_request& of, const log_tables& tables,
                                      log_row_exchange& exchange) {
  held_log_rows<T> held({tables, of.finish});
  const auto place = [&](std::int64_t k) {
    nest_place at;
    step_into(of.axes, 0, of.axes.kept, k, at);
    return of.x + at.x;
  };
  const auto items = unsigned(of.items);
  const std::byte* x = place(blockIdx.x);
  ONEFOLD_ROLLED
  for (std::int64_t k = blockIdx.x; k < of.outputs; k += gridDim.x) {
    const std::byte* const next = k + gridDim.x < of.outputs ? place(k + gridDim.x) : nullptr;
    reduce_log_row(block_row<T>(x, items), next, items, tables, exchange, held, k);
    x = next;
  }
  if (threadIdx.x < warp_lanes) held.finish();
}

/// Shape:  a request of which log_row_lanes_of is the number of threads of a block; any grid.
/// Error:  docs/numerics/logsumexp.md; answers as on the host.
/// Order:  none: the same answers in every run and grid.
static __global__ void __launch_bounds__(log_row_lanes)
    nested_log_row_blocks(ONEFOLD_KERNEL_ARGUMENT nested_request of) {
  __shared__ log_tables tables;
  __shared__ log_row_exchange exchange;
  write_log_tables(tables);
  __syncthreads();
  if (of.input == dtype::f32)
    reduce_block_rows<float>(of, tables, exchange);
  else if (of.input == dtype::bf16)
    reduce_block_rows<bf16>(of, tables, exchange);
  else
    reduce_block_rows<f16>(of, tables, exchange);
}

}  // namespace onefold::cuda
