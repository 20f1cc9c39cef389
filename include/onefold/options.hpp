// SPDX-License-Identifier: Apache-2.0
// The options of a reduction. An aggregate: name the members that differ from the default.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "onefold/accuracy.hpp"
#include "onefold/array_view.hpp"
#include "onefold/axis_set.hpp"
#include "onefold/device_memory.hpp"
#include "onefold/executor.hpp"
#include "onefold/nan_policy.hpp"
#include "onefold/scalar.hpp"
#include "onefold/status.hpp"

namespace onefold {

struct options {
  /// exact: correctly rounded. fast: any deterministic order of plain additions within the
  /// documented bound; on a CPU the published order (docs/specification.md, section 3), on a GPU
  /// the exact answer. Integers wrap.
  onefold::accuracy accuracy = onefold::accuracy::exact;
  axis_set axes = all_axes;  ///< the axes that are reduced
  bool keepdims = false;     ///< reduced axes stay in the answer's shape, with extent 1
  onefold::nan_policy nan_policy = onefold::nan_policy::propagate;

  /// Only elements whose mask is true are reduced. Shape: broadcast to the view's, from the last
  /// axis; element type bool or u8, where any byte but 0 is true. Not for positions.
  std::optional<array_view> where{};

  /// One additional element, converted to the element type. For sum, prod, min, max, minmax,
  /// norminf.
  std::optional<scalar> initial{};

  /// reduce_segments and reduce_by_key, on a CPU: an answer needs at least so many elements that
  /// count, the initial value among them; of fewer it is empty_value, or the call fails (empty).
  std::int64_t min_count = 0;

  /// The answer of a segment or group of fewer than min_count elements, and of an operator that has
  /// no value for none, in place of status empty. An integer output must hold it.
  std::optional<scalar> empty_value{};

  double correction = 0;         ///< finite: var and std divide by count - correction
  std::int64_t first_index = 0;  ///< added to positions: the index of the view's first element

  std::stop_token stop{};  ///< polled regularly; a stop request gives status cancelled

  /// Called regularly with the number of elements done and the total, from any thread, never from
  /// two at a time. The number done never decreases, and reaches the total at the end if nothing
  /// failed. It must not throw.
  std::function<void(std::int64_t done, std::int64_t all)> progress{};

  // For asynchronous requests on a GPU (executor::cuda).

  /// Memory that the call may use, of workspace_size() bytes, cleared once by workspace_init. Calls
  /// that share it must be ordered, for example by one stream. Empty: the engine's own.
  device_buffer workspace{};

  /// A word in device memory for a status that depends on the data: 0, or the status_code (empty,
  /// overflow, not_a_number) of an operator whose answer was not written. Null: the call waits.
  std::int32_t* status_out = nullptr;

  /// A number in device memory, read when the elements are: only the first *count of them are
  /// reduced, none if it is negative, all if it exceeds the extent. For exact answers over
  /// contiguous elements, all axes reduced, whose result stays on the device; prod, logsumexp, fast
  /// answers and those that wait for the host are unsupported. min, max and positions need a
  /// status_out with it, because the range may be empty.
  const std::int64_t* count = nullptr;

  /// Called if executor::automatic gives host data to a GPU, with that GPU. Called a second time,
  /// with the CPU, if the CPU takes over: with the reason if the GPU had no memory left or failed,
  /// with ok if it does not serve the request. The answer is the same. Called on the calling
  /// thread; it must not throw.
  std::function<void(const executor& executor, const status& reason)> placed{};

  /// Windows: the elements of all windows together, if known; executor::automatic uses it.
  std::int64_t expected_items = 0;
};

namespace detail {

/// One object, all members as above: the default argument of calls that take less time than
/// options take to make, and that recognise it by its address.
ONEFOLD_API const options& default_options() noexcept;

}  // namespace detail

}  // namespace onefold
