// SPDX-License-Identifier: Apache-2.0
// How states and elements of all ranks are combined, by MPI's own collectives.
#pragma once

// The C interface only: MPI's own for C++ is retired, and would have to be linked.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "onefold/collective.hpp"
#include "onefold/reduce.hpp"

namespace onefold::mpi::detail {

/// MPI's answer as a status.
inline status checked(int code) {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {status_code::io_error, "MPI failed: " + std::string(text, std::size_t(length))};
}

/// The ranks that get a result: all of them, or one.
struct target {
  MPI_Comm comm;
  std::optional<int> root{};

  bool is_here() const {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return !root || rank == *root;
  }
};

/// Combines words over the ranks, in place. Counts of MPI are int: many words are several calls.
inline status combine(std::span<std::int64_t> words, MPI_Op how, const target& to) {
  constexpr std::size_t most = std::size_t(1) << 28;
  const bool here = to.is_here();
  while (!words.empty()) {
    const auto piece = words.first(std::min(words.size(), most));
    const int count = int(piece.size());
    const void* const mine = here ? MPI_IN_PLACE : piece.data();
    const int code =
        to.root ? MPI_Reduce(mine, piece.data(), count, MPI_INT64_T, how, *to.root, to.comm)
                : MPI_Allreduce(mine, piece.data(), count, MPI_INT64_T, how, to.comm);
    if (auto done = checked(code); !done) return done;
    words = words.subspan(piece.size());
  }
  return {};
}

/// What all ranks have to have in common.
struct request {
  onefold::op op = onefold::op::sum;
  dtype input = dtype::f64;
  std::int64_t states = 0;
};

/// ok on all ranks, or the same error on all: the first rank's whose own is not ok, or what
/// differs.
inline status agreed(const status& mine, const request& asked, MPI_Comm comm) {
  int rank = 0;
  if (auto done = checked(MPI_Comm_rank(comm, &rank)); !done) return done;
  // The maximum of -x is the minimum of x. A rank without a state takes no part in it.
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
  const std::int64_t parts[] = {std::int64_t(asked.op), std::int64_t(asked.input), asked.states};
  std::int64_t words[7] = {mine.ok() ? none : -std::int64_t(rank)};
  for (int i = 0; i < 3; ++i) {
    words[1 + 2 * i] = mine.ok() ? parts[i] : none;
    words[2 + 2 * i] = mine.ok() ? -parts[i] : none;
  }
  if (auto done = combine(words, MPI_MAX, {comm}); !done) return done;
  if (words[0] != none) {
    const int failed = int(-words[0]);
    std::string message = mine.ok() ? "" : mine.message();
    std::int64_t about[] = {std::int64_t(mine.code()), std::int64_t(message.size())};
    if (auto done = checked(MPI_Bcast(about, 2, MPI_INT64_T, failed, comm)); !done) return done;
    message.resize(std::size_t(about[1]));
    const int code = MPI_Bcast(message.data(), int(message.size()), MPI_CHAR, failed, comm);
    if (auto done = checked(code); !done) return done;
    return {status_code(about[0]), "rank " + std::to_string(failed) + ": " + message};
  }
  const auto differ = [&](const std::string& what, const std::string& least,
                          const std::string& most) {
    return status(status_code::mismatch, "the ranks reduce " + what + ", from " + least + " to " +
                                             most + "; all have to make the same call");
  };
  if (words[1] != -words[2])
    return differ("by several operators", std::string(name(onefold::op(-words[2]))),
                  std::string(name(onefold::op(words[1]))));
  if (words[3] != -words[4])
    return differ("several types of elements", std::string(name(dtype(-words[4]))),
                  std::string(name(dtype(words[3]))));
  if (words[5] != -words[6])
    return differ("several numbers of answers", std::to_string(-words[6]),
                  std::to_string(words[5]));
  return {};
}

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

// Sums: one reduction.
inline status combine_sums(std::span<state> states, const target& to) {
  auto words = words_of(states, [](const state& one) { return try_to_additive(one); });
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

// Ordered states: gathered as bytes, and merged in the order of the ranks.
inline status combine_in_order(std::span<state> states, const target& to) {
  int ranks = 1;
  if (auto done = checked(MPI_Comm_size(to.comm, &ranks)); !done) return done;
  for (state& each : states) {
    const std::vector<std::byte> mine = each.bytes();
    std::vector<std::byte> all(mine.size() * std::size_t(ranks));
    const int size = int(mine.size());
    const int code =
        to.root
            ? MPI_Gather(mine.data(), size, MPI_BYTE, all.data(), size, MPI_BYTE, *to.root, to.comm)
            : MPI_Allgather(mine.data(), size, MPI_BYTE, all.data(), size, MPI_BYTE, to.comm);
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

/// The options of this rank's part: positions go on from the ranks before.
inline status place_part(const array_view& x, MPI_Comm comm, options& mine) {
  std::int64_t items = 1, before = 0;
  for (const axis_layout& axis : x.axes()) items *= axis.extent;
  int rank = 0;
  if (auto done = checked(MPI_Comm_rank(comm, &rank)); !done) return done;
  const int code = MPI_Exscan(&items, &before, 1, MPI_INT64_T, MPI_SUM, comm);
  if (auto done = checked(code); !done) return done;
  if (rank > 0) mine.first_index += before;  // on rank 0 it is not written
  return {};
}

/// The state of this rank's views, then that of all ranks.
inline result<state> reduce_views(op op, std::initializer_list<array_view> views, const target& to,
                                  const options& options) {
  onefold::options mine = options;
  if (views.size() > 0)
    if (auto done = place_part(*views.begin(), to.comm, mine); !done) return done;
  auto part = try_partial(executor{}, op, views, mine);
  const status own = part.ok() ? status() : part.why();
  const dtype input = part.ok() ? part->input() : dtype::f64;
  if (auto fine = agreed(own, {op, input, 1}, to.comm); !fine) return fine;
  if (auto done = combine_states(std::span(&*part, 1), to); !done) return done;
  return part;
}

/// Blocks of elements: each rank gets a share of every rank's block, reduces its columns, and sends
/// the answers to all.
template <class T>
class element_blocks {
 public:
  element_blocks(op op, MPI_Comm comm) : op_(op), comm_(comm) { down_.axes = axis(0); }

  status start() {
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
    const std::size_t mine = std::size_t(bytes_[rank]) / sizeof(T);
    for (std::size_t i = 0; i < ranks; ++i) {
      share_bytes_[i] = bytes_[rank];
      share_first_[i] = int(i * mine * sizeof(T));
    }
    shares_.resize(mine * ranks);
    int code = MPI_Alltoallv(x.data(), bytes_.data(), first_.data(), MPI_BYTE, shares_.data(),
                             share_bytes_.data(), share_first_.data(), MPI_BYTE, comm_);
    if (auto done = checked(code); !done) return done;
    const status own = columns(x.subspan(begin_of(rank), mine), ranks);
    if (auto fine = agreed(own, {op_, dtype_of<T>, 1}, comm_); !fine) return fine;
    code = MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x.data(), bytes_.data(),
                          first_.data(), MPI_BYTE, comm_);
    return checked(code);
  }

 private:
  status columns(std::span<T> answers, std::size_t ranks) const {
    if (answers.empty()) return {};
    const std::int64_t shape[] = {std::int64_t(ranks), std::int64_t(answers.size())};
    const array_view rows(shares_.data(), dtype_of<T>, row_major(shape, sizeof(T)));
    return onefold::reduce(executor{}, op_, rows, answers, down_);
  }

  op op_;
  MPI_Comm comm_;
  options down_;
  int rank_ = 0;
  std::vector<int> bytes_, first_, share_bytes_, share_first_;
  std::vector<T> shares_;
};

}  // namespace onefold::mpi::detail
