// SPDX-License-Identifier: Apache-2.0
// The accumulator of any operator and element type: add views, merge, serialize, round.
//
// Exact states merge in any order and any split to the same bits, because they are integers.
// `bytes()` is the same on every machine for the same multiset of elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "onefold/detail/bit_fold.hpp"
#include "onefold/detail/config.hpp"
#include "onefold/detail/exact_dot.hpp"
#include "onefold/detail/exact_moments.hpp"
#include "onefold/detail/exponential_sum.hpp"
#include "onefold/detail/extrema.hpp"
#include "onefold/detail/nonzero_counts.hpp"
#include "onefold/detail/product.hpp"
#include "onefold/dtype.hpp"
#include "onefold/exact.hpp"
#include "onefold/nan_policy.hpp"
#include "onefold/op.hpp"
#include "onefold/status.hpp"

namespace onefold {

namespace detail {

/// The code paths that the elements took; for tests and --verbose. Not part of the state's value.
struct ONEFOLD_API path_counts {
  std::int64_t small = 0;       ///< elements added one by one
  std::int64_t fast_tiles = 0;  ///< tiles that fit the open window
  std::int64_t windows = 0;     ///< windows opened
  std::int64_t reopened = 0;    ///< tiles added after the window moved to their exponent
  std::int64_t escalated = 0;   ///< tiles that needed the deeper cascade
  std::int64_t slow_tiles = 0;  ///< tiles that went through the exponent buckets
  std::int64_t drains = 0;      ///< windows emptied because their counters were full

  path_counts& operator+=(const path_counts& other) noexcept;
  path_counts& operator-=(const path_counts& other) noexcept;
  friend bool operator==(const path_counts&, const path_counts&) = default;
};

struct state_access;

}  // namespace detail

/// The accumulator inside a state: one alternative for each accumulator of operators, and for each
/// element type that needs a width of its own. Integers of all widths are std::int64_t here.
using any_state = std::variant<
    exact_sum<std::int64_t>, exact_sum<f16>, exact_sum<bf16>, exact_sum<float>, exact_sum<double>,
    exact_dot<std::int64_t>, exact_dot<f16>, exact_dot<bf16>, exact_dot<float>, exact_dot<double>,
    exact_moments<std::int64_t>, exact_moments<f16>, exact_moments<bf16>, exact_moments<float>,
    exact_moments<double>, detail::exponential_sum<float>, detail::exponential_sum<double>,
    detail::extrema, detail::nonzero_counts, detail::bit_fold, detail::product>;

/// The parameters of the rounding that are not part of a state.
struct rounding_options {
  onefold::nan_policy nan_policy = onefold::nan_policy::propagate;
  double correction = 0;  ///< as options::correction
};

/// The accumulator of a reduction: the exact result of the elements added so far.
class ONEFOLD_API state {
 public:
  /// The state of no elements. `first_index` is the logical index of the first element to come;
  /// prod needs it, because its states merge only with adjacent ones.
  /// Fails: throws onefold::error, unsupported if the operator does not take the element type.
  state(onefold::op op, dtype input, std::int64_t first_index = 0);

  onefold::op op() const noexcept { return op_; }
  dtype input() const noexcept { return input_; }
  /// The number of elements added, NaNs included.
  std::int64_t count() const noexcept;
  std::int64_t first_index() const noexcept { return first_index_; }

  /// Adds the elements of another state. Order: any, with the same bits; prod: the other's first
  /// element directly follows this one's last.
  /// Fails: mismatch (another operator or element type, not adjacent), overflow (2^63 elements or
  /// more).
  status try_merge(const state& other);
  /// As try_merge. Fails: throws onefold::error.
  state& merge(const state& other);

  /// Removes the elements of another state, which were added to this one before: the state is then
  /// that of the other elements, to the bit. One exception: if of elements and -0 only -0 is left,
  /// the state does not know, and a sum is +0. For sum, mean, norm1, norm2, sumsq, dot, var, std,
  /// logsumexp, any, all, count and count_nonzero.
  /// Fails, and leaves the state unchanged: mismatch (another operator or element type, or words
  /// show that such elements were not added), unsupported (another operator; of logsumexp, all
  /// elements near the largest one, while others were added that are less by 512 or more).
  status try_subtract(const state& other);
  /// As try_subtract. Fails: throws onefold::error.
  state& subtract(const state& other);

  /// The answer in the type of `output`, rounded once, ties to even.
  /// Shape: answers_of(op()) elements, contiguous.
  /// Error: as reduce().
  /// Fails: overflow (an integer output that cannot hold the value), unsupported (an output type
  /// that the operator does not have), empty, not_a_number.
  status write(void* output, dtype type, const rounding_options& options = {}) const;

  /// The same as a value. Fails: as write; usage for minmax.
  template <element T = double>
  result<T> try_value(const rounding_options& options = {}) const ONEFOLD_TRY {
    if (answers_of(op_) != 1)
      return status(status_code::usage, "minmax has two answers; write() takes both");
    T value{};
    if (auto done = write(&value, dtype_of<T>, options); !done) return done;
    return value;
  }
  ONEFOLD_CATCH_NO_MEMORY
  /// As try_value. Fails: throws onefold::error.
  template <element T = double>
  T value(const rounding_options& options = {}) const {
    return try_value<T>(options).value();
  }

  /// A sum before rounding, in all its decimal digits: "0.1000000000000000055511151231257827…"
  /// for the double 0.1; "nan", "inf", "-inf", "-0". For sum, norm1, sumsq and dot.
  /// Fails: throws onefold::error: unsupported (another operator), not_a_number.
  std::string decimal(const rounding_options& options = {}) const;

  /// The serialized state, little-endian, the same for the same elements on every machine; the
  /// layout is in docs/specification.md, section 5. It does not include first_index().
  std::vector<std::byte> bytes() const;
  /// The inverse, with the first_index() that the bytes do not include.
  /// Fails: malformed (not a state, another version, or words that no elements produce).
  static result<state> from_bytes(std::span<const std::byte> bytes, std::int64_t first_index = 0);

  /// Whether the states are equal in every part of their value, not only in the rounded answer.
  friend bool operator==(const state& a, const state& b) noexcept {
    return a.op_ == b.op_ && a.input_ == b.input_ && a.known_ == b.known_;
  }

 private:
  friend struct detail::state_access;

  any_state known_;
  detail::path_counts paths_;
  std::int64_t first_index_;
  onefold::op op_;
  dtype input_;
};

namespace detail {

/// The members of a state that the engines and the tests use.
struct state_access {
  static any_state& known(state& from) noexcept { return from.known_; }
  static const any_state& known(const state& from) noexcept { return from.known_; }
  static path_counts& paths(state& from) noexcept { return from.paths_; }
};

}  // namespace detail

}  // namespace onefold
