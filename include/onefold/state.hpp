// SPDX-License-Identifier: Apache-2.0
// A reduction in progress, for any operator and element type: add views, merge, store, finish.
//
// States merge in any order and any split to the same bits, because an exact state is an integer.
// `bytes()` is the same on every machine for the same multiset of elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "onefold/dtype.hpp"
#include "onefold/exact.hpp"
#include "onefold/op.hpp"
#include "onefold/status.hpp"

namespace onefold {

/// Which ways the elements took; for tests and --verbose. No part of the state's value.
struct path_counts {
  std::int64_t small = 0;       ///< elements added one by one
  std::int64_t fast_tiles = 0;  ///< tiles that the open window took
  std::int64_t windows = 0;     ///< windows opened
  std::int64_t reopened = 0;    ///< tiles that a window moved to their exponent took
  std::int64_t escalated = 0;   ///< tiles that needed the deeper cascade
  std::int64_t slow_tiles = 0;  ///< tiles that went through the exponent buckets
  std::int64_t drains = 0;      ///< windows emptied because their counters were full

  path_counts& operator+=(const path_counts& other) noexcept;
  friend bool operator==(const path_counts&, const path_counts&) = default;
};

/// A sum in progress.
class state {
 public:
  /// The state of no elements.
  state(op what, dtype input);

  op what() const noexcept { return what_; }
  dtype input() const noexcept { return input_; }
  std::int64_t count() const noexcept;
  const path_counts& paths() const noexcept { return paths_; }

  /// Takes in the elements of another state. Order: any; the bits are the same.
  /// Fails: mismatch (another operator or element type), overflow (2^63 elements or more).
  status try_merge(const state& other);
  state& merge(const state& other);

  /// The answer in the type of `output`, rounded once, ties to even.
  /// Fails: overflow (an integer output that cannot hold the value), unsupported (an integer
  /// output of a floating sum).
  status write(void* output, dtype type) const;

  template <element T = double>
  result<T> try_value() const {
    T value{};
    if (auto done = write(&value, dtype_of<T>); !done) return done;
    return value;
  }
  template <element T = double>
  T value() const {
    return try_value<T>().value();
  }

  /// The state as bytes, little-endian, the same for the same elements on every machine.
  std::vector<std::byte> bytes() const;
  /// Fails: malformed (not a state, another version, or a length that does not fit).
  static result<state> from_bytes(std::span<const std::byte> bytes);

  /// Equal where the elements' exact sum, counts and signs are: not only the rounded value.
  friend bool operator==(const state& a, const state& b) noexcept {
    return a.what_ == b.what_ && a.input_ == b.input_ && a.sum_ == b.sum_;
  }

  using sum_state = std::variant<exact_sum<std::int64_t>, exact_sum<f16>, exact_sum<bf16>,
                                 exact_sum<float>, exact_sum<double>>;
  /// The engines' door: the exact sum itself and the counts of paths.
  sum_state& sum() noexcept { return sum_; }
  const sum_state& sum() const noexcept { return sum_; }
  path_counts& paths() noexcept { return paths_; }

 private:
  sum_state sum_;
  path_counts paths_;
  op what_;
  dtype input_;
};

}  // namespace onefold
