// SPDX-License-Identifier: Apache-2.0
#pragma once
// The backward pass of RMSNorm, and of LayerNorm, whose rows are centred, one read of x and g: the
// lanes of a row hold their elements until the row's sums are known, and add up their columns for
// the gradients of weight and bias. Rows on their way are in a ring in shared memory, of which each
// lane reads what it copied.

#include "cuda/kernels/normalize/gradient_copies.cuh"
#include "cuda/kernels/normalize/gradient_sums.cuh"

namespace onefold::cuda {

template <class T, bool Centred>
class gradient_task : row_items<T> {
 public:
  ONEFOLD_DEVICE gradient_task(const gradient_launch& a, std::int64_t* shared)
      : a_(a), elements_(a.rows), lane_(threadIdx.x % a.lanes) {
    const gradient_space space(sizeof(T), a.lanes, blockDim.x, a.copies, Centred);
    weights_ = reinterpret_cast<real*>(shared);
    ring_ = shared + space.weights;
    sums_ = ring_ + space.ring;
    first_warp_ = threadIdx.x / a.lanes * (a.lanes / warp_lanes);
    words_ = sums_ + space.sums + threadIdx.x / warp_lanes * unsigned(dot_words<real>);
    first_ = blockIdx.y * width();
    count_ = int(min(width(), a.rows.n - first_));
  }

  /// Copies: rows of whole vectors come by the ring.
  template <bool Copies>
  ONEFOLD_DEVICE void run() {
    const std::int64_t groups = blockDim.x / a_.lanes, step = gridDim.x * groups,
                       block = blockIdx.x * groups;
    std::int64_t row = block + threadIdx.x / a_.lanes;
    const bool wants_dx = a_.rows.dx != nullptr && a_.strips == 1;
    ring_copies copies(ring_, own_vectors(elements_.x(row)), own_vectors(elements_.g(row)),
                       vectors_inside());
    if constexpr (Copies) {
      copies.pad(base::minus_zeros);
      copies.begin(a_, row < a_.rows.rows, step);
    }
    put_weights();
    // One axis: CUDA 13.0's compiler starts the sums of a second one as zeros, not as -0.
    sum columns[sums * slots];
    real special = 0;
    const quotient_bounds by = quotient_by(Centred ? a_.rows.n : 0);
    const unsigned shares = min(a_.lanes, warp_lanes);  // lanes that share factors of their rows
    real own_r = 0;
    double own_q = 0, own_mean = 0;
    unsigned turn = 0;
    ONEFOLD_ROLLED
    for (std::int64_t at = block; at < a_.rows.rows; at += step, row += step, ++turn) {
      if constexpr (Copies) {
        copies.begin(a_, row + step < a_.rows.rows, step);
        copies.wait();
      }
      const unsigned share = turn & (shares - 1);
      if (share == 0) find_factors(row + (lane_ & (shares - 1)) * step, own_r, own_q, own_mean);
      const int source = int((lane_index() & ~(shares - 1)) + share);
      const real r = __shfl_sync(whole_warp, own_r, source);
      const double q = __shfl_sync(whole_warp, own_q, source);
      const double mean = Centred ? __shfl_sync(whole_warp, own_mean, source) : 0;
      const bool there = row < a_.rows.rows;
      real a[vectors][items], d[vectors][items];  // d: of centred rows
      products dot;
      sum total;
      if (there) {
        ONEFOLD_UNROLL
        for (int i = 0; i < vectors; ++i) {
          real x[items];
          load_x<Copies>(copies, row, i, x);
          if constexpr (Copies)
            base::values(copies.load(1, i), a[i]);
          else
            load_elements(elements_.g(row), i, real(-0.0), a[i]);
          if constexpr (Centred) centre<Copies>(i, mean, x, d[i]);
          if (a_.rows.dweight != nullptr) add_columns(columns + i * items, x, a[i], r, special);
          if constexpr (Centred)
            if (a_.rows.dbias != nullptr) add_columns(columns + slots + i * items, a[i], special);
          weigh(i, a[i]);
          if (wants_dx) add_row(dot, total, a[i], x);
        }
      }
      if (wants_dx) {
        row_scales by_row = {r};
        const bool certified = find_scales(dot.total(), total, q, turn, by, by_row);
        if (there) write<Copies>(copies, row, a, d, by_row);
        if (!certified && there && lane_ == 0) left_rows()[atomicAdd(count_of_left(), 1u)] = row;
      }
    }
    write_sums(columns, special);
    if (wants_dx) finish_rows();
  }

