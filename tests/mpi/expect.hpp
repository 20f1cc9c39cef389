// SPDX-License-Identifier: Apache-2.0
// What the tests of ranks expect, counted over all ranks.
#pragma once

#include <cstring>
#include <functional>
#include <iostream>
#include <string>

#include "onefold/mpi.hpp"

namespace onefold::test {

inline int rank_of_this = 0, ranks = 1, wrong = 0, right = 0;

inline void know_ranks() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_of_this);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

inline void expect(bool fine, const std::function<std::string()>& said) {
  ++(fine ? right : wrong);
  if (!fine) std::cout << "rank " << rank_of_this << ": wrong: " << said() << std::endl;
}

/// All ranks have to get one error: the text is compared with rank 0's.
inline void expect_one_error(const status& own, status_code code, const std::string& part) {
  char first[1024] = {};
  std::strncpy(first, own.message().c_str(), sizeof first - 1);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  expect(own.code() == code && own.message() == first &&
             own.message().find(part) != std::string::npos,
         [&] { return "the error '" + own.message() + "', rank 0 has '" + first + "'"; });
}

/// The exit code of the program, after rank 0's line.
inline int report() {
  int counts[] = {wrong, right}, all[2];
  MPI_Allreduce(counts, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank_of_this == 0)
    std::cout << ranks << " ranks: " << all[1] << " right, " << all[0] << " wrong" << std::endl;
  return all[0] == 0 && all[1] > 0 ? 0 : 1;
}

}  // namespace onefold::test
