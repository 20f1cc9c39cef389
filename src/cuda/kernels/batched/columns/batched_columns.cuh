// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of columns: neighbours in memory belong to different answers.
//
// Columns are counted in vectors of up to 16 bytes, through all of x[outer]. A block has `across`
// lanes, a vector each, times `down` lanes, which take every down-th row of a band: of some rows of
// one block of rows, or of all rows of some blocks. Lanes of one vector meet in shared memory,
// bands in the workspace.
//
// Rows that are no whole vectors, of 2 or of 1001 columns, are read `merged` at a time, as one row
// of so many times the columns: each of its columns is then a part of an answer.

#include "cuda/accumulators/bool_bytes.cuh"
#include "cuda/kernels/batched/batched_answers.cuh"
#include "cuda/kernels/batched/columns/columns_shape.hpp"
#include "cuda/primitives/tile_ways.cuh"

namespace onefold::cuda {

struct columns_arguments {
  batched_arguments batch;
  column_places places;
  unsigned across, down;    ///< lanes: across * down <= blockDim.x
  bool aligned;             ///< every vector is whole and at a multiple of 16 bytes
  int merged = 1;           ///< rows read as one; batch.parts are so many of each band
  std::int64_t cuts = 1;    ///< bands of a block of rows
  std::int64_t blocks = 1;  ///< of rows, of a band but the last; 1 where a block has several bands

  ONEFOLD_DEVICE std::int64_t row_items() const { return batch.inner * merged; }
  ONEFOLD_DEVICE std::int64_t row_apart() const { return places.row * merged; }
  ONEFOLD_DEVICE std::int64_t rows() const { return batch.n / merged; }
  ONEFOLD_DEVICE std::int64_t bands() const { return batch.parts / merged; }
  /// Elements after the last whole row, of an index of outer.
  ONEFOLD_DEVICE std::int64_t rest() const { return batch.n % merged * batch.inner; }
};

/// Words of shared memory in which the lanes of a block meet.
template <class Terms>
ONEFOLD_HOST_DEVICE constexpr std::size_t columns_shared_words(unsigned across, unsigned down) {
  return std::size_t(down / 2) * across * vector_items<typename Terms::element> * Terms::sum::parts;
}

template <class Terms>
inline constexpr bool adds_bytes = false;
template <accumulator Accumulator, class T>
inline constexpr bool adds_bytes<batched_integers<Accumulator, T>> = sizeof(T) == 1;

/// A vector of a row after the other. close() comes before anybody reads the sums.
template <class Terms, bool Bytes = adds_bytes<Terms>>
class column_sums {
 public:
  using T = typename Terms::element;
  static constexpr int items = vector_items<T>;
  typename Terms::sum sums[items];

  ONEFOLD_DEVICE void add(const vector_of<T>& v) {
    add(v, std::make_integer_sequence<int, items>());
  }
  /// The first `count` columns alone.
  ONEFOLD_DEVICE void add_first(const vector_of<T>& v, int count) {
    add_first(v, count, std::make_integer_sequence<int, items>());
  }
  ONEFOLD_DEVICE void close() {}

 private:
  template <int... I>
  ONEFOLD_DEVICE void add(const vector_of<T>& v, std::integer_sequence<int, I...>) {
    (Terms::add(sums[I], bits_in<T, I>(v)), ...);
  }
  template <int... I>
  ONEFOLD_DEVICE void add_first(const vector_of<T>& v, int count,
                                std::integer_sequence<int, I...>) {
    ((I < count ? Terms::add(sums[I], bits_in<T, I>(v)) : void()), ...);
  }
};

/// Of bytes: two columns in the halves of a word, which hold 256 rows. One by one, each byte would
/// cost three instructions, twice what there is time for.
template <class Terms>
class column_sums<Terms, true> : public column_sums<Terms, false> {
 public:
  ONEFOLD_DEVICE void add(const uint4& v) {
    const std::uint32_t words[4] = {v.x, v.y, v.z, v.w};
    ONEFOLD_UNROLL
    for (int w = 0; w < 4; ++w) {
      const std::uint32_t terms = terms_of(words[w]);
      even_[w] += terms & 0x00FF00FF;
      odd_[w] += terms >> 8 & 0x00FF00FF;
    }
    if (++rows_ == most_rows) close();
  }
  ONEFOLD_DEVICE void close() {
    ONEFOLD_UNROLL
    for (int i = 0; i < 16; ++i) {
      const std::uint32_t pair = i % 2 == 0 ? even_[i / 4] : odd_[i / 4];
      const std::uint32_t half = i % 4 < 2 ? pair & 0xFFFF : pair >> 16;
      this->sums[i].counts[0] += std::int64_t(half) - bias * rows_;
    }
    ONEFOLD_UNROLL
    for (int w = 0; w < 4; ++w) even_[w] = odd_[w] = 0;
    rows_ = 0;
  }

