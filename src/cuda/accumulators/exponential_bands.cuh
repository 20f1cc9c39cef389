// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exponentials summed up exactly by a warp, which reads their elements twice: for what they are and
// the band of the largest one, and for the sums of that band and of the next lower one.

#include "cuda/accumulators/carry.cuh"
#include "cuda/accumulators/cascade.cuh"
#include "cuda/primitives/exponential.cuh"
#include "cuda/rounding/epilogue.cuh"
#include "state/exponential_value.hpp"

namespace onefold::cuda {

/// Where the words of an exponential_sum are, in the order of its for_each_word.
namespace exponential_words {
inline constexpr int count = 0, nans = 1, infinities = 2, negative_infinities = 3, patterns = 4,
                     band = 5, top = 6, below = top + detail::band_sum::words;
inline constexpr int all = below + detail::band_sum::words;
static_assert(all == detail::exponential_sum<float>::words);
}  // namespace exponential_words

/// The words of a warp in shared memory, and what rounds them.
inline constexpr unsigned exponential_space_words =
    exponential_words::all + finish_space_words<detail::exponential_sum<double>>;

/// What the first reading finds: counts in the first words of a state, and the largest finite
/// element, or -Inf.
template <class Wide>
struct exponential_survey {
  using bits = typename detail::float_format<Wide>::bits;
  std::int64_t counts[exponential_words::band] = {};
  Wide largest = -Wide(INFINITY);

  ONEFOLD_DEVICE void add(Wide x) {
    ++counts[exponential_words::count];
    if (x - x == 0) {
      counts[exponential_words::patterns] += std::int64_t(detail::to_bits(x));
      largest = x > largest ? x : largest;
    } else {
      counts[exponential_words::nans] += x != x;
      counts[exponential_words::infinities] += x > 0;
      counts[exponential_words::negative_infinities] += x < 0;
    }
  }
  /// Those of all lanes, in each of them.
  ONEFOLD_DEVICE void fold() {
    ONEFOLD_UNROLL
    for (std::int64_t& each : counts)
      each = std::int64_t(warp_add(static_cast<std::uint64_t>(each)));
    ONEFOLD_ROLLED
    for (unsigned step = 1; step < warp_lanes; step *= 2) {
      const Wide other = __shfl_xor_sync(whole_warp, largest, int(step));
      largest = other > largest ? other : largest;
    }
  }
  ONEFOLD_DEVICE std::int64_t finite() const {
    return counts[exponential_words::count] - counts[exponential_words::nans] -
           counts[exponential_words::infinities] - counts[exponential_words::negative_infinities];
  }
};

/// What a warp reads: read(r, x) writes element r of some to x; false: it is masked out. Wide:
/// float or double.
template <class Wide, class Read>
struct exponential_elements {
  std::int64_t first, last;
  Read read;
};

template <class Wide, class Read>
ONEFOLD_DEVICE exponential_survey<Wide>
survey_of(const exponential_elements<Wide, Read>& elements) {
  exponential_survey<Wide> found;
  ONEFOLD_UNROLL_BY_4
  for (std::int64_t r = elements.first + lane_index(); r < elements.last; r += warp_lanes) {
    Wide x;
    if (elements.read(r, x)) found.add(x);
  }
  found.fold();
  return found;
}

/// The sum of a band's exponentials, and how many they are, in the words of a band_sum.
class band_digits {
 public:
  /// words: shared memory of this warp.
  ONEFOLD_DEVICE explicit band_digits(std::int64_t* words) : words_(words), digits_(words + 1) {
    digits_.clear();
  }

  /// Adds the terms of all lanes, of which those of other bands are 0.
  ONEFOLD_DEVICE void add(double (&terms)[chunk_terms]) {
    int count = 0;
    ONEFOLD_UNROLL
    for (const double each : terms) count += each != 0;
    if (!any_lane(count > 0)) return;
    count_ += count;
    add_by_windows<detail::band_sum::lsb>(terms, 0, digits_);
    if (++chunks_ % chunks_between_carries == 0) digits_.carry();
  }
  ONEFOLD_DEVICE void finish() {
    carry_digits<detail::band_sum::limbs>(words_ + 1);
    const auto all = std::int64_t(warp_add(static_cast<std::uint64_t>(count_)));
    if (lane_index() == 0) words_[0] = all;
    __syncwarp();
  }

 private:
  // A chunk makes fewer than 2^9 deposits, and digits have room for 2^30.
  static constexpr std::uint32_t chunks_between_carries = 1u << 20;

  std::int64_t* words_;
  warp_digits<detail::band_sum::limbs, detail::band_sum::limbs> digits_;
  std::int64_t count_ = 0;
  std::uint32_t chunks_ = 0;
};

/// Writes the sums of a band and of the next lower one to the words of a state.
template <class Wide, class Read>
ONEFOLD_DEVICE void write_bands(const exponential_elements<Wide, Read>& elements, Wide band,
                                std::int64_t* words) {
  // Neighbouring bands of less than 2^52 are doubles; those of floats from 2^24 on are not.
  const bool has_below = double(band) < 0x1p52 && double(band) > -0x1p52;
  band_digits top(words + exponential_words::top), below(words + exponential_words::below);
  constexpr std::int64_t step = chunk_terms * warp_lanes;
  ONEFOLD_ROLLED
  for (std::int64_t base = elements.first; base < elements.last; base += step) {
    double upper[chunk_terms], lower[chunk_terms];
    ONEFOLD_UNROLL
    for (int i = 0; i < chunk_terms; ++i) {
      const std::int64_t r = base + i * std::int64_t(warp_lanes) + lane_index();
      Wide x;
      const bool finite = r < elements.last && elements.read(r, x) && x - x == 0;
      const auto [own, rest] = detail::banded_of(finite ? x : Wide(0));
      const double term = exponential_of(rest);
      upper[i] = finite && own == band ? term : 0;
      lower[i] = finite && has_below && double(own) == double(band) - 1 ? term : 0;
    }
    top.add(upper);
    below.add(lower);
  }
  top.finish(), below.finish();
}

/// Writes the words of the state of all, carried, to shared memory of the warp.
template <class Wide, class Read>
ONEFOLD_DEVICE void write_exponential_sum(const exponential_elements<Wide, Read>& elements,
                                          std::int64_t* words) {
  const exponential_survey<Wide> found = survey_of(elements);
  const bool any = found.finite() > 0;
  const Wide band = any ? detail::banded_of(found.largest).band : Wide(0);
  __syncwarp();
  for (unsigned i = lane_index(); i < unsigned(exponential_words::all); i += warp_lanes)
    words[i] = 0;
  __syncwarp();
  if (lane_index() == 0) {
    ONEFOLD_UNROLL
    for (int i = 0; i < exponential_words::band; ++i) words[i] = found.counts[i];
    words[exponential_words::band] = std::int64_t(detail::to_bits(double(band)));
  }
  if (any) write_bands(elements, band, words);
  __syncwarp();
}

}  // namespace onefold::cuda
