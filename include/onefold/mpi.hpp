// SPDX-License-Identifier: Apache-2.0
// Exact reductions over the ranks of an MPI communicator, by MPI's own reductions of integers.
// Header-only, for the caller's MPI (3.1 or later): the library links none.
//
//   double sum = onefold::mpi::all_reduce<double>(onefold::op::sum, mine, MPI_COMM_WORLD);
//
// Every rank gets the same bits, those of one process that has all elements. Calls are collective:
// all ranks of the communicator make them. A rank whose part fails, or that asks for something
// else, is an error on all ranks, the same one, and none waits for ever. Failures of MPI itself
// follow the communicator's error handler, which by default ends the job.
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
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "onefold/collective.hpp"
#include "onefold/reduce.hpp"

namespace onefold::mpi {

namespace detail {

/// MPI's answer as a status.
inline status checked(int code) {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {status_code::io_error, "MPI failed: " + std::string(text, std::size_t(length))};
}

/// Combines words over the ranks, in place. Counts of MPI are int: many words are several calls.
inline status combine(std::span<std::int64_t> words, MPI_Op how, MPI_Comm comm) {
  constexpr std::size_t most = std::size_t(1) << 28;
  while (!words.empty()) {
    const auto piece = words.first(std::min(words.size(), most));
    const int code =
        MPI_Allreduce(MPI_IN_PLACE, piece.data(), int(piece.size()), MPI_INT64_T, how, comm);
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
  if (auto done = combine(words, MPI_MAX, comm); !done) return done;
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
inline status combine_sums(std::span<state> states, MPI_Comm comm) {
  auto words = words_of(states, [](const state& one) { return try_to_additive(one); });
  if (!words) return words.why();
  if (auto done = combine(*words, MPI_SUM, comm); !done) return done;
  const std::size_t size = words->size() / states.size();
  for (std::size_t i = 0; i < states.size(); ++i) {
    auto whole = from_additive(group(*words, i, size));
    if (!whole) return whole.why();
    states[i] = *std::move(whole);
  }
  return {};
}

// Extrema: the counts added, the greatest keys, then the positions of those that have them.
inline status combine_extrema(std::span<state> states, MPI_Comm comm) {
  auto counts = words_of(states, [](const state& one) { return extrema_counts(one); });
  auto keys = words_of(states, [](const state& one) { return extrema_keys(one); });
  if (!counts || !keys) return counts ? keys.why() : counts.why();
  if (auto done = combine(*counts, MPI_SUM, comm); !done) return done;
  if (auto done = combine(*keys, MPI_MAX, comm); !done) return done;
  std::size_t i = 0;
  auto positions = words_of(states, [&](const state& one) {
    return extrema_positions(one, group(*keys, i++, extrema_key_words));
  });
  if (!positions) return positions.why();
  if (auto done = combine(*positions, MPI_MAX, comm); !done) return done;
  for (i = 0; i < states.size(); ++i) {
    auto whole =
        from_extrema(group(*counts, i, extrema_count_words), group(*keys, i, extrema_key_words),
                     group(*positions, i, extrema_position_words));
    if (!whole) return whole.why();
    states[i] = *std::move(whole);
  }
  return {};
}

// Ordered states: gathered as bytes, and merged in the order of the ranks.
inline status combine_in_order(std::span<state> states, MPI_Comm comm) {
  int ranks = 1;
  if (auto done = checked(MPI_Comm_size(comm, &ranks)); !done) return done;
  for (state& each : states) {
    const std::vector<std::byte> mine = each.bytes();
    std::vector<std::byte> all(mine.size() * std::size_t(ranks));
    const int code = MPI_Allgather(mine.data(), int(mine.size()), MPI_BYTE, all.data(),
                                   int(mine.size()), MPI_BYTE, comm);
    if (auto done = checked(code); !done) return done;
    auto whole = merge_gathered(all);
    if (!whole) return whole.why();
    each = *std::move(whole);
  }
  return {};
}

inline status combine_states(std::span<state> states, MPI_Comm comm) {
  const state& first = states.front();
  if (accumulator_of(first.op()) == accumulator::extrema) return combine_extrema(states, comm);
  if (additive_word_count(first.op(), first.input()) > 0) return combine_sums(states, comm);
  return combine_in_order(states, comm);
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

}  // namespace detail

/// Makes of each state the state of all ranks' elements: of the states at the same place on all
/// ranks. Collective.
/// Shape:  as many states on each rank, of one operator and element type.
/// Order:  none; prod and logsumexp: the elements of rank 0, those of rank 1, and so on.
/// Fails, on all ranks the same: mismatch (operators, types or numbers differ; 2^31 ranks),
///         overflow, out_of_memory. The states are then those of some elements, and of no use.
/// Cost:   two messages of MPI_Allreduce, of 7 words and of additive_word_count words a state;
///         extrema four; prod and logsumexp a gather for each state.
inline status try_all_reduce(std::span<state> states, MPI_Comm comm) {
  detail::request asked;
  asked.states = std::int64_t(states.size());
  if (!states.empty()) asked.op = states[0].op(), asked.input = states[0].input();
  status mine;
  for (const state& each : states)
    if (each.op() != asked.op || each.input() != asked.input)
      mine = {status_code::mismatch, "the states are of several operators or element types"};
  if (auto fine = detail::agreed(mine, asked, comm); !fine) return fine;
  // Words of so many states at a time.
  constexpr std::size_t batch = 4096;
  for (std::size_t i = 0; i < states.size(); i += batch) {
    const auto some = states.subspan(i, std::min(batch, states.size() - i));
    if (auto done = detail::combine_states(some, comm); !done) return done;
  }
  return {};
}

/// The state of the elements of all ranks' views, one view after another in the order of the ranks.
/// Collective.
/// Shape:  views of any shape on each rank, two of one shape for dot, else one; all axes reduced.
///         options as try_partial; first_index is that of rank 0's first element.
/// Fails, on all ranks the same: as try_partial on the first rank where it fails; as try_all_reduce
///         of states.
inline result<state> try_all_reduce(op op, std::initializer_list<array_view> views, MPI_Comm comm,
                                    const options& options = {}) {
  onefold::options mine = options;
  if (views.size() > 0)
    if (auto done = detail::place_part(*views.begin(), comm, mine); !done) return done;
  auto part = try_partial(executor{}, op, views, mine);
  const status own = part.ok() ? status() : part.why();
  const dtype input = part.ok() ? part->input() : dtype::f64;
  if (auto fine = detail::agreed(own, {op, input, 1}, comm); !fine) return fine;
  if (auto done = detail::combine_states(std::span(&*part, 1), comm); !done) return done;
  return part;
}

/// The same of one view.
inline result<state> try_all_reduce(op op, const array_view& x, MPI_Comm comm,
                                    const options& options = {}) {
  return try_all_reduce(op, {x}, comm, options);
}

/// The answer, in the type T, rounded once. As try_all_reduce. Fails: throws onefold::error, on all
/// ranks.
template <element T>
T all_reduce(op op, std::initializer_list<array_view> views, MPI_Comm comm,
             const options& options = {}) {
  const state whole = try_all_reduce(op, views, comm, options).value();
  return whole.value<T>({options.nan_policy, options.correction});
}

template <element T>
T all_reduce(op op, const array_view& x, MPI_Comm comm, const options& options = {}) {
  return all_reduce<T>(op, {x}, comm, options);
}

/// Many answers: the reduced axes are split over the ranks, the kept ones are whole on each.
/// Collective. Positions count from each rank's own first element, plus options::first_index.
/// Shape:  as reduce; the answers have one shape on all ranks.
/// Fails, on all ranks the same: as partials and state::write on the first rank where they fail; as
/// try_all_reduce of states.
inline status all_reduce(op op, const array_view& x, const output_view& output, MPI_Comm comm,
                         const options& options) {
  std::int64_t count = 1;
  for (const std::int64_t extent : answer_shape(x, options)) count *= extent;
  std::vector<state> states;
  status own;
  try {
    states.assign(std::size_t(count), state(op, x.type()));
    own = partials(
        executor{}, op, {x},
        [&](std::int64_t i, const state& part) { states[std::size_t(i)] = part; }, options);
  } catch (const error& failed) {
    own = failed.why();
  } catch (...) {
    own = onefold::detail::memory_refused();
  }
  if (auto fine = detail::agreed(own, {op, x.type(), count}, comm); !fine) return fine;
  if (auto done = try_all_reduce(states, comm); !done) return done;
  const auto item = std::int64_t(size_bytes(output.type())) * answers_of(op);
  auto* const to = static_cast<std::byte*>(output.data());
  for (std::int64_t i = 0; i < count; ++i) {
    auto done = states[std::size_t(i)].write(to + i * item, output.type(),
                                             {options.nan_policy, options.correction});
    if (!done) return done;
  }
  return {};
}

/// A datatype and an operation of MPI for serialized states (state::bytes) of one operator and
/// element type, for reductions of the caller's own: of many states, with other collectives, or
/// non-blocking. Order: none; prod and logsumexp do not commute, and MPI keeps the order of the
/// ranks, but which neighbours it merges first decides their last bits, within the bound. To be
/// destroyed before MPI_Finalize.
class state_operation {
 public:
  /// Fails: throws onefold::error, unsupported if the operator does not take the element type.
  state_operation(op op, dtype input) : size_(state(op, input).bytes().size()) {
    const bool commutes =
        accumulator_of(op) != accumulator::product && accumulator_of(op) != accumulator::log_sum;
    MPI_Type_contiguous(int(size_), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
    MPI_Op_create(&merge, commutes ? 1 : 0, &operation_);
  }
  state_operation(const state_operation&) = delete;
  state_operation& operator=(const state_operation&) = delete;
  ~state_operation() {
    MPI_Op_free(&operation_);
    MPI_Type_free(&type_);
  }

  MPI_Datatype type() const noexcept { return type_; }
  MPI_Op operation() const noexcept { return operation_; }
  std::size_t size() const noexcept { return size_; }  ///< bytes of a state

 private:
  // MPI passes no errors on: states that do not merge become zeros, which from_bytes refuses.
  static void merge(void* first, void* second, int* count, MPI_Datatype* type) noexcept {
    int size = 0;
    MPI_Type_size(*type, &size);
    for (std::ptrdiff_t i = 0; i < *count; ++i) {
      auto* const front = static_cast<std::byte*>(first) + i * size;
      auto* const next = static_cast<std::byte*>(second) + i * size;
      if (!merge_bytes({front, std::size_t(size)}, {next, std::size_t(size)}))
        std::fill_n(next, size, std::byte(0));
    }
  }
  // into = front, then into.
  static bool merge_bytes(std::span<const std::byte> front, std::span<std::byte> into) noexcept
      try {
    std::vector<std::byte> both(front.begin(), front.end());
    both.insert(both.end(), into.begin(), into.end());
    const auto whole = merge_gathered(both);
    if (!whole) return false;
    const auto bytes = whole->bytes();
    if (bytes.size() != into.size()) return false;
    std::copy(bytes.begin(), bytes.end(), into.begin());
    return true;
  } catch (...) {
    return false;
  }

  std::size_t size_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op operation_ = MPI_OP_NULL;
};

}  // namespace onefold::mpi
