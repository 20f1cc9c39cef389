// SPDX-License-Identifier: Apache-2.0
// Sums by key in two levels: each thread adds to a small table of its own, which keeps frequent
// groups. Entries evicted from it go in batches to one of 256 shared tables (shards), chosen by the
// key. Sums are exact, so neither the order of elements nor the number of threads changes a bit.
#include "cpu/drivers/keys/key_sums.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "cpu/drivers/answers.hpp"
#include "cpu/drivers/keys/key_order.hpp"
#include "cpu/drivers/keys/key_outputs.hpp"
#include "cpu/drivers/keys/key_table.hpp"
#include "cpu/drivers/keys/key_values.hpp"
#include "cpu/tasks/initial.hpp"
#include "request/tuning.hpp"
#include "rounding/errors.hpp"
#include "rounding/round_state.hpp"
#include "runtime/share.hpp"
#include "state/accumulator.hpp"

namespace onefold::cpu {
namespace {

constexpr std::int64_t piece_items = tuning::block_items;
constexpr int shard_bits = 8, shards_count = 1 << shard_bits;

std::size_t shard_of(std::uint64_t hash) {
  return std::size_t(hash >> (64 - shard_bits));
}

// The table of one part of all keys.
template <class Sum>
struct alignas(64) shard {
  std::mutex mutex;
  key_table<Sum> table;
};
template <class Sum>
using shards = std::vector<shard<Sum>>;

// The sums of one thread; the shards have all of them only after flush_all().
template <class Sum>
class local_sums {
 public:
  using entry = key_entry<Sum>;

  explicit local_sums(shards<Sum>& shards)
      : shards_(shards), near_(near_size), batches_(shards.size()) {}

  /// The sum that the next element of a key is added to.
  Sum& sum_of(std::uint64_t ordinal) {
    const std::size_t i = place_of(ordinal);
    return holds(i, ordinal) ? near_[i].sum : of_the_other(i, ordinal);
  }
  /// Evicts the full sum of a key and returns an empty one. Precondition: sum_of(ordinal) returned
  /// the full one.
  Sum& fresh(std::uint64_t ordinal) {
    const std::size_t i = place_of(ordinal);
    entry& full = near_[holds(i, ordinal) ? i : i ^ 1];
    if (wide_.size() < most_wide || wide_.count(ordinal) != 0)
      full.sum.drain(wide_[ordinal]);
    else
      send(full);
    full.sum = Sum();
    return full.sum;
  }

  void flush_all() {
    for (std::size_t i = 0; i < near_.size(); ++i)
      if (in_use_[i]) send(near_[i]);
    for (std::size_t i = 0; i < batches_.size(); ++i) flush(i);
    if constexpr (std::is_same_v<Sum, compact_sum>)
      for (const auto& [ordinal, sum] : wide_) {
        auto& shard = shards_[shard_of(hash_of(ordinal))];
        const std::lock_guard lock(shard.mutex);
        shard.table.merge(ordinal, sum);
      }
  }

 private:
  // As many sums as fit in the second-level cache. A key has two possible slots, i and i ^ 1.
  static constexpr int near_bits = 12, near_size = 1 << near_bits;
  // Without wide sums here, a large group that no compact sum holds would make all threads contend
  // for one lock.
  static constexpr std::size_t most_wide = 64;
  // At least as many cache misses as a core can have in flight.
  static constexpr int batch_size = 32;
  struct batch {
    int size = 0;
    entry entries[batch_size];
  };

  static std::size_t place_of(std::uint64_t ordinal) {
    return std::size_t(hash_of(ordinal) >> (64 - shard_bits - near_bits) & (near_size - 1));
  }
  bool holds(std::size_t i, std::uint64_t ordinal) const {
    return near_[i].ordinal == ordinal && in_use_[i];
  }

