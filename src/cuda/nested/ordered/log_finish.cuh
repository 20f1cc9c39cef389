// SPDX-License-Identifier: Apache-2.0
#pragma once
// Logarithms of sums of exponentials, by the operations of detail/log_sum.hpp, so with
// the CPU's bits.

#include "cuda/nested/finish.cuh"
#include "cuda/nested/nested.hpp"
#include "cuda/parts/exponential.cuh"
#include "cuda/parts/lanes.cuh"
#include "cuda/parts/warp.cuh"
#include "onefold/detail/scaled_pair.hpp"
#include "state/shifted_sum.hpp"

namespace onefold::cuda {

/// log_sum::logarithm.
ONEFOLD_DEVICE detail::scaled_pair logarithm_of(double shift, double sum, double low) {
  const int field = int(detail::to_bits(sum) >> detail::float_format<double>::fraction_bits);
  double y = double(field - 1023) * exponential::log_of_2, rest = 0;
  ONEFOLD_ROLLED
  for (int step = 0; step < 7; ++step) {
    y = y + rest;
    const double inverse = exponential_of(-y);
    rest = fma(sum, inverse, -1.0) + low * inverse;
  }
  const exponential::double_word both = exponential::exact_sum(shift, y);
  const exponential::double_word result = exponential::exact_sum(both.high, both.low + rest);
  return {result.high, result.low};
}

/// What is left of an answer's elements.
struct log_sum_parts {
  std::int64_t nans = 0;
  double shift = 0, sum = 0;
  bool infinite = false;
  double low = 0;  ///< of the sum
};

template <class Out>
ONEFOLD_DEVICE void write_logarithm(const log_sum_parts& of, bool omits_nans, void* to) {
  using format = detail::float_format<Out>;
  using bits = typename format::bits;
  if (of.nans > 0 && !omits_nans)
    store(to, bits(format::quiet_nan));
  else if (of.infinite)
    store(to, bits(format::infinity));
  else if (of.sum == 0)
    store(to, bits(format::infinity | format::sign_bit));
  else
    store(to, detail::to_bits(detail::rounded<Out>(logarithm_of(of.shift, of.sum, of.low))));
}

/// Writes an answer. Precondition: the parts are without the NaNs.
ONEFOLD_COLD inline void finish_parts(const log_sum_parts& of, const finish_list& list,
                                      std::int64_t k) {
  if (list.nan == nan_policy::error && of.nans > 0)
    return report_of_many(status_code::not_a_number, list);
  const bool omits = list.nan == nan_policy::omit;
  ONEFOLD_ROLLED
  for (int i = 0; i < list.size; ++i) {
    const finish_item& asked = list.answers[i];
    void* const to = place_of_answer(asked, k);
    if (asked.type == dtype::f32)
      write_logarithm<float>(of, omits, to);
    else if (asked.type == dtype::f64)
      write_logarithm<double>(of, omits, to);
    else if (asked.type == dtype::f16)
      write_logarithm<f16>(of, omits, to);
    else
      write_logarithm<bf16>(of, omits, to);
  }
}

/// Results that wait until each lane of a warp has one: a lane takes as long for one as 32 for 32.
/// write(result, k) writes answer k. Lanes: so many neighbours have the same result. Every lane of
/// the warp calls every member.
template <class Result, class Write>
class held_answers {
 public:
  ONEFOLD_DEVICE explicit held_answers(const Write& write) : write_(write) {}

  /// Of no answer if k < 0.
  template <int Lanes = int(warp_lanes)>
  ONEFOLD_DEVICE void take(const Result& next, std::int64_t k) {
    if (int(lane_index()) % Lanes == count_) mine_ = next, k_ = k;
    if (++count_ == Lanes) finish<Lanes>();
  }
  template <int Lanes = int(warp_lanes)>
  ONEFOLD_DEVICE void finish() {
    if (int(lane_index()) % Lanes < count_ && k_ >= 0) write_(mine_, k_);
    __syncwarp();
    count_ = 0;
  }

 private:
  Write write_;
  Result mine_ = {};
  std::int64_t k_ = -1;
  int count_ = 0;
};

struct log_sum_writer {
  const finish_list& list;

  ONEFOLD_DEVICE void operator()(const log_sum_parts& of, std::int64_t k) const {
    finish_parts(of, list, k);
  }
};
using held_log_sums = held_answers<log_sum_parts, log_sum_writer>;

/// The words of log_sum_chunks, and after them how many elements the chunk has.
ONEFOLD_DEVICE void write_chunk_words(const log_sum_parts& of, std::int64_t count,
                                      std::int64_t* to) {
  to[0] = word_of_number(of.shift), to[1] = word_of_number(of.sum);
  to[2] = of.nans, to[3] = of.infinite, to[4] = count;
}

/// Chunk k of a request: an answer, or words. Every lane of the warp calls it.
ONEFOLD_DEVICE void write_chunk(const nested_request& of, const log_sum_parts& found,
                                std::int64_t count, std::int64_t k, std::int64_t* words,
                                held_log_sums& held) {
  if (of.finish.size > 0)
    held.take(found, of.first_output + k);
  else if (lane_index() == 0)
    write_chunk_words(found, count, words + k * of.state_words);
}

}  // namespace onefold::cuda