 private:
  static constexpr bool below_zero = Terms::traits::is_signed;
  static constexpr int most_rows = 256;  // 256 * 255 < 2^16
  static constexpr std::int64_t bias = below_zero ? 128 : 0;

  // Not below zero: x + 128 of a signed byte x.
  ONEFOLD_DEVICE static std::uint32_t terms_of(std::uint32_t bytes) {
    if constexpr (std::is_same_v<typename Terms::element, bool_byte>) return bool_bytes_of(bytes);
    return below_zero ? bytes ^ 0x80808080 : bytes;
  }

  std::uint32_t even_[4] = {}, odd_[4] = {};
  int rows_ = 0;
};

template <class Terms>
class column_vector {
 public:
  using T = typename Terms::element;
  using sum = typename Terms::sum;
  static constexpr int items = vector_items<T>;
  static constexpr int loads = 4;  // independent, of a lane
  /// Of vectors whose elements are loads of their own: 16 of these are on their way.
  static constexpr int far_loads = items < 4 ? 4 : 16 / items;

  /// Vector `index` of all. Past the last one: nothing.
  ONEFOLD_DEVICE column_vector(const columns_arguments& a, std::int64_t index) : a_(a) {
    const std::int64_t across = (a.row_items() + items - 1) / items;
    outer_ = index / across, column_ = (index - outer_ * across) * items;
    count_ = outer_ < a.batch.outer ? int(min(std::int64_t(items), a.row_items() - column_)) : 0;
    first_ = static_cast<const T*>(a.batch.x) + (a.places.of_outer(outer_) + column_ * apart());
  }

  /// Adds rows begin, begin + down, … below end of a block of rows.
  ONEFOLD_DEVICE void take(std::int64_t block, std::int64_t begin, std::int64_t end) {
    if (count_ == 0 || begin >= end) return;
    const T* const at = first_ + (block * a_.places.across + begin * a_.row_apart());
    const std::int64_t apart = a_.down * a_.row_apart(), rows = (end - begin - 1) / a_.down + 1;
    if (a_.aligned)
      take_rows(at, apart, rows, [](const T* from) { return load_items(from); });
    else if (this->apart() == 1)
      take_some<loads>(at, apart, rows, [this](const T* from) { return load(from, count_); });
    else
      take_some<far_loads>(at, apart, rows,
                           [this](const T* from) { return load_far(from, count_, this->apart()); });
    columns_.close();
  }

  /// Adds what is after the last whole row.
  ONEFOLD_DEVICE void take_rest() {
    const int left = int(max(std::int64_t(0), min(a_.rest() - column_, std::int64_t(count_))));
    if (left > 0) columns_.add_first(load(first_ + a_.rows() * a_.row_apart(), left), left);
  }

  /// f(answer, sum) of each of its columns, where rows are read one by one. One by one, from local
  /// memory: as in write().
  template <class F>
  ONEFOLD_DEVICE void for_each(const F& f) const {
    sum staged[items];
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) staged[i] = columns_.sums[i];
    ONEFOLD_ROLLED
    for (int i = 0; i < count_; ++i) f(outer_ * a_.batch.inner + column_ + i, staged[i]);
  }

