// SPDX-License-Identifier: Apache-2.0
// The message that begins every call: ranks compare what they ask for, and share a rank's failure.
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
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include "onefold/detail/float_format.hpp"
#include "onefold/dtype.hpp"
#include "onefold/op.hpp"
#include "onefold/options.hpp"
#include "onefold/status.hpp"

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
    const void* const input = here ? MPI_IN_PLACE : piece.data();
    const int code =
        to.root ? MPI_Reduce(input, piece.data(), count, MPI_INT64_T, how, *to.root, to.comm)
                : MPI_Allreduce(input, piece.data(), count, MPI_INT64_T, how, to.comm);
    if (auto done = checked(code); !done) return done;
    words = words.subspan(piece.size());
  }
  return {};
}

/// The calls that begin with the same message.
enum class call : unsigned char { all_reduce, reduce, answers, states, elements };

constexpr std::string_view name(call which) noexcept {
  constexpr std::string_view names[] = {"all_reduce", "reduce", "all_reduce of many answers",
                                        "all_reduce of states", "all_reduce_elements"};
  return names[static_cast<unsigned>(which)];
}

/// What all ranks have to have in common.
struct request {
  detail::call call = detail::call::all_reduce;
  std::int64_t root = -1;  ///< of reduce
  onefold::op op = onefold::op::sum;
  dtype input = dtype::f64;
  std::int64_t output = -1;  ///< the type of the answers; below 0: states
  std::int64_t answers = 1;
  std::uint64_t shape = 0;  ///< a hash of the extents of the answers
  onefold::nan_policy nan_policy = onefold::nan_policy::propagate;
  double correction = 0;
  std::int64_t first_index = 0;  ///< where it is rank 0's for all
};

/// A part of a request as a number, and what a message says about ranks where it differs.
struct request_part {
  std::int64_t value;
  const char* difference;
  std::string (*text)(std::int64_t value);
};

inline constexpr std::size_t request_parts = 10;

inline std::array<request_part, request_parts> parts_of(const request& request) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  const auto type = [](std::int64_t value) {
    return std::string(value < 0 ? "a state" : onefold::name(dtype(value)));
  };
  return {{
      {std::int64_t(request.call), "make several kinds of calls",
       [](std::int64_t value) { return std::string(name(detail::call(value))); }},
      {request.root, "reduce to several roots", number},
      {request.answers, "reduce to several numbers of answers", number},
      {std::int64_t(request.op), "reduce by several operators",
       [](std::int64_t value) { return std::string(onefold::name(onefold::op(value))); }},
      {std::int64_t(request.input), "reduce several types of elements", type},
      {request.output, "reduce to several types of answers", type},
      {std::int64_t(request.shape), "reduce to several shapes of answers", nullptr},
      {std::int64_t(request.nan_policy), "give several options::nan_policy",
       [](std::int64_t value) { return std::string(onefold::name(onefold::nan_policy(value))); }},
      // 0 is added because -0 is the same correction as 0.
      {std::int64_t(onefold::detail::to_bits(request.correction + 0.0)),
       "give several options::correction",
       [](std::int64_t value) {
         return std::to_string(onefold::detail::from_bits<double>(std::uint64_t(value)));
       }},
      {request.first_index, "give several options::first_index", number},
  }};
}

/// Makes the status of the rank `failed` that of all ranks. Collective.
inline status share_failure(const status& own, int failed, MPI_Comm comm) {
  int rank = 0;
  if (auto done = checked(MPI_Comm_rank(comm, &rank)); !done) return done;
  std::string message = rank == failed ? own.message() : std::string();
  std::int64_t about[] = {std::int64_t(own.code()), std::int64_t(message.size())};
  if (auto done = checked(MPI_Bcast(about, 2, MPI_INT64_T, failed, comm)); !done) return done;
  message.resize(std::size_t(about[1]));
  const int code = MPI_Bcast(message.data(), int(message.size()), MPI_CHAR, failed, comm);
  if (auto done = checked(code); !done) return done;
  return {status_code(about[0]), "rank " + std::to_string(failed) + ": " + message};
}

/// Fails, on the ranks of both groups: unsupported (an intercommunicator).
inline status check_communicator(MPI_Comm comm) {
  int inter = 0;
  if (auto done = checked(MPI_Comm_test_inter(comm, &inter)); !done) return done;
  if (inter == 0) return {};
  return {status_code::unsupported,
          "the communicator is an intercommunicator, of two groups; give one of one group, as "
          "MPI_Intercomm_merge makes it"};
}

/// ok on all ranks, or the same error on all: the first rank's whose own is not ok, or what
/// differs. The first message of every call, so that ranks that make different calls fail, too.
inline status agreed(const status& own, const request& request, MPI_Comm comm) {
  if (auto fine = check_communicator(comm); !fine) return fine;
  int rank = 0;
  if (auto done = checked(MPI_Comm_rank(comm, &rank)); !done) return done;
  const auto parts = parts_of(request);
  // The maximum of ~x is the minimum of x. A failed rank's own request does not count.
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::min();
  std::int64_t words[1 + 2 * request_parts] = {own.ok() ? none : -std::int64_t(rank)};
  for (std::size_t i = 0; i < request_parts; ++i) {
    words[1 + 2 * i] = own.ok() ? parts[i].value : none;
    words[2 + 2 * i] = own.ok() ? ~parts[i].value : none;
  }
  if (auto done = combine(words, MPI_MAX, {comm}); !done) return done;
  if (words[0] != none) return share_failure(own, int(-words[0]), comm);
  for (std::size_t i = 0; i < request_parts; ++i) {
    const std::int64_t most = words[1 + 2 * i], least = ~words[2 + 2 * i];
    if (least == most) continue;
    std::string message = std::string("the ranks ") + parts[i].difference;
    if (parts[i].text) message += ", from " + parts[i].text(least) + " to " + parts[i].text(most);
    return {status_code::mismatch, message + "; all have to make the same call"};
  }
  return {};
}

}  // namespace onefold::mpi::detail
