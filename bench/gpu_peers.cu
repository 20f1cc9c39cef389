// SPDX-License-Identifier: Apache-2.0
// The engine beside CUB, Thrust and cuBLAS, in one process and by turns.
//
//   gpu_peers [whole] [rows] [shapes] [transposes] [small] [LOG2]
//
// 2^LOG2 bytes of input (30); all sections where none is named. JSON lines: the versions, the
// ceilings, and the rows of bench/gpu_rows.py. 1 where a row is above its ceiling by 3 %.
#include "bench/cuda_inputs.hpp"
#include "bench/gpu_pairs.cuh"
#include "cuda/kernels/batched/batched.hpp"
#include "cuda/kernels/transpose/transpose.hpp"
#include "cuda/kernels/whole/products/ordered.hpp"
#include "cuda/kernels/whole/whole.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "onefold/onefold.hpp"

#include <cstdlib>
#include <memory>
#include <set>

namespace {

using bench::device_buffer;
using bench::launcher;
using bench::peer;
using bench::peer_request;
using bench::peer_work;
using onefold::accumulator;
using onefold::dtype;
using onefold::op;
namespace engine = onefold::cuda;

/// The arrays of all rows, and the ceilings of this run.
struct bench_run {
  explicit bench_run(int log2) : bytes(std::size_t(1) << log2), x(bytes), y(bytes), out(bytes) {
    workspace.clear();
    TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  }

  // Ordinary values, over and over.
  void fill(dtype type) {
    if (filled.type == type && filled.known) return;
    const auto kind = bench::timed_inputs(type)[onefold::is_floating(type) ? 1 : 0];
    const bench::cuda_input made = bench::make_input(type, kind, std::int64_t(1) << 22);
    for (std::size_t at = 0; at < bytes; at += made.x.size()) {
      const std::size_t size = std::min(made.x.size(), bytes - at);
      TRY(cudaMemcpy(x.bytes() + at, made.x.data(), size, cudaMemcpyHostToDevice));
      TRY(cudaMemcpy(y.bytes() + at, made.y.data(), size, cudaMemcpyHostToDevice));
    }
    filled = {type, true};
  }

  std::size_t bytes;
  device_buffer x, y, out, workspace{std::size_t(1) << 20}, words{std::size_t(1) << 16};
  int processors = 0;
  double read = 0, copy = 0;  // bytes a second
  bench::row_printer rows;
  struct {
    dtype type = dtype::u8;
    bool known = false;
  } filled;
};

double measure_ceiling(bench_run& at, const char* name, double bytes, const launcher& launch) {
  std::vector<double> us;
  for (std::size_t i = 0; i < bench::pairs + 3; ++i) us.push_back(at.rows.clock().us(launch));
  us.erase(us.begin(), us.begin() + 3);
  const double rate = bytes / bench::quartiles_of(us).median * 1e6;
  std::printf("{\"what\": \"%s\", \"bytes\": %.0f, \"TB/s\": %.4f}\n", name, bytes, rate * 1e-12);
  return rate;
}

__global__ void copy_all(const uint4* in, std::size_t n, uint4* out) {
  uint4 item[4];
  const std::size_t first = std::size_t(blockIdx.x) * blockDim.x * 4 + threadIdx.x;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
    if (first + i * blockDim.x < n) item[i] = in[first + i * blockDim.x];
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
    if (first + i * blockDim.x < n) out[first + i * blockDim.x] = item[i];
}

// The fastest of several plain kernels.
void measure_ceilings(bench_run& at) {
  const std::size_t n = at.bytes / 16;
  const auto* const from = static_cast<const uint4*>(at.x.at);
  auto* const to = static_cast<uint4*>(at.out.at);
  for (const unsigned threads : {256u, 512u, 1024u}) {
    const auto blocks = unsigned((n + threads * 4 - 1) / (threads * 4));
    at.read = std::max(at.read, measure_ceiling(at, "read", double(at.bytes), [=](cudaStream_t s) {
                         bench::read_all<<<blocks, threads, 0, s>>>(from, n, 0xC0FFEEu, &to->x);
                       }));
    at.copy =
        std::max(at.copy, measure_ceiling(at, "copy", 2.0 * double(at.bytes), [=](cudaStream_t s) {
                   copy_all<<<blocks, threads, 0, s>>>(from, n, to);
                 }));
  }
  at.copy = std::max(
      at.copy,
      measure_ceiling(at, "copy", 2.0 * double(at.bytes), [=, bytes = at.bytes](cudaStream_t s) {
        TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, s));
      }));
}

std::vector<peer> peers_of(const peer_request& request) {
  std::vector<peer> all = bench::cub_peers(request);
  for (auto* const more : {bench::thrust_peers, bench::cublas_peers})
    for (peer& each : more(request)) all.push_back(std::move(each));
  return all;
}

