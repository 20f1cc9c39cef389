// SPDX-License-Identifier: Apache-2.0
// Requests of several answers on a GPU: the CUDA engine returns serialized states, and host threads
// merge, round and write them.
#include "api/answers_on_device.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <vector>

#include "api/accumulate.hpp"
#include "api/devices.hpp"
#include "api/prepare.hpp"
#include "cpu/drivers/answers.hpp"
#include "cpu/drivers/blocks.hpp"
#include "cpu/engine.hpp"
#include "cuda/engine.hpp"
#include "runtime/float_environment.hpp"
#include "runtime/threads.hpp"

namespace onefold {
namespace {

// Answers that a thread claims at a time.
constexpr std::int64_t share_answers = 256;

// The bytes from an output's first answer to the end of its last; 0 where there are gaps between
// answers.
std::size_t dense_bytes(const output_view& output) {
  const auto item = std::int64_t(size_bytes(output.type()));
  std::int64_t span = item, items = 1;
  for (const axis_layout& axis : output.axes()) {
    if (axis.extent > 1 && axis.stride_bytes < 0) return 0;
    span += (axis.extent - 1) * axis.stride_bytes;
    items *= axis.extent;
  }
  return span == items * item ? std::size_t(span) : 0;
}

// Outputs in host memory: the caller's own, or buffers that are copied to the device at the end.
class host_outputs {
 public:
  explicit host_outputs(std::span<const output_view> outputs) : outputs_(outputs) {}

  /// Fails: unsupported.
  status prepare() {
    for (const output_view& output : outputs_) {
      if (!cuda::lies_on_device(output.data())) {
        places_.emplace_back();
        views_.push_back(output);
        continue;
      }
      const std::size_t bytes = dense_bytes(output);
      if (bytes == 0)
        return {status_code::unsupported,
                "the CUDA engine does not write answers with gaps between them to device memory; "
                "give it contiguous ones, or an output in host memory"};
      places_.emplace_back(bytes);
      views_.emplace_back(places_.back().data(), output.type(), output.axes());
    }
    return {};
  }
  std::span<const output_view> views() const { return views_; }

  status copy_back(const executor::cuda& device) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i].empty()) continue;
      auto done =
          cuda::copy_to_device(device, outputs_[i].data(), places_[i].data(), places_[i].size());
      if (!done) return done;
    }
    return {};
  }

 private:
  std::span<const output_view> outputs_;
  std::vector<std::vector<std::byte>> places_;
  std::vector<output_view> views_;
};

/// Merges the serialized states of each answer, rounds them and writes the result to the outputs.
class answer_writer {
 public:
  answer_writer(const reduction& reduction, std::span<const output_view> outputs)
      : reduction_(reduction), answers_(reduction, outputs),
        empty_(reduction.plan.ops, reduction.plan.input, reduction.plan.accuracy) {}

  status write(const cuda::answer_words& words) const {
    const std::int64_t shares = (words.last - words.first + share_answers - 1) / share_answers;
    std::atomic<std::int64_t> next{0};
    cpu::first_failure failure;
    const auto task = [&](int) {
      const float_environment sound;
      while (!failure.any()) {
        const std::int64_t share = next.fetch_add(1, std::memory_order_relaxed);
        if (share >= shares) return;
        const std::int64_t begin = words.first + share * share_answers;
        failure.note(write(words, begin, std::min(begin + share_answers, words.last)));
      }
    };
    const auto threads = int(std::min<std::int64_t>(shares, reduction_.plan.threads));
    if (threads <= 1)
      task(0);
    else
      run_tasks(threads, task);
    return failure.any() ? failure.why() : status();
  }

 private:
  status write(const cuda::answer_words& words, std::int64_t begin, std::int64_t end) const {
    accumulation states = empty_;
    std::int64_t count = 0;
    const std::vector<cuda::target> targets =
        device_targets(states, reduction_.plan.accuracy, count);
    for (std::int64_t k = begin; k < end; ++k) {
      for (std::size_t i = 0; i < targets.size(); ++i)
        states.accumulators()[i].value = empty_.accumulators()[i].value;
      count = 0;
      words.add_to(k, targets);
      states.count() = count;
      auto done = answers_.write(states, cpu::origin_of(reduction_.plan, k).index);
      if (!done) return done;
    }
    return {};
  }

  const reduction& reduction_;
  cpu::answers answers_;
  const accumulation empty_;
};

/// The states of all answers, to which parts of the elements are added.
class answer_table {
 public:
  explicit answer_table(const reduction& whole) : whole_(whole) {}

  /// Merges the states of a part's answers. Parts may come from several threads.
  void add(const reduction& part, const cuda::answer_words& words) {
    const std::lock_guard lock(alone_);
    const float_environment sound;
    if (states_.empty())
      states_.resize(std::size_t(whole_.plan.outputs),
                     accumulation(whole_.plan.ops, whole_.plan.input, whole_.plan.accuracy));
    for (std::int64_t k = words.first; k < words.last; ++k) {
      accumulation& into = states_[std::size_t(cpu::origin_of(part.plan, k).index)];
      std::int64_t count = 0;
      words.add_to(k, device_targets(into, whole_.plan.accuracy, count));
    }
  }
  /// Writes what has been added; nothing where no part was.
  status write(std::span<const output_view> outputs) {
    const float_environment sound;
    const cpu::answers answers(whole_, outputs);
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (auto done = answers.write(states_[i], std::int64_t(i)); !done) return done;
    return {};
  }

 private:
  const reduction& whole_;
  std::mutex alone_;
  std::vector<accumulation> states_;  ///< in the row-major order of the answers
};

}  // namespace

status reduce_answers_on_device(const executor& executor, const reduction& reduction,
                                std::span<const output_view> outputs) try {
  const auto& plan = reduction.plan;
  if (plan.outputs == 0) return {};
  host_outputs hosts(outputs);
  if (auto fine = hosts.prepare(); !fine) return fine;
  const auto reduce_part = [&](const executor::cuda& device, const onefold::reduction& part) {
    const answer_writer writer(part, hosts.views());
    return cuda::reduce_each(device, request_of(part),
                             [&](const cuda::answer_words& words) { return writer.write(words); });
  };
  const executor::devices* several = executor.gpus();
  answer_table table(reduction);
  const auto add_part = [&](const executor::cuda& device, const onefold::reduction& part) {
    return cuda::reduce_each(device, request_of(part), [&](const cuda::answer_words& words) {
      table.add(part, words);
      return status();
    });
  };
  auto done = several ? divide_answers(*several, reduction, reduce_part, add_part)
                      : reduce_part(*executor.gpu(), reduction);
  if (done) done = table.write(hosts.views());
  return done ? hosts.copy_back(*executor.gpu()) : done;
} catch (const std::bad_alloc&) {
  return {status_code::out_of_memory, "no memory for the answers on the host"};
}

}  // namespace onefold
