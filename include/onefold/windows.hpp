// SPDX-License-Identifier: Apache-2.0
// One answer from data that arrive in pieces, in order: a file larger than memory, a stream.
//
// Exact answers do not depend on the pieces. Fast ones, prod and logsumexp do not either as long as
// every piece but the last holds a multiple of window_items elements; another length is refused,
// not misread.
#pragma once

#include <cstdint>
#include <memory>

#include "onefold/array_view.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/op_list.hpp"
#include "onefold/options.hpp"
#include "onefold/state.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// Every window but the last holds a multiple of this many elements.
inline constexpr std::int64_t window_items = std::int64_t(64) * 1024;

/// A reduction of one long array in progress. Error, Order: as reduce() over the whole.
class ONEFOLD_API windows {
 public:
  /// how.over is all axes, and how.keepdims and how.where have no place: a piece is a stretch of
  /// one long array. What is wrong with the request the first add() tells.
  windows(const executor& on, const op_list& what, dtype input, const options& how = {});
  windows(windows&&) noexcept;
  windows& operator=(windows&&) noexcept;
  ~windows();

  /// Takes in the next piece. Shape: one axis, or any view read in its canonical order.
  /// Fails: mismatch (another type; a piece behind one that had to be a multiple and was not), and
  /// as reduce(). A piece that fails is not in the answers: it can be added again.
  status add(const array_view& piece);

  /// Elements so far, NaNs among them.
  std::int64_t count() const noexcept;

  /// The answer of one of the operators so far. Shape: answers_of(which) elements, contiguous.
  /// Fails: as state::write; mismatch (an operator that was not asked for, an output that is not
  /// contiguous).
  status write(op which, const output_view& output) const;
  /// That of the first operator.
  status write(const output_view& output) const;

  /// The exact state of one of the operators so far. Fails: unsupported (fast has no state; beside
  /// var and std, sum, mean, sumsq and norm2 have none of their own), mismatch (an operator that
  /// was not asked for).
  result<state> partial(op which) const;
  /// That of the first operator.
  result<state> partial() const;

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace onefold