 private:
  using base = row_items<T>;
  using base::items;
  using typename base::bits;
  using typename base::real;
  using sum_terms = gradient_terms<T>;
  using sum = typename sum_terms::sum;
  using products = row_products<T, Centred>;
  static constexpr int vectors = int(gradient_vectors(sizeof(T), Centred)), slots = vectors * items;
  static constexpr int sums = Centred ? 2 : 1;
  using ring_copies = gradient_copies<T, vectors>;
  // Terms of columns as row_products has x.
  static constexpr bool scaled_terms = Centred && sizeof(T) < 8;
  /// What a row's elements are scaled by, and what is subtracted from its gradients.
  struct row_scales {
    real r, c = 0, shift = 0;

    ONEFOLD_DEVICE real difference(real a, real x) const {
      return (Centred ? a - shift : a) * r - x * c;
    }
  };

  // Columns that the lanes of a row hold.
  ONEFOLD_DEVICE std::int64_t width() const { return std::int64_t(a_.lanes) * slots; }
  // The first element of this lane's vector i, from the strip's first.
  ONEFOLD_DEVICE int place(int i) const { return int(lane_ + unsigned(i) * a_.lanes) * items; }
  // How many of this lane's vectors are in a row.
  ONEFOLD_DEVICE int vectors_inside() const {
    int inside = 0;
    ONEFOLD_UNROLL
    for (int i = 0; i < vectors; ++i) inside += place(i) < count_;
    return inside;
  }
  ONEFOLD_DEVICE const T* own_vectors(const T* row) const { return row + first_ + place(0); }

  ONEFOLD_DEVICE void put_weights() const {
    ONEFOLD_UNROLL_BY_8
    for (unsigned i = threadIdx.x; i < a_.lanes * slots; i += blockDim.x)
      weights_[i] = int(i) < count_ ? elements_.weight(first_ + i) : real(1);
    if (threadIdx.x == 0) *count_of_left() = 0;
    __syncthreads();
  }
  ONEFOLD_DEVICE void find_factors(std::int64_t row, real& r, double& q, double& mean) const {
    const double inverse = row < a_.rows.rows ? a_.rows.inverse[row] : 0;
    if (Centred) mean = row < a_.rows.rows ? a_.rows.mean[row] : 0;
    r = real(inverse);
    q = scale_factor(inverse, a_.rows.n);
  }
  template <bool Copies>
  ONEFOLD_DEVICE void load_x(const ring_copies& copies, std::int64_t row, int i,
                             real (&x)[items]) const {
    if constexpr (Copies)
      base::values(copies.load(0, i), x);
    else
      load_elements(elements_.x(row), i, 0, x);
  }
  ONEFOLD_DEVICE void load_elements(const T* row, int i, real past, real (&to)[items]) const {
    const int at = place(i);
    ONEFOLD_UNROLL
    for (int j = 0; j < items; ++j)
      to[j] = at + j < count_ ? elements_.at(row, first_ + at + j) : past;
  }

  // The elements less the mean, also in `kept`. Past the end of a row they are +0.
  template <bool Copies>
  ONEFOLD_DEVICE void centre(int i, double mean, real (&x)[items], real (&kept)[items]) const {
    ONEFOLD_UNROLL
    for (int j = 0; j < items; ++j)
      x[j] = kept[j] = centred(x[j], place(i) + (Copies ? 0 : j) < count_ ? mean : 0.0);
  }

