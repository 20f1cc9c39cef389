// SPDX-License-Identifier: Apache-2.0
// How a reduction is done. Aggregate: name the members that differ from the default.
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
  accuracy how = accuracy::exact;  ///< correctly rounded, or a plain tree
  axis_set over = all_axes;        ///< the axes that are reduced
  bool keepdims = false;           ///< reduced axes stay in the answer's shape, with extent 1
  nan_policy nan = nan_policy::propagate;

  /// Only elements whose mask is true count. Shape: broadcast against the view's, from the last
  /// axis; element type bool or u8, any byte but 0 being true. Not for positions.
  std::optional<array_view> where{};

  /// One more element, converted to the element type. For sum, prod, min, max, minmax, norminf.
  std::optional<scalar> initial{};

  std::int64_t correction = 0;   ///< var and std divide by count - correction
  std::int64_t first_index = 0;  ///< added to positions: the index of the view's first element

  std::stop_token stop{};  ///< asked now and then; a stop is status cancelled

  /// Called now and then with the number of elements done and the number of all, from any thread,
  /// never from two at a time. The number done never falls, and reaches that of all at the end
  /// where nothing failed. It must not throw.
  std::function<void(std::int64_t done, std::int64_t all)> progress{};

  // Of answers that stay on a GPU (executor::cuda).

  /// Memory that the call may use, of workspace_size() bytes, cleared once by workspace_init. Calls
  /// that share it are in one stream, or otherwise in order. Empty: the engine's own.
  device_buffer workspace{};

  /// A word in device memory for what depends on the data: 0, or the status_code (empty, overflow,
  /// not_a_number) of an operator whose answer was then not written. Null: such a call waits.
  std::int32_t* status_out = nullptr;

  /// A number in device memory, read when the elements are: only the first *count of them are
  /// reduced, none where it is below zero, all where it is beyond the extent. For exact answers
  /// about contiguous elements, all axes reduced, that stay on the device; prod, logsumexp, fast
  /// ones and those that wait for the host are unsupported. min, max and positions take a
  /// status_out with it: there may be nothing to tell.
  const std::int64_t* count = nullptr;

  /// Called where executor::automatic gives data of the host to a GPU, with that GPU; and a second
  /// time, with the CPU, where it takes them back: with the reason if the GPU had no memory left or
  /// failed, with ok if it does not serve the request. The answer is the same. On the calling
  /// thread; it must not throw.
  std::function<void(const executor& on, const status& why)> placed{};

  /// Windows: elements of all pieces together, where that is known; executor::automatic goes by it.
  std::int64_t expected_items = 0;
};

}  // namespace onefold