launcher exact_launch(const bench_run& at, const engine::whole_request& request) {
  const auto grid =
      engine::suited_grid(request, unsigned(at.processors), engine::find_window_blocks());
  return [=, workspace = at.workspace.at,
          words = static_cast<std::int64_t*>(at.words.at)](cudaStream_t stream) {
    TRY(cudaError_t(engine::launch_whole(request, grid, workspace, words, stream)));
  };
}

// The words of every chunk; the tree above them is the host's.
launcher chunk_launch(const bench_run& at, const engine::whole_request& request) {
  const auto count = engine::ordered_words(request.accumulator, request.input, request.n);
  auto words = std::make_shared<device_buffer>(std::size_t(count) * 8);
  return [=, processors = unsigned(at.processors)](cudaStream_t stream) {
    TRY(cudaError_t(engine::launch_ordered(request, processors,
                                           static_cast<std::int64_t*>(words->at), stream)));
  };
}

struct whole_row {
  const char* name;
  onefold::accumulator accumulator;
  bool chunks;
  peer_work work;
  bool peers;
  std::vector<dtype> types;
};

const std::vector<dtype> wide = {dtype::f32, dtype::f64};

const whole_row whole_rows[] = {
    {"sum",
     accumulator::total,
     false,
     peer_work::sum,
     true,
     {dtype::f32, dtype::f64, dtype::f16, dtype::bf16, dtype::i32, dtype::i8}},
    {"norm1", accumulator::magnitudes, false, peer_work::norm1, true, wide},
    {"norm2", accumulator::squares, false, peer_work::norm2, true, wide},
    {"dot", accumulator::products, false, peer_work::dot, true, wide},
    {"var", accumulator::moments, false, peer_work::sum, false, wide},
    {"min", accumulator::extrema, false, peer_work::min, true, {dtype::f32}},
    {"argmin", accumulator::extrema, false, peer_work::argmin, true, {dtype::f32}},
    {"argmax", accumulator::extrema, false, peer_work::argmax, true, {dtype::f32}},
    {"largest magnitude", accumulator::extrema, false, peer_work::argmax_magnitude, true, wide},
    {"min and max", accumulator::extrema, false, peer_work::min, false, {dtype::f32}},
    {"count_nonzero", accumulator::counts, false, peer_work::sum, false, {dtype::f32}},
    {"logsumexp", accumulator::exponentials, false, peer_work::sum, false, {dtype::f32}},
};

void time_whole(bench_run& at) {
  for (const whole_row& each : whole_rows)
    for (const dtype type : each.types) {
      at.fill(type);
      const std::size_t bytes = each.work == peer_work::dot ? at.bytes / 2 : at.bytes;
      const auto n = std::int64_t(bytes / onefold::size_bytes(type));
      const engine::whole_request ours = {each.accumulator, type, at.x.at, at.y.at, n};
      const peer_request others = {each.work, type, at.x.at, at.y.at, at.out.at, n};
      at.rows.measure({std::string(each.name) + " " + std::string(name(type)), double(at.bytes),
                       each.chunks ? chunk_launch(at, ours) : exact_launch(at, ours),
                       each.peers ? peers_of(others) : std::vector<peer>()},
                      "read", at.read);
    }
}

void expect(const onefold::status& done) {
  if (done) return;
  std::printf("{\"error\": \"%s\"}\n", done.message().c_str());
  std::exit(1);
}

__global__ void fill_runs(int* to, std::int64_t n, std::int64_t run) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) to[i] = int(i / run);
}

__global__ void fill_offsets(int* to, std::int64_t count, std::int64_t step) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = int(i * step);
}

// x[outer][n][inner] over n; the answers go to `out`.
void time_batched(bench_run& at, const std::string& name, const engine::batched_request& request,
                  const engine::batched_block& block, const std::vector<peer>& peers) {
  const engine::kernel_query query = {request.op, request.accuracy, request.input, request.output};
  if (!engine::has_kernel(engine::kernel_family::batched, query)) return;
  const auto answers = double(block.outer * block.inner);
  const double bytes = answers * (double(block.n) * double(size_bytes(request.input)) +
                                  double(size_bytes(request.output)));
  device_buffer workspace(engine::batched_workspace_bytes(request, block));
  device_buffer cleared(engine::batched_cleared_bytes);
  cleared.clear();
  const launcher ours = [&](cudaStream_t stream) {
    TRY(cudaError_t(engine::launch_batched(request, block, workspace.at, cleared.at, stream)));
  };
  at.rows.measure({name, bytes, ours, peers}, "read", at.read);
}

