// SPDX-License-Identifier: Apache-2.0
// Entry points of the kernels that exchange extrema: words of which ranks take the maximum
// (docs/numerics/additive.md, section 5).
#pragma once

#include <cstdint>

#include "cuda/rounding/epilogue_outputs.hpp"
#include "onefold/detail/extrema.hpp"
#include "onefold/dtype.hpp"
#include "state/total_order.hpp"

namespace onefold::cuda {

/// The extrema of many answers, of one rank.
struct extrema_request {
  dtype input = dtype::f64;
  std::int64_t signature = 0;  ///< of operator and type, as in additive words
  std::int64_t answers = 1;
  int ranks = 1, rank = 0;
  bool positions = false;  ///< argmin or argmax is among the operators
  finish_list finish;      ///< places of answer 0, and those of answer k after them
};

/// What ranks exchange, and the merged states of this rank's pieces.
struct extrema_words {
  detail::extrema* merged;  ///< [answers], this rank's own
  std::int64_t* keys;       ///< key_words: to be combined by the maximum first
  std::int64_t* positions;  ///< position_words: then these, if they are asked for
};

/// The elements of each rank; then, of each answer: signature, ~signature, ~least, largest, whether
/// there are elements that are not NaN, and whether there are NaNs.
inline constexpr int words_of_extrema = 6;
/// Of each answer ~position: of the least, the largest, the first NaN.
inline constexpr int words_of_positions = 3;

constexpr std::int64_t key_words(const extrema_request& request) {
  return request.ranks + request.answers * words_of_extrema;
}
constexpr std::int64_t position_words(const extrema_request& request) {
  return request.positions ? request.answers * words_of_positions : 0;
}

/// The words of answer k, from the state of this rank's elements.
ONEFOLD_HOST_DEVICE inline void write_key_words(const extrema_request& request,
                                                const detail::extrema& own, std::int64_t k,
                                                std::int64_t* all_keys) {
  for (int rank = 0; k == 0 && rank < request.ranks; ++rank)
    all_keys[rank] = rank == request.rank ? own.count() : 0;
  const bool some = !own.empty(true), floating = request.input >= dtype::f16;
  std::int64_t* const keys = all_keys + request.ranks + k * words_of_extrema;
  keys[0] = request.signature, keys[1] = ~request.signature;
  keys[2] = some ? ~total_order(own.least(), floating) : no_extremum;
  keys[3] = some ? total_order(own.largest(), floating) : no_extremum;
  keys[4] = some, keys[5] = own.nan_count() > 0;
}

/// The positions that answer k may have, from the maximum of the keys.
ONEFOLD_HOST_DEVICE inline void write_position_words(const extrema_request& request,
                                                     const detail::extrema& own, std::int64_t k,
                                                     const std::int64_t* all_keys,
                                                     std::int64_t* all_positions) {
  std::int64_t before = request.finish.first_index;
  for (int rank = 0; rank < request.rank; ++rank) before += all_keys[rank];
  const std::int64_t* const keys = all_keys + request.ranks + k * words_of_extrema;
  const bool some = !own.empty(true), floating = request.input >= dtype::f16;
  const bool least = some && own.least().key == from_total_order(~keys[2], 0, floating).key;
  const bool largest = some && own.largest().key == from_total_order(keys[3], 0, floating).key;
  std::int64_t* const to = all_positions + k * words_of_positions;
  to[0] = least ? ~(own.least().index + before) : no_extremum;
  to[1] = largest ? ~(own.largest().index + before) : no_extremum;
  to[2] = own.nan_count() > 0 ? ~(own.argmin(false) + before) : no_extremum;
}

/// Whether all ranks wrote this request's signature.
ONEFOLD_HOST_DEVICE inline bool is_of_request(const extrema_request& request, std::int64_t k,
                                              const std::int64_t* all_keys) {
  const std::int64_t* const keys = all_keys + request.ranks + k * words_of_extrema;
  return keys[0] == request.signature && keys[1] == ~request.signature;
}

/// The state of answer k over all ranks, but that it counts one element where there are several.
ONEFOLD_HOST_DEVICE inline detail::extrema
combined_extrema(const extrema_request& request, std::int64_t k, const extrema_words& in) {
  const bool floating = request.input >= dtype::f16;
  const std::int64_t* const keys = in.keys + request.ranks + k * words_of_extrema;
  std::int64_t at[words_of_positions] = {};
  for (int i = 0; request.positions && i < words_of_positions; ++i)
    at[i] = ~in.positions[k * words_of_positions + i];
  detail::extrema made;
  if (keys[5] != 0) made.note_nans(1, at[2]);
  if (keys[4] != 0)
    made.note_values(1, from_total_order(~keys[2], at[0], floating),
                     from_total_order(keys[3], at[1], floating));
  return made;
}

/// Enqueues a kernel that merges words[answers][pieces][extrema::words] and writes to.merged and
/// to.keys. Null words: of states without elements. Returns a cudaError_t as int; 0 is success.
int launch_write_extrema_keys(const extrema_request& request, const std::int64_t* words,
                              std::int64_t pieces, const extrema_words& to, void* stream);

/// Enqueues a kernel that writes in.positions, from the maximum of the keys: positions count over
/// the ranks, from finish.first_index. Returns as above.
int launch_write_extrema_positions(const extrema_request& request, const extrema_words& in,
                                   void* stream);

/// Enqueues a kernel that writes the answers that the request lists, from the maxima.
/// finish.status, which holds 0, gets the code of an answer that is not written; mismatch where the
/// ranks' signatures differ. Floats are NaN then. Returns as above.
int launch_round_extrema(const extrema_request& request, const extrema_words& in, void* stream);

}  // namespace onefold::cuda