  Sum& of_the_other(std::size_t i, std::uint64_t ordinal) {
    const std::size_t other = i ^ 1;
    if (holds(other, ordinal)) return near_[other].sum;
    if (in_use_[other]) send(near_[other]);
    near_[other] = near_[i], in_use_[other] = in_use_[i];
    near_[i] = {ordinal, Sum()}, in_use_[i] = true;
    return near_[i].sum;
  }
  void send(const entry& part) {
    const std::size_t i = shard_of(hash_of(part.ordinal));
    auto& parts = batches_[i];
    parts.entries[parts.size++] = part;
    if (parts.size == batch_size) flush(i);
  }
  void flush(std::size_t i) {
    const std::lock_guard lock(shards_[i].mutex);
    shards_[i].table.merge({batches_[i].entries, std::size_t(batches_[i].size)});
    batches_[i].size = 0;
  }

  shards<Sum>& shards_;
  std::vector<entry> near_;
  bool in_use_[near_size] = {};
  std::vector<batch> batches_;
  std::unordered_map<std::uint64_t, detail::wide_sum<double>> wide_;
};

void add_piece(local_sums<compact_sum>& sums, const key_values& from, const std::uint64_t* ordinals,
               std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    compact_sum& sum = sums.sum_of(ordinals[i]);
    if (!from.kept(i) || sum.add(from.doubles()[i])) continue;
    sums.fresh(ordinals[i]).add(from.doubles()[i]);
  }
}

void add_piece(local_sums<detail::integer_sum>& sums, const key_values& from,
               const std::uint64_t* ordinals, std::int64_t n) {
  const std::int64_t* const x = from.integers();
  for (std::int64_t i = 0; i < n; ++i) {
    auto& sum = sums.sum_of(ordinals[i]);
    if (!from.kept(i)) continue;
    if (from.is_unsigned())
      sum.add(std::uint64_t(x[i]));
    else
      sum.add(x[i]);
  }
}

// --- answers -----------------------------------------------------------------

struct answer_form {
  onefold::op op;
  rounding_context context;
  dtype type;
  std::int64_t least_count;  ///< an answer of fewer elements is replaced afterwards
};

status write_sum(const compact_sum& sum, const answer_form& as, std::byte* output) {
  return with_type(as.type, [&]<class Out>(detail::tag<Out>) -> status {
    if constexpr (std::is_integral_v<Out>)
      return no_floating_form(as.op, as.context.input, as.type);
    else
      return store(output, as.op == op::mean ? sum.mean<Out>() : sum.value<Out>()), status();
  });
}

status write_sum(const detail::wide_sum<double>& sum, const answer_form& as, std::byte* output) {
  return round_state(as.op, any_state(sum), as.context, output, as.type);
}

// Counts are sums of ones.
status write_sum(const detail::integer_sum& sum, const answer_form& as, std::byte* output) {
  auto done = accumulator_of(as.op) != accumulator::counts
                  ? round_state(as.op, any_state(sum), as.context, output, as.type)
                  : round_count(as.op, sum.value(), as.context.input, output, as.type);
  return sum.count() < as.least_count && is_replaceable(done) ? status() : done;
}

status write_entry(key_table<compact_sum>& from, std::uint32_t i, const compact_sum& more,
                   const answer_form& as, std::byte* output) {
  compact_sum whole = from[i].sum;
  if (!whole.spilled() && whole.merge(more)) return write_sum(whole, as, output);
  auto wide = whole.spilled() ? from.wide(i) : whole.widened();
  more.drain(wide);
  return write_sum(wide, as, output);
}

status write_entry(key_table<detail::integer_sum>& from, std::uint32_t i,
                   const detail::integer_sum& more, const answer_form& as, std::byte* output) {
  detail::integer_sum whole = from[i].sum;
  whole.merge(more);
  return write_sum(whole, as, output);
}

// The caller's initial value as a sum of one element.
template <class Sum>
Sum initial_sum(const reduction& reduction) {
  Sum sum;
  if (!reduction.options.initial) return sum;
  const auto add = [&](auto element) { sum.add(element); };
  with_type(reduction.x_type, [&]<class T>(detail::tag<T>) {
    const T element = initial_element<T>(*reduction.options.initial);
    if constexpr (std::is_same_v<Sum, compact_sum>) {
      exact_sum<T> one;
      one.add(element);
      add(one.template value<double>());
    } else if constexpr (std::is_integral_v<T>) {
      add(element);
    }
  });
  return sum;
}

// --- all of it -----------------------------------------------------------------

template <class Sum>
class key_sums {
 public:
  key_sums(const reduction& reduction, const array_view& keys)
      : reduction_(reduction), keys_(keys) {}

