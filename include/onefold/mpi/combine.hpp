// SPDX-License-Identifier: Apache-2.0
// How states and elements of all ranks are combined, by MPI's own collectives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "onefold/collective.hpp"
#include "onefold/mpi/agree.hpp"
#include "onefold/reduce.hpp"

namespace onefold::mpi::detail {

/// The words of several states, one state's after another's.
template <class Words>
result<std::vector<std::int64_t>> words_of(std::span<const state> states, const Words& words) {
  std::vector<std::int64_t> all;
  for (const state& each : states) {
    const auto some = words(each);
    if (!some) return some.why();
    all.insert(all.end(), some->begin(), some->end());
  }
  return all;
}

inline std::span<const std::int64_t> group(const std::vector<std::int64_t>& words, std::size_t i,
                                           std::size_t size) {
  return std::span(words).subspan(i * size, size);
}

// Sums: one reduction; of sums in bands another one before, of the bands.
inline status combine_sums(std::span<state> states, const target& to) {
  std::vector<std::int64_t> bands;
  for (const state& each : states) bands.push_back(additive_band(each).value());
  if (accumulator_of(states.front().op()) == accumulator::exponentials)
    if (auto done = combine(bands, MPI_MAX, {to.comm}); !done) return done;
  std::size_t next = 0;
  auto words =
      words_of(states, [&](const state& one) { return try_to_additive(one, bands[next++]); });
  if (!words) return words.why();
  if (auto done = combine(*words, MPI_SUM, to); !done || !to.is_here()) return done;
  const std::size_t size = words->size() / states.size();
  for (std::size_t i = 0; i < states.size(); ++i) {
    auto whole = from_additive(group(*words, i, size));
    if (!whole) return whole.why();
    states[i] = *whole;
  }
  return {};
}

// Extrema: the counts added, the greatest keys, then the positions of those that have them.
inline status combine_extrema(std::span<state> states, const target& to) {
  auto counts = words_of(states, [](const state& one) { return extrema_counts(one); });
  auto keys = words_of(states, [](const state& one) { return extrema_keys(one); });
  if (!counts || !keys) return counts ? keys.why() : counts.why();
  if (auto done = combine(*counts, MPI_SUM, to); !done) return done;
  if (auto done = combine(*keys, MPI_MAX, {to.comm}); !done) return done;
  std::size_t i = 0;
  auto positions = words_of(states, [&](const state& one) {
    return extrema_positions(one, group(*keys, i++, extrema_key_words));
  });
  if (!positions) return positions.why();
  if (auto done = combine(*positions, MPI_MAX, to); !done || !to.is_here()) return done;
  for (i = 0; i < states.size(); ++i) {
    auto whole =
        from_extrema(group(*counts, i, extrema_count_words), group(*keys, i, extrema_key_words),
                     group(*positions, i, extrema_position_words));
    if (!whole) return whole.why();
    states[i] = *whole;
  }
  return {};
}

// Products: gathered as bytes, and merged in the order of the ranks.
inline status combine_in_order(std::span<state> states, const target& to) {
  int ranks = 1;
  if (auto done = checked(MPI_Comm_size(to.comm, &ranks)); !done) return done;
  for (state& each : states) {
    const std::vector<std::byte> own = each.bytes();
    std::vector<std::byte> all(own.size() * std::size_t(ranks));
    const int size = int(own.size());
    const int code =
        to.root
            ? MPI_Gather(own.data(), size, MPI_BYTE, all.data(), size, MPI_BYTE, *to.root, to.comm)
            : MPI_Allgather(own.data(), size, MPI_BYTE, all.data(), size, MPI_BYTE, to.comm);
    if (auto done = checked(code); !done) return done;
    if (!to.is_here()) continue;
    auto whole = merge_gathered(all);
    if (!whole) return whole.why();
    each = *whole;
  }
  return {};
}

/// On the ranks that get no result the states are as they were.
inline status combine_states(std::span<state> states, const target& to) {
  const state& first = states.front();
  if (accumulator_of(first.op()) == accumulator::extrema) return combine_extrema(states, to);
  if (additive_word_count(first.op(), first.input()) > 0) return combine_sums(states, to);
  return combine_in_order(states, to);
}

/// As combine_states, of as many states as there are: words of so many at a time.
inline status combine_all(std::span<state> states, const target& to) {
  constexpr std::size_t batch = 4096;
  for (; !states.empty(); states = states.subspan(std::min(batch, states.size())))
    if (auto done = combine_states(states.first(std::min(batch, states.size())), to); !done)
      return done;
  return {};
}

/// Whether a state depends on the place of its elements among those of all ranks.
inline bool has_places(op op) {
  return accumulator_of(op) == accumulator::extrema ||
         onefold::detail::has_trait(accumulator_of(op), onefold::detail::merges_in_order);
}

/// The options of this rank's part: positions go on from the ranks before.
inline status place_part(const array_view& x, MPI_Comm comm, options& options) {
  std::int64_t items = 1, before = 0;
  for (const axis_layout& axis : x.axes()) items *= axis.extent;
  int rank = 0;
  if (auto done = checked(MPI_Comm_rank(comm, &rank)); !done) return done;
  const int code = MPI_Exscan(&items, &before, 1, MPI_INT64_T, MPI_SUM, comm);
  if (auto done = checked(code); !done) return done;
  if (rank > 0) options.first_index += before;  // on rank 0 it is not written
  return {};
}

/// Fails: usage (no rank of the communicator).
inline status check_root(const target& to) {
  if (!to.root || !check_communicator(to.comm)) return {};
  int ranks = 0;
  if (auto done = checked(MPI_Comm_size(to.comm, &ranks)); !done) return done;
  if (*to.root >= 0 && *to.root < ranks) return {};
  return {status_code::usage, "the root " + std::to_string(*to.root) +
                                  " is no rank of the communicator, which has ranks 0 to " +
                                  std::to_string(ranks - 1)};
}

/// The state of this rank's views, then that of all ranks. output: the type that the caller rounds
/// the state to; below 0: none.
inline result<state> reduce_views(op op, std::initializer_list<array_view> views, const target& to,
                                  const options& options, std::int64_t output = -1) {
  onefold::options placed = options;
  request request;
  if (to.root) request.call = call::reduce, request.root = *to.root;
  request.op = op;
  request.output = output;
  request.nan_policy = options.nan_policy, request.correction = options.correction;
  const status root = check_root(to);
  if (has_places(op)) {
    request.first_index = options.first_index;
    if (views.size() > 0) request.input = views.begin()->type();
    // Without a view the call fails at once. The other ranks have to know before they count.
    const status own = views.size() > 0 ? root : try_partial(executor{}, op, views, placed).why();
    if (auto fine = agreed(own, request, to.comm); !fine) return fine;
    if (auto done = place_part(*views.begin(), to.comm, placed); !done) return done;
  }
  auto part = root ? try_partial(executor{}, op, views, placed) : result<state>(root);
  if (part) request.input = part->input();
  if (auto fine = agreed(part.why(), request, to.comm); !fine) return fine;
  if (auto done = combine_states(std::span(&*part, 1), to); !done) return done;
  return part;
}

/// What the ranks of a call with many answers ask for.
inline request answers_request(op op, const array_view& x, const output_view& output,
                               const options& options) {
  request request;
  request.call = call::answers;
  request.op = op, request.input = x.type(), request.output = std::int64_t(output.type());
  request.nan_policy = options.nan_policy, request.correction = options.correction;
  for (const std::int64_t extent : answer_shape(x, options)) {
    request.answers *= extent;
    request.shape = (request.shape ^ std::uint64_t(extent)) * 0x9E3779B97F4A7C15u + 1;
  }
  return request;
}

/// Blocks of elements: each rank gets a share of every rank's block, reduces its columns, and sends
/// the answers to all.
template <class T>
class element_blocks {
 public:
  element_blocks(op op, MPI_Comm comm) : comm_(comm) {
    down_.axes = axis(0);
    request_.call = call::elements;
    request_.op = op, request_.input = dtype_of<T>, request_.output = std::int64_t(dtype_of<T>);
  }