void time_row_sums(bench_run& at, std::int64_t length) {
  const std::int64_t rows = std::int64_t(at.bytes / 4) / length;
  device_buffer out(std::size_t(rows) * 4), offsets(std::size_t(rows + 1) * 4);
  auto* const starts = static_cast<int*>(offsets.at);
  fill_offsets<<<unsigned(rows / 256 + 1), 256>>>(starts, rows + 1, length);
  TRY(cudaDeviceSynchronize());
  peer_request others = {peer_work::row_sums, dtype::f32, at.x.at, nullptr, out.at};
  others.rows = rows, others.columns = length, others.offsets = starts;
  time_batched(at, "rows of " + std::to_string(length) + ": sum f32",
               {op::sum, onefold::accuracy::exact, dtype::f32, dtype::f32},
               {at.x.at, rows, length, 1, out.at}, peers_of(others));
}

void time_rows(bench_run& at) {
  const auto exact = onefold::accuracy::exact;
  at.fill(dtype::f32);
  for (const std::int64_t length : {2, 8, 32, 128, 1024, 16384, 1 << 20}) time_row_sums(at, length);
  device_buffer answers(std::size_t(1) << 20);
  for (const std::int64_t k : {8, 32, 128, 1024, 16384})
    time_batched(at, "columns, " + std::to_string(k) + ": sum f32",
                 {op::sum, exact, dtype::f32, dtype::f32},
                 {at.x.at, 1, std::int64_t(at.bytes / 4) / k, k, answers.at}, {});
  at.fill(dtype::u8);
  const std::int64_t side = 32768, other = std::int64_t(at.bytes) / side;
  const engine::batched_request bytes = {op::sum, exact, dtype::u8, dtype::i64};
  time_batched(at, "rows of 32768: sum u8", bytes, {at.x.at, other, side, 1, answers.at}, {});
  time_batched(at, "columns, 32768: sum u8", bytes, {at.x.at, 1, other, side, answers.at}, {});
}

// Through the library's door: the host's part of the call counts.
void time_axes(bench_run& at, const std::string& name, op op, const onefold::axis_list& axes,
               onefold::axis_set over, const std::vector<peer>& peers = {}) {
  const onefold::array_view x(at.x.at, dtype::f32, axes);
  onefold::options how;
  how.axes = over;
  const dtype output = default_output(op, dtype::f32);
  const std::int64_t answers = onefold::answer_shape(x, how)[0];
  const auto width = std::int64_t(size_bytes(output));
  const onefold::output_view to(at.out.at, output, {{answers, width}});
  const launcher ours = [=](cudaStream_t stream) {
    onefold::executor::cuda on;
    on.stream = stream;
    expect(onefold::reduce(on, op, {x}, to, how));
  };
  at.rows.measure({name, double(at.bytes) + double(answers * width), ours, peers}, "read", at.read);
}

std::vector<peer> row_peers(bench_run& at, op op, std::int64_t rows, std::int64_t length) {
  if (op != op::argmax) return {};
  peer_request request = {peer_work::row_argmax, dtype::f32, at.x.at, nullptr, at.out.at};
  request.rows = rows, request.columns = length;
  return peers_of(request);
}

// Runs of equal keys of 32 bits, beside values.
void time_keys(bench_run& at, std::int64_t run) {
  const auto n = std::int64_t(at.bytes / 4), runs = (n - 1) / run + 1;
  device_buffer keys(at.bytes), found(std::size_t(runs) * 4), theirs(std::size_t(runs) * 4);
  fill_runs<<<unsigned(n / 256 + 1), 256>>>(static_cast<int*>(keys.at), n, run);
  TRY(cudaDeviceSynchronize());
  const onefold::array_view by(keys.at, dtype::i32, {{n, 4}}), x(at.x.at, dtype::f32, {{n, 4}});
  const auto make = [&](std::int64_t groups) {
    return onefold::group_outputs{found.at, {at.out.at, dtype::f32, {{groups, 4}}}};
  };
  const launcher ours = [&](cudaStream_t stream) {
    onefold::executor::cuda on;
    on.stream = stream;
    expect(onefold::reduce_by_key(on, op::sum, by, x, make));
  };
  peer_request others = {peer_work::key_sums, dtype::f32, at.x.at, theirs.at, at.out.at, n, runs};
  others.offsets = static_cast<const int*>(keys.at);
  at.rows.measure({"ascending keys, runs of " + std::to_string(run) + ": sum f32",
                   8 * double(n) + 8 * double(runs), ours, peers_of(others)},
                  "read", at.read);
}

void time_shapes(bench_run& at) {
  at.fill(dtype::f32);
  const std::int64_t items = std::int64_t(at.bytes / 4), last = items >> 19;
  time_axes(at, "first and last of 512 x 1024 x 512: sum f32", op::sum,
            {{512, 4096 * last}, {1024, 4 * last}, {last, 4}}, {0, 2});
  for (const std::int64_t n : {32, 1024})
    for (const op op : {op::var, op::argmax, op::logsumexp})
      time_axes(at, "rows of " + std::to_string(n) + ": " + std::string(name(op)) + " f32", op,
                {{items / n, 4 * n}, {n, 4}}, {1}, row_peers(at, op, items / n, n));
  for (const std::int64_t run : {16, 256}) time_keys(at, run);
}

