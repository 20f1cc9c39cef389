// SPDX-License-Identifier: Apache-2.0
#include "cpu/engine.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "cpu/exact_task.hpp"
#include "cpu/float_environment.hpp"
#include "cpu/pack.hpp"
#include "cpu/sound.hpp"
#include "cpu/targets.hpp"
#include "cpu/thread_count.hpp"
#include "cpu/threads.hpp"

namespace onefold::cpu {
namespace {

// A task's way to its chunks: in place where memory allows it, else through a buffer of its own.
class chunk_reader {
 public:
  chunk_reader(const plan& decided, const void* data)
      : plan_(decided), origin_(static_cast<const std::byte*>(data) + decided.origin_bytes),
        item_bytes_(size_bytes(decided.input)) {
    if (plan_.reading == path::packed)
      buffer_.resize(std::size_t(std::min(plan_.items, plan_.chunk_items)) * item_bytes_);
  }

  std::int64_t items(std::int64_t chunk) const {
    return std::min(plan_.chunk_items, plan_.items - chunk * plan_.chunk_items);
  }

  const void* chunk(std::int64_t chunk) {
    const std::int64_t first = chunk * plan_.chunk_items;
    if (plan_.reading == path::in_place) return origin_ + std::size_t(first) * item_bytes_;
    pack(origin_, plan_.axes, item_bytes_, first, items(chunk), buffer_.data());
    return buffer_.data();
  }