  /// Fails, on all ranks the same: mismatch (another type or number of elements on a rank).
  status start(std::size_t elements) {
    request_.answers = std::int64_t(elements);
    if (auto fine = agreed({}, request_, comm_); !fine) return fine;
    int ranks = 1;
    if (auto done = checked(MPI_Comm_size(comm_, &ranks)); !done) return done;
    if (auto done = checked(MPI_Comm_rank(comm_, &rank_)); !done) return done;
    bytes_.resize(std::size_t(ranks)), first_.resize(std::size_t(ranks));
    share_bytes_ = bytes_, share_first_ = first_;
    return {};
  }

  status reduce(std::span<T> x) {
    const std::size_t ranks = bytes_.size(), rank = std::size_t(rank_);
    const auto begin_of = [&](std::size_t i) { return x.size() * i / ranks; };
    for (std::size_t i = 0; i < ranks; ++i) {
      first_[i] = int(begin_of(i) * sizeof(T));
      bytes_[i] = int((begin_of(i + 1) - begin_of(i)) * sizeof(T));
    }
    const std::size_t own_items = std::size_t(bytes_[rank]) / sizeof(T);
    for (std::size_t i = 0; i < ranks; ++i) {
      share_bytes_[i] = bytes_[rank];
      share_first_[i] = int(i * own_items * sizeof(T));
    }
    shares_.resize(own_items * ranks);
    int code = MPI_Alltoallv(x.data(), bytes_.data(), first_.data(), MPI_BYTE, shares_.data(),
                             share_bytes_.data(), share_first_.data(), MPI_BYTE, comm_);
    if (auto done = checked(code); !done) return done;
    const status own = columns(x.subspan(begin_of(rank), own_items), ranks);
    if (auto fine = agreed(own, request_, comm_); !fine) return fine;
    code = MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x.data(), bytes_.data(),
                          first_.data(), MPI_BYTE, comm_);
    return checked(code);
  }

 private:
  status columns(std::span<T> answers, std::size_t ranks) const {
    if (answers.empty()) return {};
    const std::int64_t shape[] = {std::int64_t(ranks), std::int64_t(answers.size())};
    const array_view rows(shares_.data(), dtype_of<T>, row_major(shape, sizeof(T)));
    return onefold::reduce(executor{}, request_.op, rows, answers, down_);
  }

  request request_;
  MPI_Comm comm_;
  options down_;
  int rank_ = 0;
  std::vector<int> bytes_, first_, share_bytes_, share_first_;
  std::vector<T> shares_;
};

}  // namespace onefold::mpi::detail
