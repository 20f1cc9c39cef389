// SPDX-License-Identifier: Apache-2.0
// Entry points of the strided kernels: several answers, elements that lie anywhere, masks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuda/kernels/whole/whole.hpp"
#include "cuda/primitives/element_kind.hpp"
#include "cuda/rounding/epilogue_outputs.hpp"
#include "onefold/accuracy.hpp"
#include "onefold/array_view.hpp"

namespace onefold::cuda {

struct nest_axis {
  std::int64_t extent;
  std::int64_t x_bytes, y_bytes, mask_bytes;  ///< from one index to the next
};

/// The kept axes and after them the reduced ones, each outermost first: no plan has more.
struct axis_nest {
  int kept = 0, all = 0;
  nest_axis axis[max_rank];
};

/// What the words of a piece are: those of a state; those of the elements of a chunk in the order
/// of docs/specification.md, section 3, after them how many there are.
enum class order : unsigned char { none, chunks };

/// Answers first_output … first_output + outputs - 1 of a plan, counted with the last kept axis
/// fastest. The elements of each are cut into pieces of equal length, of which each has its words.
struct strided_request {
  onefold::accumulator accumulator = onefold::accumulator::total;
  dtype input = dtype::f64;  ///< what is reduced; x and y may hold others, which it holds exactly
  const std::byte* x = nullptr;
  const std::byte* y = nullptr;     ///< second factors; null where there are none
  const std::byte* mask = nullptr;  ///< a byte an element, 0: left out; null: there is none
  element_kind x_kind, y_kind;
  bool aligned = false;  ///< every element of x and y is at a multiple of its size
  axis_nest axes;
  std::int64_t items = 0;
  std::int64_t pieces = 1, piece_items = 0;  ///< of one answer; and of a piece, the last being rest
  std::int64_t first_output = 0, outputs = 0;
  std::int64_t state_words = 0;  ///< from the words of one piece to those of the next
  unsigned lanes = 32;           ///< of one piece: 1 or 32. Sums of floats take 32 in any case.
  order shape = order::none;
  finish_list finish;  ///< places of answer 0, and those of answer k after them
};

/// Enqueues a kernel, for moments two, that writes words[outputs][pieces][state_words].
/// Digits of exact sums may have carries to hand on. With request.finish.size > 0 it writes answers
/// and no words: finish.status, which holds 0, gets the code of an answer that is not written.
/// Precondition: request.state_words are those of the accumulator, and the kernel table has what is
/// rounded; prod has an order; of chunks a piece has tuning::chunk_items elements,
/// but for the last one.
/// Returns a cudaError_t as int; 0 is success.
int launch_strided(const strided_request& request, unsigned blocks, std::int64_t* words,
                   void* stream);

/// Threads of each block.
inline constexpr unsigned strided_threads = 128;

}  // namespace onefold::cuda