 private:
  const plan& plan_;
  const std::byte* origin_;
  std::size_t item_bytes_;
  std::vector<std::byte> buffer_;
};

// How many neighbouring chunks a task takes at a time: what it prefetches is then its own, and the
// last tasks still end together.
std::int64_t batch_of(const plan& decided) {
  constexpr std::int64_t most = 8, batches_per_thread = 8;
  return std::clamp<std::int64_t>(decided.chunks / (batches_per_thread * decided.threads), 1, most);
}

// Runs the body of a task as often as the plan has threads; all of them take chunks from one
// counter, so a slow core holds up nobody. body(next) calls next() until it returns no chunk.
template <class Body>
status share_chunks(const plan& decided, Body&& body) try {
  const std::int64_t batch = batch_of(decided);
  std::atomic<std::int64_t> counter{0};
  const auto task = [&](int) {
    const float_environment sound;
    std::int64_t at = 0, end = 0;
    body([&]() -> std::optional<std::int64_t> {
      if (at == end) {
        at = counter.fetch_add(batch, std::memory_order_relaxed);
        end = at + batch;
      }
      return at < decided.chunks ? std::optional(at++) : std::nullopt;
    });
  };
  const float_environment callers;  // the pool's own arithmetic raises flags that are not his
  if (decided.threads <= 1)
    task(0);
  else
    run_tasks(decided.threads, task);
  return {};
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the engine's buffers; use fewer threads"};
}

template <class T>
status add_exact_floats(const plan& decided, const void* data, exact_sum<T>& sum,
                        path_counts& paths) {
  if (decided.items < small_items && decided.reading == path::in_place) {
    chunk_reader reader(decided, data);
    add_each(static_cast<const T*>(reader.chunk(0)), decided.items, sum, paths);
    return {};
  }
  const auto& kernels = active_table().exact<T>();
  std::mutex merging;
  return share_chunks(decided, [&](const auto& next) {
    chunk_reader reader(decided, data);
    exact_task<T> task(kernels);
    while (const auto chunk = next())
      task.take(static_cast<const T*>(reader.chunk(*chunk)), reader.items(*chunk));
    const auto& part = task.finish();
    const std::lock_guard lock(merging);
    sum.merge(part);
    paths += task.paths();
  });
}

status add_exact_integers(const plan& decided, const void* data, detail::integer_sum& sum) {
  const auto kernel = active_table().integer[static_cast<int>(decided.input)];
  const bool is_signed = is_signed_integer(decided.input);
  std::mutex merging;
  return share_chunks(decided, [&](const auto& next) {
    chunk_reader reader(decided, data);
    detail::integer_sum part;
    while (const auto chunk = next()) {
      const std::int64_t n = reader.items(*chunk);
      const integer_parts parts = kernel(reader.chunk(*chunk), n);
      part.deposit(parts.low, 0);
      const auto high_sign = is_signed ? parts.high >> 63 : 0;
      part.deposit(std::uint64_t(parts.high) << 32,
                   std::int64_t(std::uint64_t(high_sign) << 32 | std::uint64_t(parts.high) >> 32));
      part.note_elements(n);
    }
    const std::lock_guard lock(merging);
    sum.merge(part);
  });
}

// Chunk results wait in order until all are there: the tree above them must not see threads.
template <class Accumulator, class ChunkSum>
status add_fast_chunks(const plan& decided, const void* data, fast_sum<Accumulator>& tree,
                       ChunkSum&& chunk_sum) try {
  if (decided.chunks == 1) {
    const float_environment sound;
    chunk_reader reader(decided, data);
    tree.push(chunk_sum(reader.chunk(0), reader.items(0)));
    return {};
  }
  std::vector<Accumulator> results(std::size_t(decided.chunks));
  auto done = share_chunks(decided, [&](const auto& next) {
    chunk_reader reader(decided, data);
    while (const auto chunk = next())
      results[std::size_t(*chunk)] = chunk_sum(reader.chunk(*chunk), reader.items(*chunk));
  });
  if (!done) return done;
  const float_environment sound;
  for (Accumulator result : results) tree.push(result);
  return {};
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for one number a chunk of 65536 elements"};
}

template <class T>
using accumulator = std::conditional_t<std::is_same_v<T, double>, double, float>;

}  // namespace

any_fast_sum make_fast_sum(dtype input) {
  if (input == dtype::f64) return fast_sum<double>{};
  if (is_floating(input)) return fast_sum<float>{};
  return fast_sum<std::uint64_t>{};
}

status add_exact(const plan& decided, const void* data, state& into) {
  if (decided.items == 0) return {};
  return with_type(decided.input, [&]<class T>(detail::tag<T>) {
    auto& sum =
        std::get<exact_sum<std::conditional_t<std::is_integral_v<T>, std::int64_t, T>>>(into.sum());
    if constexpr (std::is_integral_v<T>)
      return add_exact_integers(decided, data, sum);
    else
      return add_exact_floats<T>(decided, data, sum, into.paths());
  });
}

status add_fast(const plan& decided, const void* data, any_fast_sum& into) {
  if (decided.items == 0) return {};
  return with_type(decided.input, [&]<class T>(detail::tag<T>) {
    if constexpr (std::is_integral_v<T>) {
      const auto kernel = active_table().integer[static_cast<int>(decided.input)];
      return add_fast_chunks(decided, data, std::get<fast_sum<std::uint64_t>>(into),
                             [&](const void* chunk, std::int64_t n) {
                               const auto parts = kernel(chunk, n);
                               return parts.low + (std::uint64_t(parts.high) << 32);
                             });
    } else {
      const auto kernel = active_table().fast<T>();
      return add_fast_chunks(decided, data, std::get<fast_sum<accumulator<T>>>(into),
                             [&](const void* chunk, std::int64_t n) {
                               return kernel(static_cast<const T*>(chunk), n);
                             });
    }
  });
}

result<machine> this_machine(int threads_wanted) {
  if (!refused_target().empty())
    return status(status_code::unsupported,
                  "ONEFOLD_SIMD=" + refused_target() +
                      " names no SIMD target of this build and CPU; onefold doctor lists them");
  if (!arithmetic_is_sound())
    return status(status_code::unsound_arithmetic,
                  "this build's floating point breaks the proofs (a known sum came out wrong); "
                  "build onefold without -ffast-math and its parts");
  const int threads = threads_wanted > 0 ? threads_wanted : available_threads().threads;
  return machine{threads, active_table().target};
}

}  // namespace onefold::cpu
