// SPDX-License-Identifier: Apache-2.0
// The module of --ranks: the only part of the program that is linked with MPI.
#include "onefold/mpi.hpp"
#include "onefold/version.hpp"
#include "ranks/ranks.hpp"

#include <new>
#include <string_view>

namespace onefold::program {
namespace {

class mpi_ranks final : public ranks {
 public:
  mpi_ranks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
  }
  // mpirun ends all ranks when one exits with an error: not before the first has reported it.
  ~mpi_ranks() override {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
  }

  std::int64_t rank() const noexcept override { return rank_; }
  std::int64_t count() const noexcept override { return count_; }

  status agree(const status& own) override { return mpi::detail::agreed(own, {}, MPI_COMM_WORLD); }
  result<bool> same(std::int64_t number) override {
    // The maximum of ~x is the minimum of x.
    std::int64_t words[] = {number, ~number};
    if (auto done = mpi::detail::combine(words, MPI_MAX, {MPI_COMM_WORLD}); !done) return done;
    return words[0] == ~words[1];
  }
  status all_reduce(state& state) override {
    return mpi::try_all_reduce({&state, 1}, MPI_COMM_WORLD);
  }
  void end_job(int exit_code) noexcept override { MPI_Abort(MPI_COMM_WORLD, exit_code); }

 private:
  int rank_ = 0, count_ = 1;
};

}  // namespace
}  // namespace onefold::program

/// The job of this process; null if the program is of another version.
extern "C" __attribute__((visibility("default"))) onefold::program::ranks*
onefold_join_ranks(const char* version) {
  if (version != std::string_view(ONEFOLD_VERSION_STRING)) return nullptr;
  return new (std::nothrow) onefold::program::mpi_ranks;
}
