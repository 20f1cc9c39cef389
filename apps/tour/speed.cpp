// SPDX-License-Identifier: Apache-2.0
// Act three of the tour: speeds as fractions of the read bandwidth.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <execution>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "apps/tour/terminal.hpp"
#include "apps/tour/tour.hpp"
#include "bench/read_ceiling.hpp"
#include "onefold/machine.hpp"
#include "onefold/onefold.hpp"

namespace onefold::tour {
namespace {

constexpr std::size_t items = std::size_t(256) << 17;  // 256 MiB of f64
constexpr int rounds = 5;

volatile double sink;

struct row {
  std::string name;
  std::function<void()> work;
  std::vector<double> seconds = {};
};

// Round-robin, so that other load on the machine disturbs all rows alike.
void time_in_turn(std::vector<row>& rows) {
  for (int round = 0; round < rounds; ++round)
    for (auto& row : rows) {
      const auto begin = std::chrono::steady_clock::now();
      row.work();
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      row.seconds.push_back(took.count());
    }
}

double best_gbps(const row& row) {
  const double seconds = *std::min_element(row.seconds.begin(), row.seconds.end());
  return double(items * sizeof(double)) / seconds / 1e9;
}

bool is_reader(const row& row) {
  return row.name.empty();
}

// The fraction of the read speed: the median over the rounds, relative to the fastest reader of
// that round.
double share_of_reading(const std::vector<row>& rows, const row& row) {
  std::vector<double> shares;
  for (std::size_t round = 0; round < row.seconds.size(); ++round) {
    double fastest = std::numeric_limits<double>::infinity();
    for (const auto& reading : rows)
      if (is_reader(reading)) fastest = std::min(fastest, reading.seconds[round]);
    shares.push_back(fastest / row.seconds[round]);
  }
  const auto middle = shares.begin() + std::ptrdiff_t(shares.size() / 2);
  std::nth_element(shares.begin(), middle, shares.end());
  return *middle;
}

std::vector<row> make_rows(const std::vector<double>& x, int threads) {
  std::vector<row> rows = {
      {"onefold, exact", [&x] { sink = sum(x); }},
      {"onefold, fast", [&x] { sink = sum(x, {.accuracy = accuracy::fast}); }},
      {"std::reduce(par_unseq)",
       [&x] { sink = std::reduce(std::execution::par_unseq, x.begin(), x.end(), 0.0); }},
  };
  for (const auto& reader : bench::readers())
    for (int n = 1; n <= threads; n = n < threads ? threads : n + 1)
      rows.push_back({"", [&x, reader, n] {
                        sink = double(bench::read_all(reader, std::as_bytes(std::span(x)), {}, n));
                      }});
  return rows;
}

}  // namespace

void show_speed() {
  print_act("3. Speed: 256 MiB of float64, all cores");
  std::vector<double> x(items);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < items; ++i) x[i] = i < 65536 ? normal(random) : x[i - 65536];
  const auto facts = describe_machine();
  auto rows = make_rows(x, facts.threads);
  time_in_turn(rows);
  double ceiling = 0;
  for (const auto& row : rows)
    if (is_reader(row)) ceiling = std::max(ceiling, best_gbps(row));
  std::printf("  %s, %d threads, %s\n\n", facts.cpu.c_str(), facts.threads,
              facts.target_active.c_str());
  std::printf("  %-34s %7.1f GB/s\n", "reading alone (the ceiling)", ceiling);
  for (const auto& row : rows)
    if (!is_reader(row))
      std::printf("  %-34s %7.1f GB/s   %3.0f %% of reading in the same round\n", row.name.c_str(),
                  best_gbps(row), 100 * share_of_reading(rows, row));
}

}  // namespace onefold::tour