  status run(const group_maker& make) {
    if (auto done = add_all(); !done) return done;
    std::int64_t groups = 0;
    for (auto& shard : shards_) groups += shard.table.size();
    auto outputs = make_outputs(reduction_, groups, make);
    if (!outputs) return outputs.why();
    if (auto done = write_answers(*outputs); !done) return done;
    return sort_groups(groups, keys_.type(), *outputs, reduction_.plan.threads,
                       reduction_.options.stop);
  }

 private:
  status add_all() {
    const auto& plan = reduction_.plan;
    const std::int64_t n = plan.items, pieces = (n + piece_items - 1) / piece_items;
    first_failure failure;
    auto done =
        share({pieces, plan.threads, piece_items, n, 0, n}, reduction_.options, [&](auto& next) {
          local_sums<Sum> sums(shards_);
          key_values values(reduction_, std::min(piece_items, n));
          std::vector<std::uint64_t> ordinals(std::size_t(std::min(piece_items, n)));
          while (const auto piece = next()) {
            const std::int64_t first = *piece * piece_items,
                               items = std::min(piece_items, n - first);
            if (failure.any()) return;
            if (!values.read(first, items)) {
              failure.note(met_a_nan(plan.ops[0]));
              return;
            }
            read_ordinals(keys_, first, items, ordinals.data());
            add_piece(sums, values, ordinals.data(), items);
          }
          sums.flush_all();
        });
    return failure.any() ? failure.why() : done;
  }

  // The memory of a shard is freed as soon as its answers are written.
  status write_answers(const group_outputs& outputs) {
    std::vector<std::int64_t> firsts;
    std::int64_t first = 0;
    for (auto& shard : shards_) firsts.push_back(std::exchange(first, first + shard.table.size()));
    options quiet;
    quiet.stop = reduction_.options.stop;
    first_failure failure;
    const shared_work work = {shards_count, reduction_.plan.threads, 0, 0};
    auto done = share(work, quiet, [&](auto& next) {
      while (const auto i = next()) {
        auto table = std::exchange(shards_[std::size_t(*i)].table, key_table<Sum>());
        if (failure.any() || !failure.note(write_table(table, firsts[std::size_t(*i)], outputs)))
          return;
      }
    });
    return failure.any() ? failure.why() : done;
  }

  status write_table(key_table<Sum>& from, std::int64_t first, const group_outputs& outputs) {
    const answer_form as = {reduction_.plan.ops[0],
                            {reduction_.x_type, nan_policy::propagate, 0, 0},
                            outputs.answers.type(),
                            reduction_.options.min_count};
    const auto key_bytes = std::int64_t(size_bytes(keys_.type()));
    auto* const keys = static_cast<std::byte*>(outputs.keys) + first * key_bytes;
    for (std::uint32_t i = 0; i < from.size(); ++i) {
      write_key(keys_.type(), from[i].ordinal, keys + i * key_bytes);
      auto* const place = place_of(outputs.answers, first + i, 1);
      if (auto done = write_entry(from, i, initial_, as, place); !done) return done;
    }
    return {};
  }

  const reduction& reduction_;
  const array_view& keys_;
  const Sum initial_ = initial_sum<Sum>(reduction_);
  shards<Sum> shards_ = shards<Sum>(shards_count);
};

}  // namespace

bool sums_by_key(const plan& plan) {
  const op op = plan.ops[0];
  return plan.accuracy == accuracy::exact && (op == op::sum || op == op::mean || op == op::norm1 ||
                                              op == op::count || op == op::count_nonzero);
}

status sum_by_key(const reduction& reduction, const array_view& keys, const group_maker& make) {
  const float_environment sound;
  if (is_floating(reduction.x_type) && accumulator_of(reduction.plan.ops[0]) != accumulator::counts)
    return key_sums<compact_sum>(reduction, keys).run(make);
  return key_sums<detail::integer_sum>(reduction, keys).run(make);
}

}  // namespace onefold::cpu
