// SPDX-License-Identifier: Apache-2.0
// Exact reductions over the ranks of an MPI communicator, by MPI's own reductions of integers.
// Header-only, for the caller's MPI (3.1 or later): the library links none.
//
//   double sum = onefold::mpi::all_reduce<double>(onefold::op::sum, mine, MPI_COMM_WORLD);
//
// Every rank gets the same bits, those of one process that has all elements. Calls are collective:
// all ranks of the communicator make the same call of this header. It begins with one message, in
// which they compare the kind of call, the root, the operator, the types, the number and shape of
// the answers and the options that decide them. A rank whose part fails, or that asks for something
// else, is an error on all ranks, the same one, and none waits for ever; so is an
// intercommunicator. Failures of MPI itself follow the communicator's error handler, which by
// default ends the job.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "onefold/collective.hpp"
#include "onefold/mpi/combine.hpp"
#include "onefold/reduce.hpp"

namespace onefold::mpi {

/// Makes of each state the state of all ranks' elements: of the states at the same place on all
/// ranks. Collective.
/// Shape:  as many states on each rank, of one operator and element type.
/// Order:  none; prod: the elements of rank 0, those of rank 1, and so on.
/// Fails, on all ranks the same: mismatch (operators, types or numbers differ; 2^31 ranks),
///         overflow. The states are then those of some elements, and of no use. An allocation that
///         fails between two messages throws on its rank alone: end the job, the others wait.
/// Cost:   two messages of MPI_Allreduce, of 21 words and of additive_word_count words a state;
///         logsumexp three, extrema four; prod a gather for each state.
inline status try_all_reduce(std::span<state> states, MPI_Comm comm) {
  detail::request request;
  request.call = detail::call::states;
  request.answers = std::int64_t(states.size());
  if (!states.empty()) request.op = states[0].op(), request.input = states[0].input();
  status own;
  for (const state& each : states)
    if (each.op() != request.op || each.input() != request.input)
      own = {status_code::mismatch, "the states are of several operators or element types"};
  if (auto fine = detail::agreed(own, request, comm); !fine) return fine;
  return detail::combine_all(states, {comm});
}

/// The state of the elements of all ranks' views, one view after another in the order of the ranks.
/// Collective.
/// Shape:  views of any shape on each rank, two of one shape for dot, else one; all axes reduced.
///         options as try_partial; first_index is that of rank 0's first element, and each rank
///         gives it.
/// Fails, on all ranks the same: as try_partial on the first rank where it fails; as try_all_reduce
///         of states; mismatch (another nan_policy, correction or first_index).
/// Cost:   as try_all_reduce of states; extrema and prod two messages more, which count the
///         elements of the ranks before.
inline result<state> try_all_reduce(op op, std::initializer_list<array_view> views, MPI_Comm comm,
                                    const options& options = {}) {
  return detail::reduce_views(op, views, {comm}, options);
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
  const state whole =
      detail::reduce_views(op, views, {comm}, options, std::int64_t(dtype_of<T>)).value();
  return whole.value<T>({options.nan_policy, options.correction});
}

template <element T>
T all_reduce(op op, const array_view& x, MPI_Comm comm, const options& options = {}) {
  return all_reduce<T>(op, {x}, comm, options);
}

/// As try_all_reduce, but rank `root` alone gets the state of all elements: the others get that of
/// their own, for half of the messages. Collective. What `root` alone finds out is an error there
/// alone: overflow. Fails, on all ranks the same: mismatch (another root), usage (no rank).
inline result<state> try_reduce(op op, std::initializer_list<array_view> views, int root,
                                MPI_Comm comm, const options& options = {}) {
  return detail::reduce_views(op, views, {comm, root}, options);
}

inline result<state> try_reduce(op op, const array_view& x, int root, MPI_Comm comm,
                                const options& options = {}) {
  return try_reduce(op, {x}, root, comm, options);
}

/// The answer on rank `root`, and none on the others. As try_reduce. Fails: throws onefold::error;
/// where the elements have no answer, on `root` alone.
template <element T>
std::optional<T> reduce(op op, std::initializer_list<array_view> views, int root, MPI_Comm comm,
                        const options& options = {}) {
  const detail::target to = {comm, root};
  const state whole =
      detail::reduce_views(op, views, to, options, std::int64_t(dtype_of<T>)).value();
  if (!to.is_here()) return std::nullopt;
  return whole.value<T>({options.nan_policy, options.correction});
}

template <element T>
std::optional<T> reduce(op op, const array_view& x, int root, MPI_Comm comm,
                        const options& options = {}) {
  return reduce<T>(op, {x}, root, comm, options);
}

/// Many answers: the reduced axes are split over the ranks, the kept ones are whole on each.
/// Collective. Positions count from each rank's own first element, plus options::first_index.
/// Shape:  as reduce; the answers have one shape and type on all ranks, the output any strides.
/// Fails, on all ranks the same: as reduce and partials on the first rank where they fail; as
///         try_all_reduce of states; mismatch (another nan_policy or correction).
inline status all_reduce(op op, const array_view& x, const output_view& output, MPI_Comm comm,
                         const options& options) {
  auto states = onefold::detail::answer_states(op, x, output, options);
  const auto request = states ? detail::answers_request(op, x, output, options) : detail::request();
  if (auto fine = detail::agreed(states.why(), request, comm); !fine) return fine;
  if (auto done = detail::combine_all(*states, {comm}); !done) return done;
  return onefold::detail::write_answers(*states, output, options);
}

/// Element by element: x[i] of every rank becomes the answer over the x[i] of all ranks, rounded
/// once to T. Gradients of data-parallel training, for one. Collective.
/// Shape:  as many elements of one type on each rank; op has one answer, and T can hold it.
/// Order:  none: the same bits for any number of ranks that hold the same elements, and for any
///         algorithm of the transport.
/// Fails, on all ranks the same: mismatch (types or numbers differ); as reduce, and x is then of
///         no use.
/// Cost:   as a reduce-scatter and an all-gather: each element is sent and received twice, in
///         blocks of 32 MiB a rank.
template <element T>
status all_reduce_elements(op op, std::span<T> x, MPI_Comm comm) {
  detail::element_blocks<T> blocks(op, comm);
  constexpr std::size_t most = (std::size_t(32) << 20) / sizeof(T);
  status done = blocks.start(x.size());
  for (std::size_t i = 0; done.ok() && i < x.size(); i += most)
    done = blocks.reduce(x.subspan(i, std::min(most, x.size() - i)));
  return done;
}

/// A datatype and an operation of MPI for serialized states (state::bytes) of one operator and
/// element type, for reductions of the caller's own: of many states, with other collectives, or
/// non-blocking. Order: none; prod does not commute, and MPI keeps the order of the ranks, but
/// which neighbours it merges first decides the last bits of floats, within the bound. To be
/// destroyed before MPI_Finalize.
class state_operation {
 public:
  /// Fails: throws onefold::error, unsupported if the operator does not take the element type.
  state_operation(op op, dtype input) : size_(state(op, input).bytes().size()) {
    const bool commutes =
        !onefold::detail::has_trait(accumulator_of(op), onefold::detail::merges_in_order);
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