  /// Joins the sums of the lanes of this vector; those of `down` 0 have them all. Every lane of the
  /// block calls it.
  ONEFOLD_DEVICE void join(unsigned lane, unsigned place, std::int64_t* shared) {
    ONEFOLD_ROLLED
    for (unsigned left = a_.down; left > 1;) {
      const unsigned half = (left + 1) / 2, others = left - half;
      const std::int64_t apart = std::int64_t(others) * a_.across;
      const bool gives = half <= place && place < left, takes = place < others;
      std::int64_t* const at = shared + (gives ? place - half : place) * a_.across + lane;
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i)
        if (gives) write_sum(columns_.sums[i], at + i * sum::parts * apart, apart);
      __syncthreads();
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i)
        if (takes) columns_.sums[i].join(read_sum<sum>(at + i * sum::parts * apart, apart));
      __syncthreads();
      left = half;
    }
  }

  /// Every lane of the warp calls it; those that have nothing to say, with `speaks` false. One by
  /// one, from local memory: unrolled, the code of the answers would be the most of the kernel.
  ONEFOLD_DEVICE void write(bool speaks, std::int64_t band, std::int64_t* words) const {
    const std::int64_t answers = a_.batch.answers();
    sum staged[items];
    ONEFOLD_UNROLL
    for (int i = 0; i < items; ++i) staged[i] = columns_.sums[i];
    ONEFOLD_ROLLED
    for (int i = 0; i < items; ++i) {
      const bool here = speaks && i < count_;
      const std::int64_t column = column_ + i, row = a_.merged > 1 ? column / a_.batch.inner : 0;
      const std::int64_t answer = outer_ * a_.batch.inner + column - row * a_.batch.inner;
      if (a_.batch.parts == 1)
        write_answers<Terms>(a_.batch, column_elements{a_.batch, a_.places}, staged[i],
                             here ? answer : -1, words);
      else if (here)
        write_sum(staged[i], a_.batch.partials + ((band * a_.merged + row) * answers + answer),
                  answers * a_.batch.parts);
    }
  }

 private:
  using vectors = vector_of<T>[loads];

  // Whole groups of rows without a condition, by double buffering.
  template <class Load>
  ONEFOLD_DEVICE void take_rows(const T* at, std::int64_t apart, std::int64_t rows,
                                const Load& load) {
    struct group {
      vectors v;
    };
    const std::int64_t whole = rows / loads * loads;
    if (whole > 0)
      take_turns<group>(
          0, whole, loads,
          [&](std::int64_t row, group& to) {
            const T* const from = at + row * apart;
            ONEFOLD_UNROLL
            for (int i = 0; i < loads; ++i) to.v[i] = load(from + i * apart);
          },
          [&](std::int64_t, const group& group) {
            ONEFOLD_UNROLL
            for (int i = 0; i < loads; ++i) columns_.add(group.v[i]);
            return true;
          });
    take_some<loads>(at + whole * apart, apart, rows - whole, load);
  }
  template <int Rows, class Load>
  ONEFOLD_DEVICE void take_some(const T* at, std::int64_t apart, std::int64_t rows,
                                const Load& load) {
    ONEFOLD_ROLLED
    for (; rows > 0; rows -= Rows, at += Rows * apart) {
      vector_of<T> v[Rows];
      ONEFOLD_UNROLL
      for (int i = 0; i < Rows; ++i)
        if (i < rows) v[i] = load(at + i * apart);
      ONEFOLD_UNROLL
      for (int i = 0; i < Rows; ++i)
        if (i < rows) columns_.add(v[i]);
    }
  }

  // Of a column to the next.
  ONEFOLD_DEVICE std::int64_t apart() const { return a_.places.inner; }
  ONEFOLD_DEVICE static vector_of<T> load(const T* at, int count) {
    return count == items ? load_elements(at) : load_far(at, count, 1);
  }
  ONEFOLD_DEVICE static vector_of<T> load_far(const T* at, int count, std::int64_t apart) {
    if constexpr (sizeof(T) == 8) {
      return {bits_at(at), count == items ? bits_at(at + apart) : 0};
    } else {
      std::uint32_t words[4] = {0, 0, 0, 0};
      ONEFOLD_UNROLL
      for (int i = 0; i < items; ++i) {
        const int byte = i * int(sizeof(T));
        if (i < count) words[byte / 4] |= std::uint32_t(bits_at(at + i * apart)) << 8 * (byte % 4);
      }
      return make_uint4(words[0], words[1], words[2], words[3]);
    }
  }

  const columns_arguments& a_;
  const T* first_;
  std::int64_t outer_, column_;
  int count_;  // columns of this vector
  column_sums<Terms> columns_;
};

/// What a block of batched_columns does.
template <class Terms>
ONEFOLD_DEVICE void take_columns(const columns_arguments& a, std::int64_t* shared) {
  std::int64_t* const words = shared + columns_shared_words<Terms>(a.across, a.down) +
                              threadIdx.x / warp_lanes * Terms::digits;
  constexpr int items = vector_items<typename Terms::element>;
  const unsigned lane = threadIdx.x % a.across, place = threadIdx.x / a.across;
  const std::int64_t vectors = (a.row_items() + items - 1) / items * a.batch.outer;
  const std::int64_t tiles = (vectors + a.across - 1) / a.across, bands = a.bands();
  ONEFOLD_ROLLED
  for (std::int64_t task = blockIdx.x; task < tiles * bands; task += gridDim.x) {
    const std::int64_t tile = task / bands, band = task - tile * bands;
    const std::int64_t first = band / a.cuts * a.blocks, begin = band % a.cuts * a.batch.part;
    const std::int64_t last = min(first + a.blocks, a.batch.across),
                       end = min(begin + a.batch.part, a.rows());
    column_vector<Terms> vector(a, tile * a.across + lane);
    ONEFOLD_ROLLED
    for (std::int64_t block = first; place < a.down && block < last; ++block)
      vector.take(block, begin + place, end);
    if (place == 0 && band + 1 == bands) vector.take_rest();
    vector.join(lane, place, shared);
    vector.write(place == 0, band, words);
  }
}

/// Shape:  x[across][outer][n][inner] of any steps, aligned to its elements;
///         out[outer][inner]; blocks of across * down lanes, rounded up to a multiple of 32; any
///         grid; dynamic shared memory for columns_shared_words, and for Terms::digits words of 64
///         bits a warp.
/// Error:  none: answers are rounded once.
/// Order:  none: the same bits in every run, grid and shape of the block.
template <class Terms>
__global__ void __launch_bounds__(columns_threads, column_blocks)
    batched_columns(columns_arguments a) {
  ONEFOLD_DYNAMIC_SHARED(std::int64_t, shared);
  take_columns<Terms>(a, shared);
}

}  // namespace onefold::cuda
