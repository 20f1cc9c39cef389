// SPDX-License-Identifier: Apache-2.0
// Exact all-reduces over the GPUs of this machine, a thread each: right, and how fast.
//
//   cuda_nccl check          operators, types, cuts with empty parts, rows, columns and elements
//                            against one process on the CPU; a JSON line a group; 1 at a mismatch
//   cuda_nccl bench [LOG2]   2^LOG2 bytes a GPU (34): the sum of all next to the sums of each; what
//                            the exchange adds to a small sum in a graph; tensors, element by
//                            element, next to ncclAllReduce; JSON lines

#include "bench/cuda_timing.cuh"
#include "bench/nccl_ranks.cuh"
#include "onefold/nccl.hpp"
#include "onefold/onefold.hpp"
#include "state/element_types.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace onefold;
using bench::device_buffer;
using bench::nccl_ranks;
using bench::rank_here;

void must(const status& done) {
  if (done) return;
  std::printf("{\"error\": \"%s\"}\n", done.message().c_str());
  std::exit(1);
}

// Floats of 2^-16 to 2^16 of either sign: some hash of their index.
template <class Bits, int Significand, int Bias>
__global__ void fill(Bits* x, std::int64_t n, std::uint64_t first) {
  const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    std::uint64_t h = (first + std::uint64_t(i) + 1) * 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9u;
    h ^= h >> 32;
    const Bits exponent = Bits(Bias - 16 + int(h >> 33 & 31)), sign = Bits(h >> 40 & 1);
    const Bits mask = Bits((Bits(1) << Significand) - 1);
    x[i] = Bits(sign << (8 * sizeof(Bits) - 1) | exponent << Significand | (Bits(h) & mask));
  }
}

void fill_floats(void* x, std::int64_t n, std::uint64_t first) {
  fill<std::uint32_t, 23, 127><<<4096, 256>>>(static_cast<std::uint32_t*>(x), n, first);
  TRY(cudaDeviceSynchronize());
}
void fill_halves(void* x, std::int64_t n, std::uint64_t first) {
  fill<std::uint16_t, 7, 127><<<4096, 256>>>(static_cast<std::uint16_t*>(x), n, first);
  TRY(cudaDeviceSynchronize());
}

// --- check ---

constexpr std::size_t most_workspace = std::size_t(4) << 20;  // of a rank, for some answers' states

struct array {
  std::vector<std::byte> bytes;
};

// Random bits, but no exponent is so large that there are infinities or NaNs.
array random_array(std::mt19937_64& random, dtype type, std::int64_t n) {
  const std::size_t item = size_bytes(type);
  array made{std::vector<std::byte>(std::size_t(n) * item)};
  for (std::size_t i = 0; i < made.bytes.size(); ++i) {
    made.bytes[i] = type == dtype::boolean ? std::byte(random() & 1) : std::byte(random());
    if (is_floating(type) && i % item == item - 1) made.bytes[i] &= std::byte(0xBF);
  }
  return made;
}

// x[outer][n] or x[n][inner], of which `n` is split over the ranks.
struct problem {
  onefold::op op;
  dtype type, output;
  std::int64_t outer, n, inner;
};

