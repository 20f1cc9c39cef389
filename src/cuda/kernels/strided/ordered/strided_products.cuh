// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of general strided layouts: of floats the CPU's operations in the CPU's order, so the
// CPU's bits (docs/numerics/product.md); within a chunk of integers order does not matter. The tree
// above the chunks is the host's.

#include "cuda/kernels/strided/ordered/chunk_rows.cuh"
#include "cuda/kernels/strided/strided_folds.cuh"
#include "cuda/primitives/integer_product.cuh"
#include "cuda/primitives/product_lane.cuh"

namespace onefold::cuda {

/// Two virtual lanes of a product.
class product_lanes {
 public:
  ONEFOLD_DEVICE void take(const double (&x)[held_items], int count) {
    const int whole = count / int(virtual_lanes);
    ONEFOLD_UNROLL
    for (int row = 0; row < held_items / 2; ++row) {
      if (row == whole) normalise();  // a partial row is normalised alone
      if (row * int(virtual_lanes) >= count) continue;
      ONEFOLD_UNROLL
      for (int i = 0; i < 2; ++i)
        lanes_[i].multiply(is_held(2 * row + i, count) ? x[2 * row + i] : 1.0);
    }
    rows_ += whole;
    if (rows_ == product_rows || count < batch_items) normalise();
  }
  /// After the last row: the product of all lanes, in lane 0.
  ONEFOLD_DEVICE product_lane folded() {
    lanes_[0].append(lanes_[1]);
    for (unsigned step = warp_lanes / 2; step > 0; step /= 2)
      lanes_[0].append(lanes_[0].behind(step));
    return lanes_[0];
  }

 private:
  ONEFOLD_DEVICE void normalise() {
    lanes_[0].normalise(), lanes_[1].normalise();
    rows_ = 0;
  }
  product_lane lanes_[2];
  int rows_ = 0;  // since the last normalisation
};

/// Shape:  floats of a request's answers, >= 0 of them, in chunks; words[outputs][pieces]
///         [state_words]: product_lane::words and a count; block of strided_threads, any grid.
/// Error:  docs/numerics/product.md.
/// Order:  the CPU's: the bits of its products of chunks, in any grid.
static __global__ void __launch_bounds__(strided_threads)
    strided_products(const strided_request request, std::int64_t* words) {
  __shared__ double rings[strided_threads / warp_lanes][ring_items];
  double* const ring = rings[threadIdx.x / warp_lanes];
  for_each_piece(request, [&](const nest_piece& piece, std::int64_t k) {
    chunk_rows rows(request, piece, ring);
    product_lanes lanes;
    const std::int64_t count =
        take_rows(rows, [&](const double(&x)[held_items], int n) { lanes.take(x, n); });
    const product_lane product = lanes.folded();
    if (lane_index() != 0) return;
    std::int64_t* const to = words + k * request.state_words;
    product.write(to);
    to[product_lane::words] = count;
  });
}

namespace folds {

/// The words of integer_product_chunks, and a count.
class any_product {
 public:
  static constexpr bool pairs = false;
  static constexpr int partial_words = 3;

  ONEFOLD_DEVICE explicit any_product(const strided_request& request) : kind_(request.x_kind) {}

  ONEFOLD_DEVICE void take(std::uint64_t raw, std::uint64_t, std::int64_t) {
    const std::int64_t x = integer_of(raw, kind_);
    ++count_;
    if (kind_.is_signed)
      product_.take(x);
    else
      product_.take(std::uint64_t(x));
  }
  ONEFOLD_DEVICE void store(std::int64_t* to) const {
    to[0] = std::int64_t(product_.magnitude), to[1] = product_.notes, to[2] = count_;
  }
  ONEFOLD_DEVICE void merge(const std::int64_t* from) {
    product_.multiply(std::uint64_t(from[0]), int(from[1]));
    count_ += from[2];
  }
  ONEFOLD_DEVICE void finish(std::int64_t* words) const { store(words); }

 private:
  element_kind kind_;
  integer_product product_;
  std::int64_t count_ = 0;
};

}  // namespace folds
}  // namespace onefold::cuda
