// SPDX-License-Identifier: Apache-2.0
// One answer from data that arrive in windows, in order: a file larger than memory, a stream.
//
// Only prod and fast answers depend on the windows, and not even they if every window but the last
// holds a multiple of window_items elements; another length is refused.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "onefold/array_view.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/executor.hpp"
#include "onefold/op_list.hpp"
#include "onefold/options.hpp"
#include "onefold/state.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// Of fast reductions and prod, every window but the last holds a multiple of this many elements.
inline constexpr std::int64_t window_items = std::int64_t(64) * 1024;

/// An accumulator of one long array. Error, Order: as reduce() over the whole.
class ONEFOLD_API windows {
 public:
  /// options.axes must be all axes, without options.keepdims and options.where: the windows are
  /// ranges of one long array. The first add() reports an invalid request.
  windows(const executor& executor, const op_list& ops, dtype input, const options& options = {});
  windows(windows&&) noexcept;
  windows& operator=(windows&&) noexcept;
  ~windows();

  /// Adds the next window. Shape: one axis, or any view read in its canonical order.
  /// Fails: mismatch (another type; a window after one whose length had to be a multiple and was
  /// not), unsupported (device memory after fast windows on the CPU), and as reduce(). A window
  /// that fails is not in the answers: it can be added again.
  status add(const array_view& piece);
  /// The same of several views: two of one shape for dot, else one. The type that holds both
  /// elements is the input type of the constructor.
  status add(std::initializer_list<array_view> pieces);

  /// Elements so far, NaNs among them.
  std::int64_t count() const noexcept;

  /// The current answer of one of the operators. Shape: answers_of(which) elements, contiguous.
  /// Fails: as state::write; mismatch (an operator that was not requested, an output that is not
  /// contiguous).
  status write(op which, const output_view& output) const;
  /// The answer of the first operator.
  status write(const output_view& output) const;

  /// The current exact state of one of the operators. Fails: unsupported (fast has no state; next
  /// to var and std, sum, mean, sumsq and norm2 have no state of their own), mismatch (an operator
  /// that was not requested).
  result<state> partial(op which) const;
  /// The state of the first operator.
  result<state> partial() const;

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

}  // namespace onefold