  ONEFOLD_DEVICE static void add_columns(sum* columns, const real (&x)[items],
                                         const real (&g)[items], real r, real& special) {
    real terms[items];
    ONEFOLD_UNROLL
    for (int j = 0; j < items; ++j) terms[j] = gradient_elements<T>::term(g[j], x[j], r);
    add_columns(columns, terms, special);
  }
  ONEFOLD_DEVICE static void add_columns(sum* columns, const real (&terms)[items], real& special) {
    ONEFOLD_UNROLL
    for (int j = 0; j < items; ++j)
      if constexpr (scaled_terms) {
        columns[j].add(scaled_down<true>(terms[j]));
        special = __fmaf_rn(terms[j], 0, special);
      } else {
        sum_terms::add(columns[j], terms[j]);
      }
  }
  ONEFOLD_DEVICE void weigh(int i, real (&g)[items]) const {
    const real* const w = weights_ + place(i);
    ONEFOLD_UNROLL
    for (int j = 0; j < items; ++j) g[j] *= w[j];
  }
  // Past the end of a row a and a x are -0.
  ONEFOLD_DEVICE static void add_row(products& dot, sum& total, const real (&a)[items],
                                     const real (&x)[items]) {
    ONEFOLD_UNROLL
    for (int j = 0; j < items; ++j) {
      dot.add(a[j], x[j]);
      if constexpr (Centred) sum_terms::add(total, a[j]);
    }
  }

  // c of the lane's row, and of centred rows what is subtracted, and whether both are certain.
  // Every lane of the block calls it.
  ONEFOLD_DEVICE bool find_scales(const sum& dot, const sum& total, double q, unsigned turn,
                                  const quotient_bounds& by, row_scales& found) const {
    const unsigned all = blockDim.x / warp_lanes;
    sum of_row[sums];
    of_row[0] = dot;
    if constexpr (Centred) of_row[1] = total;
    if (a_.lanes < warp_lanes) {
      for (sum& one : of_row) join_group(one, a_.lanes);
    } else {
      sum_terms::template join_warps<sums>(of_row,
                                           sums_ + 1 + (turn & 1) * (all * sum::parts * sums),
                                           first_warp_, a_.lanes / warp_lanes, all);
    }
    bool certified = products::scaled(of_row[0], q, found.c);
    if constexpr (Centred) certified &= sum_terms::mean(of_row[1], a_.rows.n, by, found.shift);
    return certified;
  }

  template <bool Copies>
  ONEFOLD_DEVICE void write(const ring_copies& copies, std::int64_t row,
                            const real (&a)[vectors][items], const real (&kept)[vectors][items],
                            const row_scales& by) const {
    bits* const to = static_cast<bits*>(a_.rows.dx) + row * a_.rows.n;
    ONEFOLD_UNROLL
    for (int i = 0; i < vectors; ++i) {
      real d[items];
      if constexpr (!Centred) load_x<Copies>(copies, row, i, d);
      ONEFOLD_UNROLL
      for (int j = 0; j < items; ++j) d[j] = by.difference(a[i][j], Centred ? kept[i][j] : d[j]);
      if constexpr (Copies) {
        const auto made = base::template packed<true>(d);
        if (place(i) < count_)
          write_once(reinterpret_cast<std::remove_const_t<decltype(made)>*>(to + place(i)), made);
      } else {
        ONEFOLD_UNROLL
        for (int j = 0; j < items; ++j)
          if (place(i) + j < count_) to[place(i) + j] = base::rounded(d[j]);
      }
    }
  }

  // Rows of which a sum is ambiguous are written again, a warp each.
  ONEFOLD_DEVICE unsigned* count_of_left() const { return reinterpret_cast<unsigned*>(sums_); }
  ONEFOLD_DEVICE std::int64_t* left_rows() const {
    return a_.ambiguous + blockIdx.x * a_.rows_of_block();
  }
  ONEFOLD_DEVICE void finish_rows() const {
    __syncthreads();
    const unsigned left = *count_of_left(), warps = blockDim.x / warp_lanes;
    ONEFOLD_ROLLED
    for (unsigned i = threadIdx.x / warp_lanes; i < left; i += warps) {
      const std::int64_t row = left_rows()[i];
      const double r = a_.rows.inverse[row];
      row_scales by = {real(r)};
      by.c = real(exact_dot<T>(a_.rows, row, false, words_) * scale_factor(r, a_.rows.n));
      if constexpr (Centred)
        by.shift = real(exact_dot<T>(a_.rows, row, true, words_) / double(a_.rows.n));
      const T* const g = elements_.g(row);
      bits* const to = static_cast<bits*>(a_.rows.dx) + row * a_.rows.n;
      ONEFOLD_ROLLED
      for (std::int64_t at = lane_index(); at < a_.rows.n; at += warp_lanes)
        to[at] = base::rounded(
            by.difference(elements_.at(g, at) * elements_.weight(at), elements_.own(row, at)));
    }
  }

