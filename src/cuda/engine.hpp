// SPDX-License-Identifier: Apache-2.0
// The interface of the CUDA engine: the elements of a request to states or to answers. A build
// without CUDA has the same functions (none.cpp), which return "unsupported".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "onefold/accuracy.hpp"
#include "onefold/array_view.hpp"
#include "onefold/executor.hpp"
#include "onefold/groups.hpp"
#include "onefold/options.hpp"
#include "onefold/plan.hpp"
#include "onefold/state.hpp"
#include "onefold/status.hpp"
#include "state/accumulator.hpp"
#include "state/chunk_tree.hpp"

namespace onefold::cuda {

/// A plan and the memory that it refers to.
struct request {
  const onefold::plan& plan;
  const onefold::options& options;
  const void* x = nullptr;  ///< the first element in loop order
  const void* y = nullptr;  ///< of the second view; null where there is none
  std::int64_t before = 0;  ///< of the `all` elements of the caller's request: done already
  std::int64_t all = 0;
  const void* mask = nullptr;  ///< of the first element; null where there is no mask
  dtype x_type = dtype::f64, y_type = dtype::f64;
};

/// Where elements accumulate, one target for each accumulator that the plan's operators need: a
/// state, or for ordered parts a tree.
struct target {
  accumulator what;
  any_state* into;
  chunk_tree* tree = nullptr;
  onefold::accuracy accuracy = onefold::accuracy::exact;  ///< for a tree
  std::int64_t* count = nullptr;  ///< for a tree: its elements are added here; null: not needed
};

/// Adds the elements of a plan that reduces all axes to the states. Contiguous elements take one
/// launch for each accumulator; host memory is read once, in windows that are copied while the
/// previous window is reduced. Other elements: as reduce_each. Returns when the states are
/// complete. Precondition, for trees: the thread is inside a float_environment; the trees hold
/// whole chunks. Fails: unsupported (no CUDA in this build, no device, or a request that the engine
/// does not support), mismatch (data of another device, or of two memories), out_of_memory,
/// device_error, cancelled.
status accumulate(const executor::cuda& on, const request& of, std::span<const target> into);

/// Serialized states of one accumulator: [answers][pieces][words].
struct accumulator_words {
  const std::int64_t* begin;
  std::int64_t pieces;  ///< of an answer
  std::int64_t words;   ///< of a piece
  bool chunks;          ///< pieces are chunks, whose states are appended in order
};

/// The serialized states of a range of answers, in the order of origin_of.
class answer_words {
 public:
  std::int64_t first = 0, last = 0;  ///< answers first … last - 1
  std::int64_t first_index = 0;
  dtype input = dtype::f64;
  std::span<const accumulator_words> accumulators;  ///< empty where answers have no elements

  /// Merges the states of answer k into `into`, which has the accumulators of the request in its
  /// order. Precondition: as accumulate.
  void add_to(std::int64_t k, std::span<const target> into) const;
};

/// Reduces every answer of a plan and passes their states to `take`, batch by batch. Host data are
/// copied to the device at once, from the first to the last byte that the views span. Fails: as
/// accumulate, as `take`, and out_of_memory where the data do not fit.
status reduce_each(const executor::cuda& on, const request& of,
                   std::span<const accumulator> accumulators,
                   const std::function<status(const answer_words&)>& take);

/// Computes the answers asynchronously on the device: enqueues the launches on the executor's
/// stream and returns without waiting. `accumulators`: the accumulators of the request's states.
/// Returns nothing, and does nothing, where the request needs the host (resident/reasons.cpp
/// has them). Fails: unsupported (such a request while the stream is captured, or with
/// options::count), usage (a workspace that is too small), out_of_memory, device_error, cancelled.
std::optional<status> reduce_resident(const executor::cuda& on, const request& of,
                                      std::span<const accumulator> accumulators,
                                      std::span<const output_view> outputs);

/// The bytes of options::workspace that reduce_resident needs. Fails: unsupported, with the reason.
result<std::size_t> resident_bytes(const executor::cuda& on, const request& of,
                                   std::span<const accumulator> accumulators,
                                   std::span<const output_view> outputs);

/// Zeroes the buffer on the executor's stream. Fails: usage, device_error.
status clear_workspace(const executor::cuda& on, void* buffer, std::size_t bytes);

/// Whether the executor's stream is being captured into a graph; false where that cannot be
/// queried.
bool is_capturing(const executor::cuda& on);

/// Reduces segments and rounds their answers on the device: contiguous elements in device memory,
/// contiguous answers there. Offsets are in host or device memory. Fails: unsupported (a request
/// without kernels, host memory), mismatch (offsets; data of another device), overflow,
/// empty, not_a_number, out_of_memory, device_error, cancelled.
status reduce_segments(const executor::cuda& on, const request& of,
                       std::span<const std::int64_t> offsets, const output_view& to);

/// Returns outputs for so many groups.
using outputs_maker = std::function<result<group_outputs>(std::int64_t)>;

/// Reduces each group of equal keys, as segments; keys that do not ascend are sorted together with
/// copies of their elements. Keys, elements and groups are in device memory. Fails: as
/// reduce_segments, as `make`, unsupported (more than 2^32 keys that do not ascend).
status reduce_by_key(const executor::cuda& on, const request& of, const array_view& keys,
                     const outputs_maker& make);

/// Whether the executor's device can be used. Fails: unsupported.
status check_device(const executor::cuda& on);

/// The numbers of the devices that the executor names, or of all. Fails: unsupported (no device, or
/// no such device), usage (one of them twice).
result<std::vector<int>> numbers_of(const executor::devices& of);

/// Whether an address is in device memory, which the host cannot read; false in a build without
/// CUDA.
bool lies_on_device(const void* address);

/// Copies from the host to device memory, in stream order, and waits. Fails: device_error.
status copy_to_device(const executor::cuda& on, void* to, const void* from, std::size_t bytes);

struct device_facts {
  std::string name;
  std::size_t memory_bytes = 0;
};

/// The remedy in the message of a request that the engine does not support.
inline constexpr const char* use_the_cpu =
    "; the CPU does (executor::cpu, --device cpu), with the data in host memory";

/// What `onefold doctor` reports.
struct survey {
  std::string why_none;         ///< a sentence with the remedy; empty where there is a device
  std::string driver, runtime;  ///< versions, "13.0"
  std::vector<device_facts> devices;
};
survey find_devices();

}  // namespace onefold::cuda
