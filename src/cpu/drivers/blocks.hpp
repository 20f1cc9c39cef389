// SPDX-License-Identifier: Apache-2.0
// Requests of several answers by the batched kernels: a row of answers, a tile of columns, or a run
// of segments at a time. Ambiguous answers are computed again by tasks, one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cpu/drivers/answers.hpp"
#include "cpu/kernels/batched/batched.hpp"
#include "request/reduction.hpp"

namespace onefold::cpu {

/// The request as the batched kernels take it; nothing where only tasks can serve it: several
/// operators, a mask, a map, an initial value, elements that must be converted. Precondition: the
/// elements are aligned.
std::optional<batched_request> batched_request_of(const reduction& reduction, batched_shape form,
                                                  dtype output);

/// The answers of a block: written in place where the outputs are contiguous.
class block_writer {
 public:
  block_writer(const reduction& reduction, const accumulation& empty, piece_source& pieces)
      : reduction_(reduction), pieces_(pieces), tasks_(reduction, empty, pieces) {}

  /// The polls for stops, for a block of several calls.
  piece_source& pieces() { return pieces_; }

  /// Runs the kernel on `block`, whose answers have the row-major indices index + k * step, and
  /// computes ambiguous answers again: `fallback(k, tasks)`.
  template <class Fallback>
  status run(batched_block block, std::int64_t index, std::int64_t step, const answers& answers,
             Fallback&& fallback) {
    prepare(block, index, step, answers);
    std::int64_t open = kernel_(block);
    if (block.last) open += close(block, index, step, answers);
    for (std::int64_t k = 0; open > 0 && k < block.outputs; ++k)
      if (ambiguous_[std::size_t(k)])
        if (auto done = fallback(k, tasks_); !done) return done;
    return {};
  }

 private:
  void prepare(batched_block& block, std::int64_t index, std::int64_t step, const answers& answers);
  std::int64_t close(const batched_block& block, std::int64_t index, std::int64_t step,
                     const answers& answers);

  const reduction& reduction_;
  piece_source& pieces_;
  answer_worker tasks_;
  batched_kernel kernel_ = nullptr;
  bool in_place_ = false;
  std::vector<std::byte> values_;
  std::vector<unsigned char> ambiguous_;
};

/// The rows or columns of a plan whose rows are contiguous, or whose neighbouring answers are
/// contiguous. Nothing for other plans.
std::optional<batched_request> block_request_of(const reduction& reduction, const answers& answers);

/// Whether the plan's fast sums have the specified order of columns.
bool sums_columns(const reduction& reduction, const answers& answers);

/// Computes every answer of the plan. Precondition: there are several, and the request is the
/// plan's.
status reduce_blocks(const reduction& reduction, const batched_request& request,
                     const answers& answers);

/// Computes the segments first … last - 1. Precondition: the plan is read in place.
status reduce_segment_block(const reduction& reduction, const batched_request& request,
                            std::span<const std::int64_t> offsets, std::int64_t first,
                            std::int64_t last, const answers& answers, block_writer& writer);

}  // namespace onefold::cpu
