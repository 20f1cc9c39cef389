// SPDX-License-Identifier: Apache-2.0
// The processes of --ranks: the ranks of one MPI job, each with its share of the elements.
//
// MPI is used by a module that is loaded at run time, so that the program runs where there is none.
// All ranks make the same calls, in the same order: what only one of them finds out goes through
// agree() before the next call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "failure.hpp"
#include "messages.hpp"
#include "onefold/state.hpp"
#include "onefold/status.hpp"

namespace onefold::program {

class ranks {
 public:
  ranks() = default;
  ranks(const ranks&) = delete;
  ranks& operator=(const ranks&) = delete;
  virtual ~ranks() = default;  ///< waits for all ranks, and ends MPI

  virtual std::int64_t rank() const noexcept = 0;
  virtual std::int64_t count() const noexcept = 0;
  bool first() const noexcept { return rank() == 0; }

  /// On all ranks ok, or the error of the first rank whose own status is not ok.
  virtual status agree(const status& own) = 0;
  /// On all ranks whether all gave the same number.
  virtual result<bool> same(std::int64_t number) = 0;
  /// The state of the elements of all ranks, in their order. Fails: as mpi::try_all_reduce.
  virtual status all_reduce(state& state) = 0;
  /// Ends all ranks, those that wait too: after an error that only this rank has.
  virtual void end_job(int exit_code) noexcept = 0;
};

/// The job that this process belongs to; a process that mpirun did not start is alone in one.
/// Throws failure (io_error: no module, or no MPI).
std::unique_ptr<ranks> join_ranks();

/// Whether the words ask for ranks, whatever else is wrong with them.
bool asks_for_ranks(int argc, char** argv) noexcept;

/// Throws failure (mismatch: the ranks have different command lines).
void check_same_words(ranks& all, int argc, char** argv);

/// The status of what is thrown now: in a catch block.
status thrown_status();

/// What `make` returns on this rank. If it throws on a rank, all throw failure, the same.
template <class Make>
auto on_all(ranks& all, const std::string& input, const Make& make) {
  std::optional<std::decay_t<decltype(make())>> made;
  status own;
  try {
    made.emplace(make());
  } catch (...) {
    own = thrown_status();
  }
  require(all.agree(own), input);
  return std::move(*made);
}

}  // namespace onefold::program
