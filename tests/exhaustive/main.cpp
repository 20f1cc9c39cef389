// SPDX-License-Identifier: Apache-2.0
// exhaustive_pairs RESULT_FILE [THREADS]: all 2^32 pairs of f16 and of bf16, sums and dot products.
// Writes a line for each format and operator; the exit status is 1 if a pair came out wrong.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "exhaustive/pairs.hpp"
#include "onefold/machine.hpp"

namespace onefold::test {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

void report_wrong(std::uint16_t a, std::uint16_t b, pair_op op) {
  std::fprintf(stderr, "wrong: a = %04x, b = %04x, %s\n", a, b,
               op == pair_op::sum ? "a + b" : "a a + a b");
}

// Even a in rows, odd a in columns.
template <class T>
std::int64_t count_mismatches(pair_op op, int threads) {
  std::atomic<int> next{0};
  std::atomic<std::int64_t> wrong{0};
  const auto work = [&] {
    pairs_of<T> pairs;
    for (int a = next++; a < all_16_bit; a = next++) {
      const auto layout = a % 2 == 0 ? pair_layout::rows : pair_layout::columns;
      const auto found = pairs.mismatches(std::uint16_t(a), op, layout);
      if (found > 0) report_wrong(std::uint16_t(a), pairs.first_wrong(), op);
      wrong += found;
    }
  };
  std::vector<std::thread> workers;
  for (int k = 0; k < threads; ++k) workers.emplace_back(work);
  for (auto& worker : workers) worker.join();
  return wrong;
}

template <class T>
std::int64_t try_all(std::FILE* to, const char* type, pair_op op, int threads) {
  const auto start = std::chrono::steady_clock::now();
  const auto wrong = count_mismatches<T>(op, threads);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::fprintf(to, "%s %s %s of %s: 4294967296 pairs, %lld mismatches, %.0f s, %d threads, %s\n",
               today().c_str(), ONEFOLD_VERSION_STRING, op == pair_op::sum ? "a + b" : "a a + a b",
               type, (long long)wrong, took.count(), threads,
               describe_machine().target_active.c_str());
  std::fflush(to);
  return wrong;
}

}  // namespace
}  // namespace onefold::test

int main(int count, char** words) {
  using namespace onefold::test;
  const char* const path = count > 1 ? words[1] : "";
  std::FILE* const to = std::fopen(path, "w");
  if (!to) return std::fprintf(stderr, "exhaustive_pairs: %s: cannot be written\n", path), 2;
  const int threads = count > 2 ? std::atoi(words[2]) : int(std::thread::hardware_concurrency());
  std::int64_t wrong = 0;
  for (const auto op : {pair_op::sum, pair_op::dot}) {
    wrong += try_all<onefold::f16>(to, "f16", op, threads);
    wrong += try_all<onefold::bf16>(to, "bf16", op, threads);
  }
  std::fclose(to);
  return wrong > 0;
}
