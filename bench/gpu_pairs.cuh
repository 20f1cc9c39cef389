// SPDX-License-Identifier: Apache-2.0
// Ours and its peers by turns: a ratio is the median of pairs that were measured side by side.
#pragma once

#include "bench/cuda_timing.cuh"
#include "bench/gpu_peers.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace bench {

inline constexpr std::size_t pairs = 21;  // of each row: an odd number has a median
inline constexpr double broken = 1.03;    // above this share the ceiling was none

struct quartiles {
  double low, median, high;
};

inline quartiles quartiles_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return {values[n / 4], values[n / 2], values[n - 1 - n / 4]};
}

/// Microseconds of one launch, by events on the stream.
class stream_clock {
 public:
  stream_clock() {
    TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    TRY(cudaEventCreate(&begin_));
    TRY(cudaEventCreate(&end_));
  }
  stream_clock(const stream_clock&) = delete;

  double us(const launcher& launch) const {
    float ms = 0;
    TRY(cudaEventRecord(begin_, stream_));
    launch(stream_);
    TRY(cudaEventRecord(end_, stream_));
    TRY(cudaEventSynchronize(end_));
    TRY(cudaEventElapsedTime(&ms, begin_, end_));
    return 1e3 * double(ms);
  }
  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_, end_;
};

/// What is measured, under the name that bench/gpu_rows.py has for it.
struct row {
  std::string name;
  double bytes;  ///< read and written
  launcher ours;
  std::vector<peer> peers;
};

/// Rows to standard output, a JSON line each; remembers whether one was above its ceiling.
class row_printer {
 public:
  /// ceiling: bytes a second, named as its row.
  void measure(const row& row, const char* ceiling_name, double ceiling, double launches = 1) {
    std::vector<std::vector<double>> us(row.peers.size() + 1);
    for (std::size_t i = 0; i < pairs + warm_ups; ++i) {
      const double ours = clock_.us(row.ours) / launches;
      if (i >= warm_ups) us[0].push_back(ours);
      for (std::size_t k = 0; k < row.peers.size(); ++k) {
        const double other = clock_.us(row.peers[k].launch) / launches;
        if (i >= warm_ups) us[k + 1].push_back(other);
      }
    }
    print(row, ceiling_name, ceiling, us);
  }

  bool any_broken() const { return any_broken_; }
  const stream_clock& clock() const { return clock_; }

 private:
  static constexpr std::size_t warm_ups = 3;

  void print(const row& row, const char* ceiling_name, double ceiling,
             const std::vector<std::vector<double>>& us) {
    const quartiles ours = quartiles_of(us[0]);
    const double rate = row.bytes / ours.median * 1e6, share = rate / ceiling;
    any_broken_ |= share > broken;
    std::printf("{\"row\": \"%s\", \"bytes\": %.0f, \"us\": %.3f, \"TB/s\": %.4f, \"ceiling\": "
                "\"%s\", \"of ceiling\": %.4f, \"peers\": [",
                row.name.c_str(), row.bytes, ours.median, rate * 1e-12, ceiling_name, share);
    for (std::size_t k = 0; k < row.peers.size(); ++k) {
      std::vector<double> ratios;
      for (std::size_t i = 0; i < pairs; ++i) ratios.push_back(us[k + 1][i] / us[0][i]);
      const quartiles other = quartiles_of(us[k + 1]), ratio = quartiles_of(ratios);
      any_broken_ |= row.bytes / other.median * 1e6 / ceiling > broken;
      std::printf("%s{\"peer\": \"%s\", \"us\": %.3f, \"TB/s\": %.4f, \"ratio\": [%.4f, %.4f, "
                  "%.4f], \"reproducible\": %s}",
                  k > 0 ? ", " : "", row.peers[k].name.c_str(), other.median,
                  row.bytes / other.median * 1e-6, ratio.low, ratio.median, ratio.high,
                  row.peers[k].reproducible ? "true" : "false");
    }
    std::puts("]}");
    std::fflush(stdout);
  }

  stream_clock clock_;
  bool any_broken_ = false;
};

/// Some launches in a graph that is replayed: what a call costs a device that does nothing else.
class replayed {
 public:
  static constexpr int launches = 20;

  replayed(const launcher& launch, cudaStream_t stream) {
    cudaGraph_t graph;
    launch(stream);  // what is done once is not of the graph
    TRY(cudaStreamSynchronize(stream));
    TRY(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < launches; ++i) launch(stream);
    TRY(cudaStreamEndCapture(stream, &graph));
    TRY(cudaGraphInstantiate(&made_, graph, 0));
    TRY(cudaGraphDestroy(graph));
  }

  launcher launch() const {
    return [made = made_](cudaStream_t stream) { TRY(cudaGraphLaunch(made, stream)); };
  }

 private:
  cudaGraphExec_t made_;  // for the life of the program
};

}  // namespace bench
