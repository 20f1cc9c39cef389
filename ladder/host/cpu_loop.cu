// SPDX-License-Identifier: Apache-2.0
// A loop on the CPU, unrolled by two and by four, and its time.
//
// Unrolled, a loop tests and counts once for two or four elements. The body then reaches past the
// end of any length that is no multiple, so the elements that are left over get a loop of their
// own. Two more loops add an array up: there, four sums of their own also let the additions
// overlap, because none waits for the one before it. Nothing here is for the GPU: this is what a
// kernel is compared with, and `g++ -O1 -x c++ cpu_loop.cu` compiles it, too.
//
// The question: what does it save to unroll a loop?
// "循环展开", listings "Loop" and "Loop unrolled by two".
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

void add(int* a, const int* b, const int* c, size_t n) {
  for (size_t i = 0; i < n; ++i) a[i] = b[i] + c[i];
}

void add_by_two(int* a, const int* b, const int* c, size_t n) {
  size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    a[i] = b[i] + c[i];
    a[i + 1] = b[i + 1] + c[i + 1];
  }
  if (i < n) a[i] = b[i] + c[i];
}

void add_by_four(int* a, const int* b, const int* c, size_t n) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a[i] = b[i] + c[i];
    a[i + 1] = b[i + 1] + c[i + 1];
    a[i + 2] = b[i + 2] + c[i + 2];
    a[i + 3] = b[i + 3] + c[i + 3];
  }
  for (; i < n; ++i) a[i] = b[i] + c[i];
}

long long sum(const int* a, size_t n) {
  long long all = 0;
  for (size_t i = 0; i < n; ++i) all += a[i];
  return all;
}

long long sum_by_four(const int* a, size_t n) {
  long long sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) sums[k] += a[i + k];
  }
  for (; i < n; ++i) sums[0] += a[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Median of five runs, after one that is not counted.
template <class Work>
double median_us(Work work) {
  const int rounds = 5;
  std::vector<double> us;
  for (int round = 0; round <= rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - start;
    if (round != 0) us.push_back(taken.count());
  }
  std::sort(us.begin(), us.end());
  return us[rounds / 2];
}

int main(int count, char** words) {
  const size_t n = count > 1 ? std::strtoull(words[1], nullptr, 10) : 100001;
  std::vector<int> a(n), b(n), c(n);
  for (size_t i = 0; i < n; ++i) {
    b[i] = int(i % 1000);
    c[i] = int(i % 10);
  }
  long long sums[3] = {};
  const auto added = [&](void (*loop)(int*, const int*, const int*, size_t), long long& to) {
    std::fill(a.begin(), a.end(), -1);
    const double us = median_us([&] { loop(a.data(), b.data(), c.data(), n); });
    to = sum(a.data(), n);
    return us;
  };
  std::printf("a[i] = b[i] + c[i] for %zu elements\n", n);
  std::printf("one at a time:  %10.1f us\n", added(add, sums[0]));
  std::printf("two at a time:  %10.1f us\n", added(add_by_two, sums[1]));
  std::printf("four at a time: %10.1f us\n", added(add_by_four, sums[2]));

  long long one = 0, four = 0;
  std::printf("the sum of a[i]\n");
  std::printf("one sum:        %10.1f us\n", median_us([&] { one = sum(a.data(), n); }));
  std::printf("four sums:      %10.1f us\n", median_us([&] { four = sum_by_four(a.data(), n); }));
  std::printf("all of them: %lld\n", one);
  const bool right = sums[0] == sums[1] && sums[1] == sums[2] && one == sums[0] && four == one;
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