std::vector<std::int64_t> cuts_of(std::mt19937_64& random, std::int64_t n, int ranks) {
  std::vector<std::int64_t> cuts = {0, n};
  for (int i = 1; i < ranks; ++i) cuts.push_back(std::int64_t(random() % std::uint64_t(n + 1)));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

bool is_right(const problem& problem, nccl_ranks& ranks, std::mt19937_64& random) {
  const std::int64_t item = size_bytes(problem.type), width = size_bytes(problem.output);
  const std::int64_t answers = problem.outer * problem.inner, each = answers_of(problem.op);
  const auto some = [&] { return random_array(random, problem.type, answers * problem.n); };
  const array x = some(), y = some();
  const auto cuts = cuts_of(random, problem.n, ranks.count());
  const auto out_bytes = std::size_t(answers * each * width);
  options how;
  if (problem.outer * problem.inner > 1) how.axes = axis(problem.outer > 1 ? 1 : 0);
  const auto view = [&](const std::byte* at, std::int64_t n, bool whole) {
    axis_list axes;
    if (problem.outer > 1) axes.push_back({problem.outer, (whole ? problem.n : n) * item});
    axes.push_back({n, problem.inner * item});
    if (problem.inner > 1) axes.push_back({problem.inner, item});
    return array_view(at, problem.type, axes);
  };
  const auto output = [&](void* to) {
    axis_list axes;
    if (answers > 1) axes.push_back({answers, each * width});
    if (each > 1) axes.push_back({each, width});
    return output_view(to, problem.output, axes);
  };
  std::vector<std::byte> wanted(out_bytes);
  const bool pairs = problem.op == op::dot;
  const array_view whole = view(x.bytes.data(), problem.n, true);
  const status expected =
      pairs ? reduce(executor::cpu{}, problem.op, {whole, view(y.bytes.data(), problem.n, true)},
                     output(wanted.data()), how)
            : reduce(executor::cpu{}, problem.op, {whole}, output(wanted.data()), how);
  std::vector<char> right(std::size_t(ranks.count()), 0);
  ranks.run([&](const rank_here& here) {
    const std::int64_t first = cuts[std::size_t(here.rank)];
    const std::int64_t n = cuts[std::size_t(here.rank) + 1] - first;
    const std::size_t part = std::size_t(answers * n * item);
    device_buffer own(part), second(part), out(out_bytes), code_there(4), room(most_workspace);
    for (const auto& [to, from] : {std::pair(&own, &x), std::pair(&second, &y)})
      for (std::int64_t k = 0; k < problem.outer && n > 0; ++k)
        TRY(cudaMemcpy(to->bytes() + k * n * problem.inner * item,
                       from->bytes.data() + (k * problem.n + first) * problem.inner * item,
                       std::size_t(n * problem.inner * item), cudaMemcpyDefault));
    options own_options = how;
    own_options.status_out = static_cast<std::int32_t*>(code_there.at);
    own_options.workspace = {room.at, room.size};
    const executor::cuda on{.stream = here.stream};
    must(workspace_init(on, room.at, room.size));
    ranks.meet();  // cudaMalloc may wait for the other GPUs
    must(pairs ? nccl::all_reduce(on, problem.op,
                                  {view(own.bytes(), n, false), view(second.bytes(), n, false)},
                                  {output(out.at)}, here.comm, own_options)
               : nccl::all_reduce(on, problem.op, view(own.bytes(), n, false), output(out.at),
                                  here.comm, own_options));
    TRY(cudaStreamSynchronize(here.stream));
    std::vector<std::byte> got(out_bytes);
    std::int32_t code = -1;
    TRY(cudaMemcpy(got.data(), out.at, out_bytes, cudaMemcpyDefault));
    TRY(cudaMemcpy(&code, code_there.at, sizeof code, cudaMemcpyDefault));
    right[std::size_t(here.rank)] =
        code == int(expected.code()) && (!expected.ok() || got == wanted);
  });
  return std::count(right.begin(), right.end(), 1) == ranks.count();
}

bool elements_are_right(dtype type, op op, std::int64_t n, std::size_t workspace, nccl_ranks& ranks,
                        std::mt19937_64& random) {
  const auto item = std::int64_t(size_bytes(type));
  const array all = random_array(random, type, n * ranks.count());
  array wanted = all;
  options down;
  down.axes = axis(0);
  must(reduce(executor::cpu{}, op,
              {array_view(all.bytes.data(), type, {{ranks.count(), n * item}, {n, item}})},
              output_view(wanted.bytes.data(), type, {{n, item}}), down));
  std::vector<char> right(std::size_t(ranks.count()), 0);
  ranks.run([&](const rank_here& here) {
    const std::size_t bytes = std::size_t(n * item);
    device_buffer x(bytes), room(workspace);
    TRY(cudaMemcpy(x.at, all.bytes.data() + std::size_t(here.rank) * bytes, bytes,
                   cudaMemcpyDefault));
    options own_options;
    own_options.workspace = {room.at, workspace};
    ranks.meet();
    must(nccl::all_reduce_elements({.stream = here.stream}, op, {x.at, type, {{n, item}}},
                                   here.comm, own_options));
    TRY(cudaStreamSynchronize(here.stream));
    std::vector<std::byte> got(bytes);
    TRY(cudaMemcpy(got.data(), x.at, bytes, cudaMemcpyDefault));
    right[std::size_t(here.rank)] = std::equal(got.begin(), got.end(), wanted.bytes.begin());
  });
  return std::count(right.begin(), right.end(), 1) == ranks.count();
}

int check(nccl_ranks& ranks) {
  std::mt19937_64 random(25);
  int failed = 0;
  const auto report = [&](op op, dtype type, int wrong, int all) {
    failed += wrong;
    std::printf("{\"what\": \"%s\", \"type\": \"%s\", \"ranks\": %d, \"cases\": %d, "
                "\"wrong\": %d}\n",
                std::string(name(op)).c_str(), std::string(name(type)).c_str(), ranks.count(), all,
                wrong);
  };
  for (const dtype type : all_dtypes)
    for (const op op : all_ops) {
      if (op == op::prod || !check_element_type(op, type)) continue;
      int wrong = 0, all = 0;
      for (const std::int64_t n : {0, 1, 1000, 100'003})
        for (const auto [outer, inner] : {std::pair(1, 1), std::pair(5, 1), std::pair(1, 7)})
          ++all, wrong +=
                 !is_right({op, type, default_output(op, type), outer, n, inner}, ranks, random);
      report(op, type, wrong, all);
    }
  for (const dtype type : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64})
    for (const op op : {op::sum, op::mean}) {
      int wrong = 0, all = 0;
      for (const std::int64_t n : {1, 100, 4099, 300'001})
        for (const std::size_t workspace : {std::size_t(1) << 16, std::size_t(1) << 20})
          ++all, wrong += !elements_are_right(type, op, n, workspace, ranks, random);
      report(op, type, wrong, all);
    }
  return failed > 0;
}

// --- bench ---

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Of the slowest rank, from a common start: seconds a call, the median of five rounds.
template <class Work>
double seconds_of(nccl_ranks& ranks, int calls, const Work& work) {
  std::vector<double> rounds(5);
  for (int warm = 0; warm < 2; ++warm) ranks.run([&](const rank_here& here) { work(here); });
  for (double& round : rounds) {
    std::vector<double> each(std::size_t(ranks.count()));
    ranks.run([&](const rank_here& here) {
      TRY(cudaStreamSynchronize(here.stream));
      ranks.meet();
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < calls; ++i) work(here);
      TRY(cudaStreamSynchronize(here.stream));
      each[std::size_t(here.rank)] = seconds_since(begin) / calls;
    });
    round = *std::max_element(each.begin(), each.end());
  }
  std::sort(rounds.begin(), rounds.end());
  return rounds[2];
}

struct rank_memory {
  explicit rank_memory(std::size_t bytes) : x(bytes), out(256), workspace(std::size_t(1) << 20) {
    workspace.clear();
  }
  device_buffer x, out, workspace;
};

using memories = std::vector<std::unique_ptr<rank_memory>>;

float float_at(const void* at) {
  float value = 0;
  TRY(cudaMemcpy(&value, at, sizeof value, cudaMemcpyDefault));
  return value;
}

void bench_large_sum(nccl_ranks& ranks, int log2, memories& all) {
  const std::int64_t n = std::int64_t(1) << (log2 - 2);
  const auto sum = [&](const rank_here& here, bool together) {
    rank_memory& memory = *all[std::size_t(here.rank)];
    const executor::cuda on{.stream = here.stream};
    const array_view x(memory.x.at, dtype::f32, {{n, 4}});
    const output_view out(memory.out.at, dtype::f32);
    options how;
    how.workspace = {memory.workspace.at, memory.workspace.size};
    must(together ? nccl::all_reduce(on, op::sum, x, out, here.comm, how)
                  : reduce(executor(on), op::sum, {x}, out, how));
  };
  double rates = 0;
  const double bytes = double(n) * 4;
  for (int one = 0; one < ranks.count(); ++one) {
    const double seconds = seconds_of(ranks, 10, [&](const rank_here& here) {
      if (here.rank == one) sum(here, false);
    });
    rates += bytes / seconds;
  }
  const double seconds = seconds_of(ranks, 10, [&](const rank_here& here) { sum(here, true); });
  bool same = true;
  for (const auto& each : all) same = same && float_at(each->out.at) == float_at(all[0]->out.at);
  const double rate = bytes * ranks.count() / seconds;
  std::printf("{\"what\": \"sum of f32\", \"gpus\": %d, \"bytes\": %.0f, \"ms\": %.4f, \"GB/s\": "
              "%.1f, \"single GB/s\": %.1f, \"share\": %.4f, \"sum\": \"%a\", \"same\": %s}\n",
              ranks.count(), bytes * ranks.count(), 1e3 * seconds, rate / 1e9, rates / 1e9,
              rate / rates, double(float_at(all[0]->out.at)), same ? "true" : "false");
}

// The same elements in the memory of one GPU.
void check_one_gpu(nccl_ranks& ranks, int log2, const memories& all) {
  const std::int64_t n = (std::int64_t(1) << (log2 - 2)) * ranks.count();
  std::size_t free = 0, total = 0;
  TRY(cudaSetDevice(0));
  TRY(cudaMemGetInfo(&free, &total));
  if (free < std::size_t(n) * 4 + (std::size_t(1) << 30)) return;
  device_buffer x(std::size_t(n) * 4), out(4);
  fill_floats(x.at, n, 0);
  must(reduce(executor(executor::cuda{}), op::sum, {array_view(x.at, dtype::f32, {{n, 4}})},
              output_view(out.at, dtype::f32)));
  TRY(cudaDeviceSynchronize());
  const float one = float_at(out.at), many = float_at(all[0]->out.at);
  std::printf("{\"what\": \"the same elements on one GPU\", \"sum\": \"%a\", \"same\": %s}\n",
              double(one), one == many ? "true" : "false");
}

constexpr int calls_of_a_graph = 20;

void bench_small_sum(nccl_ranks& ranks, dtype type, memories& all) {
  const std::int64_t n = 1024;
  double us[2] = {};
  for (const bool together : {false, true}) {
    std::vector<cudaGraphExec_t> graphs(std::size_t(ranks.count()));
    ranks.run([&](const rank_here& here) {
      rank_memory& memory = *all[std::size_t(here.rank)];
      const executor::cuda on{.stream = here.stream};
      const array_view x(memory.x.at, type, {{n, std::int64_t(size_bytes(type))}});
      const output_view out(memory.out.at, type);
      options how;
      how.workspace = {memory.workspace.at, memory.workspace.size};
      const auto call = [&] {
        return together ? nccl::all_reduce(on, op::sum, x, out, here.comm, how)
                        : reduce(executor(on), op::sum, {x}, out, how);
      };
      must(call());
      TRY(cudaStreamSynchronize(here.stream));
      cudaGraph_t graph = nullptr;
      TRY(cudaStreamBeginCapture(here.stream, cudaStreamCaptureModeThreadLocal));
      for (int i = 0; i < calls_of_a_graph; ++i) must(call());
      TRY(cudaStreamEndCapture(here.stream, &graph));
      TRY(cudaGraphInstantiate(&graphs[std::size_t(here.rank)], graph, 0));
      TRY(cudaGraphDestroy(graph));
    });
    us[together] = 1e6 / calls_of_a_graph * seconds_of(ranks, 20, [&](const rank_here& here) {
                     TRY(cudaGraphLaunch(graphs[std::size_t(here.rank)], here.stream));
                   });
    for (auto* const each : graphs) TRY(cudaGraphExecDestroy(each));
  }
  std::printf("{\"what\": \"small sum in a graph\", \"type\": \"%s\", \"gpus\": %d, \"n\": %lld, "
              "\"one us\": %.2f, \"all us\": %.2f, \"added us\": %.2f}\n",
              std::string(name(type)).c_str(), ranks.count(), (long long)n, us[0], us[1],
              us[1] - us[0]);
}

void bench_elements(nccl_ranks& ranks, dtype type, std::size_t bytes, std::size_t workspace) {
  std::vector<std::unique_ptr<device_buffer>> x(std::size_t(ranks.count())), room(x.size());
  const auto item = std::int64_t(size_bytes(type));
  const auto n = std::int64_t(bytes) / item;
  ranks.run([&](const rank_here& here) {
    const auto rank = std::size_t(here.rank);
    x[rank] = std::make_unique<device_buffer>(bytes);
    room[rank] = std::make_unique<device_buffer>(workspace);
    (type == dtype::f32 ? fill_floats : fill_halves)(x[rank]->at, n,
                                                     std::uint64_t(here.rank) << 40);
  });
  const int nccl_type = type == dtype::f32 ? 7 : 9;
  const double theirs = seconds_of(ranks, 20, [&](const rank_here& here) {
    void* const at = x[std::size_t(here.rank)]->at;
    ranks.all_reduce(here, at, std::size_t(n), nccl_type);
  });
  const double ours = seconds_of(ranks, 20, [&](const rank_here& here) {
    options how;
    how.workspace = {room[std::size_t(here.rank)]->at, workspace};
    must(nccl::all_reduce_elements({.stream = here.stream}, op::sum,
                                   {x[std::size_t(here.rank)]->at, type, {{n, item}}}, here.comm,
                                   how, true));
  });
  std::printf("{\"what\": \"elements\", \"type\": \"%s\", \"gpus\": %d, \"bytes\": %zu, "
              "\"workspace\": %zu, \"ms\": %.4f, \"nccl ms\": %.4f, \"share\": %.3f}\n",
              std::string(name(type)).c_str(), ranks.count(), bytes, workspace, 1e3 * ours,
              1e3 * theirs, theirs / ours);
}

int bench_all(nccl_ranks& ranks, int log2) {
  memories all(std::size_t(ranks.count()));
  ranks.run([&](const rank_here& here) {
    auto& memory = all[std::size_t(here.rank)];
    memory = std::make_unique<rank_memory>(std::size_t(1) << log2);
    const std::int64_t n = std::int64_t(1) << (log2 - 2);
    fill_floats(memory->x.at, n, std::uint64_t(n) * std::uint64_t(here.rank));
  });
  bench_large_sum(ranks, log2, all);
  check_one_gpu(ranks, log2, all);
  for (const dtype type : {dtype::f32, dtype::bf16, dtype::f64}) bench_small_sum(ranks, type, all);
  all.clear();
  const std::size_t bytes = std::size_t(256) << 20;
  for (const dtype type : {dtype::bf16, dtype::f32})
    for (const std::size_t workspace : {32 << 20, 64 << 20, 128 << 20, 256 << 20})
      bench_elements(ranks, type, bytes, workspace);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode != "check" && mode != "bench") {
    std::puts("usage: cuda_nccl check | bench [LOG2]");
    return 2;
  }
  nccl_ranks ranks;
  return mode == "check" ? check(ranks) : bench_all(ranks, argc > 2 ? std::atoi(argv[2]) : 34);
}