  ONEFOLD_DEVICE void write_sums(sum (&columns)[sums * slots], real special) const {
    if constexpr (scaled_terms) {
      ONEFOLD_UNROLL
      for (int k = 0; k < sums * slots; ++k) {
        sum& one = columns[k];
        one.u *= 0x1p896, one.minus_d *= 0x1p896;
        // Ambiguous, but where all terms are -0, which exact sums do not find.
        const bool minus_zero = __double_as_longlong(one.u) == std::int64_t(1) << 63;
        if (special != 0 && !minus_zero) one.u = __longlong_as_double(0x7FF8000000000000);
      }
    }
    if (a_.rows.dweight != nullptr) write_columns(columns, a_.partials);
    if constexpr (Centred)
      if (a_.rows.dbias != nullptr)
        write_columns(columns + slots, a_.partials + a_.partials_words());
  }
  // Those of all rows of the block, in the order of the lanes.
  ONEFOLD_DEVICE void write_columns(sum* columns, std::int64_t* partials) const {
    const unsigned apart = max(a_.lanes, warp_lanes);
    std::int64_t* const to =
        partials + (std::int64_t(blockIdx.y) * gridDim.x + blockIdx.x) * (sum::parts * width());
    if (blockDim.x == a_.lanes) {
      ONEFOLD_UNROLL
      for (int k = 0; k < slots; ++k) write_sum(columns[k], to + k * a_.lanes + lane_, width());
      return;
    }
    wait_for_copies<0>();
    __syncthreads();
    ONEFOLD_UNROLL
    for (int k = 0; k < slots; ++k) {
      ONEFOLD_ROLLED
      for (unsigned mask = a_.lanes; mask < warp_lanes; mask *= 2)
        columns[k].join(sum_across(columns[k], int(mask)));
      write_sum(columns[k], ring_ + k * sum::parts * blockDim.x + threadIdx.x, blockDim.x);
    }
    __syncthreads();
    ONEFOLD_ROLLED
    for (unsigned k = threadIdx.x; k < a_.lanes * slots; k += blockDim.x) {
      const std::int64_t* const from =
          ring_ + k / a_.lanes * sum::parts * blockDim.x + k % a_.lanes;
      sum total = read_sum<sum>(from, blockDim.x);
      ONEFOLD_UNROLL_BY_4
      for (unsigned t = apart; t < blockDim.x; t += apart)
        total.join(read_sum<sum>(from + t, blockDim.x));
      write_sum(total, to + k, width());
    }
  }

  const gradient_launch& a_;
  gradient_elements<T> elements_;
  unsigned lane_;        // of the row
  unsigned first_warp_;  // of the row
  real* weights_;
  std::int64_t *ring_, *sums_, *words_;
  std::int64_t first_;  // column of the strip
  int count_;           // its columns
};

/// Shape:  a launch of gradient_launch_of; dynamic shared memory: gradient_space<T>.
/// Error:  as docs/numerics/rms-norm.md says; each step is correctly rounded.
/// Order:  none: the same bits for every batch and grid.
template <class T, bool Centred>
__global__ void __launch_bounds__(gradient_lanes, 1)
    gradient_kernel(ONEFOLD_KERNEL_ARGUMENT gradient_launch a) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  if (a.copies)
    gradient_task<T, Centred>(a, shared).template run<true>();
  else
    gradient_task<T, Centred>(a, shared).template run<false>();
}

}  // namespace onefold::cuda