void time_transposes(bench_run& at) {
  for (const dtype type : {dtype::u8, dtype::f16, dtype::f32, dtype::f64}) {
    const auto item = std::int64_t(onefold::size_bytes(type));
    const std::int64_t rows = type == dtype::u8 || type == dtype::f16 ? 32768 : 16384;
    const std::int64_t columns = std::int64_t(at.bytes) / item / rows;
    const onefold::matrix_copy copy = {
        at.x.bytes(), at.out.bytes(), rows, columns, columns * item, item, item, rows * item, item};
    const engine::transpose_launch ours = engine::transpose_launch_of(copy);
    peer_request others = {peer_work::transpose, type, at.x.at, nullptr, at.out.at};
    others.rows = rows, others.columns = columns;
    at.rows.measure({"transpose " + std::string(name(type)), 2.0 * double(at.bytes),
                     [=](cudaStream_t s) { TRY(cudaError_t(engine::launch_transpose(ours, s))); },
                     peers_of(others)},
                    "copy", at.copy);
  }
}

// An answer in the elements' type, by the kernels that the planner chooses.
launcher planned_launch(const bench_run& at, op op, std::int64_t n) {
  onefold::options how;
  how.workspace = {at.workspace.at, at.workspace.size};
  const onefold::array_view x(at.x.at, dtype::f32, {{n, 4}}), y(at.y.at, dtype::f32, {{n, 4}});
  const onefold::output_view to(at.out.at, dtype::f32, {});
  return [=](cudaStream_t stream) {
    onefold::executor::cuda on;
    on.stream = stream;
    expect(inputs_of(op) > 1 ? onefold::reduce(on, op, {x, y}, to, how)
                             : onefold::reduce(on, op, {x}, to, how));
  };
}

__global__ void nothing() {}

// 1 KiB to 64 MiB of f32, of other operators than sums to 256 KiB, in graphs; caches stay as the
// launch before has left them.
void time_small(bench_run& at) {
  at.fill(dtype::f32);
  const cudaStream_t stream = at.rows.clock().stream();
  const bench::replayed empty([](cudaStream_t s) { nothing<<<1, 32, 0, s>>>(); }, stream);
  for (std::size_t bytes = 1024; bytes <= std::min(at.bytes, std::size_t(64) << 20); bytes *= 4) {
    const auto n = std::int64_t(bytes / 4);
    const peer_request others = {peer_work::sum, dtype::f32, at.x.at, nullptr, at.out.at, n};
    const peer cub = bench::cub_peers(others).front();
    const std::vector<peer> peers = {{cub.name, bench::replayed(cub.launch, stream).launch()},
                                     {"an empty kernel", empty.launch()}};
    const std::string size = bytes < 1 << 20 ? std::to_string(bytes >> 10) + " KiB"
                                             : std::to_string(bytes >> 20) + " MiB";
    at.rows.measure({"small sum, " + size, double(bytes),
                     bench::replayed(planned_launch(at, op::sum, n), stream).launch(), peers},
                    "none", 1e18, bench::replayed::launches);
    if (bytes > 256 << 10) continue;
    for (const op op : {op::dot, op::norm2, op::var, op::max, op::logsumexp})
      at.rows.measure({"small " + std::string(name(op)) + ", " + size,
                       double(bytes),
                       bench::replayed(planned_launch(at, op, n), stream).launch(),
                       {{"an empty kernel", empty.launch()}}},
                      "none", 1e18, bench::replayed::launches);
  }
}

}  // namespace

int main(int count, char** words) {
  std::set<std::string> sections;
  int log2 = 30;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "whole" || word == "rows" || word == "shapes" || word == "transposes" ||
        word == "small")
      sections.insert(word);
    else if ((log2 = std::atoi(words[i])) < 20)
      return std::puts("usage: gpu_peers [whole] [rows] [shapes] [transposes] [small] [LOG2]"), 2;
  }
  const auto selected = [&](const char* name) {
    return sections.empty() || sections.count(name) > 0;
  };
  std::printf("{\"what\": \"versions\", %s}\n", bench::peer_versions().c_str());
  bench_run at(log2);
  measure_ceilings(at);
  if (selected("whole")) time_whole(at);
  if (selected("rows")) time_rows(at);
  if (selected("shapes")) time_shapes(at);
  if (selected("transposes")) time_transposes(at);
  if (selected("small")) time_small(at);
  return at.rows.any_broken() ? 1 : 0;
}
