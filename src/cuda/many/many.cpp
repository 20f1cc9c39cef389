// SPDX-License-Identifier: Apache-2.0
#include "cuda/many/many.hpp"

#include <driver_types.h>

#include "cuda/many/entry.hpp"
#include "cuda/many/fast/shape.hpp"
#include "cuda/many/undecided.hpp"

namespace onefold::cuda {
namespace {

bool floats_serve(const many_request& r) {
  const accumulator of = accumulator_of(r.what);
  if (of != accumulator::total && of != accumulator::magnitudes && of != accumulator::squares)
    return false;
  if (r.input == dtype::f64) return r.output == dtype::f64 && r.what != op::norm2;
  return is_floating(r.output) && r.output != dtype::f64;
}

// Integer outputs hold every sum of at most 2^31 elements; others might overflow.
bool integers_serve(const many_request& r) {
  if (accumulator_of(r.what) != accumulator::total) return false;
  if (r.output == dtype::f64) return true;
  if (r.what == op::mean || size_bytes(r.input) == 8) return false;
  return r.output == dtype::i64 || (r.output == dtype::u64 && !is_signed_integer(r.input));
}

bool is_fast_sum(const many_request& r) {
  return r.accuracy == accuracy::fast && is_floating(r.input);
}

many_launcher launcher_of(const many_request& r) {
  if (is_fast_sum(r)) return many_fast(r.input);
  if (!is_floating(r.input)) return many_integer_totals(r.input);
  const accumulator of = accumulator_of(r.what);
  if (of == accumulator::total) return many_totals(r.input);
  return of == accumulator::magnitudes ? many_magnitudes(r.input) : many_squares(r.input);
}

// Of integers the same 64 bits, wrapped.
bool fast_serves(const many_request& r) {
  const accumulator of = accumulator_of(r.what);
  const bool terms =
      of == accumulator::total || of == accumulator::magnitudes || of == accumulator::squares;
  if (is_floating(r.input))
    return terms && is_floating(r.output) && (r.input == dtype::f32 || r.input == dtype::f64);
  return r.what == op::sum && !is_floating(r.input) &&
         (r.output == dtype::i64 || r.output == dtype::u64);
}

}  // namespace

bool many_serves(const many_request& request) {
  if (request.accuracy == accuracy::fast) return fast_serves(request);
  return is_floating(request.input) ? floats_serve(request) : integers_serve(request);
}

bool many_serves_across(const many_request& request) {
  return many_serves(request) && !is_fast_sum(request);
}

static_assert(many_cleared_bytes == undecided_counts * sizeof(std::int64_t));

std::size_t many_workspace_bytes(const many_request& request, const many_block& block) {
  const auto width = std::int64_t(size_bytes(request.input));
  const std::int64_t answers = block.outer * block.inner;
  if (answers == 0) return 0;
  if (is_fast_sum(request)) {
    const std::int64_t parts = block.inner == 1 ? shape_of_fast_rows(block, width).parts
                                                : shape_of_fast_columns(block, width).by.parts;
    return std::size_t(fast_parts_words(answers, parts)) * sizeof(std::int64_t);
  }
  const std::int64_t parts = block.inner == 1 ? shape_of_any_rows(block, width).parts
                                              : shape_of_columns(block, width).parts;
  if (parts == 1) return 0;
  const std::int64_t undecided =
      is_floating(request.input) ? undecided_words(answers, redo_blocks(block.multiprocessors)) : 0;
  return std::size_t(partials_words(answers, parts) + undecided) * sizeof(std::int64_t);
}

std::size_t fast_parts_bytes(std::int64_t answers, std::int64_t parts) {
  const std::int64_t words = parts == 1 ? answers : fast_parts_words(answers, parts);
  return std::size_t(words) * sizeof(std::int64_t);
}

int launch_many(const many_request& request, const many_block& block, void* workspace,
                void* cleared, void* stream) {
  if (!many_serves(request)) return int(cudaErrorNotSupported);
  if (block.outer * block.inner == 0) return int(cudaSuccess);
  return launcher_of(request)(request, block, workspace, cleared, stream);
}

}  // namespace onefold::cuda
