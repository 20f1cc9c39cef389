// SPDX-License-Identifier: Apache-2.0
// Sums of rows and columns on a GPU: right, and how fast.
//
//   cuda_many check         random shapes, types, operators and inputs against the answers of the
//                           CPU library, bit by bit; a JSON line a shape; 1 at any mismatch
//   cuda_many bench [LOG2]  times by events, the median of 20 launches, of 2^LOG2 bytes (30) and
//                           the answers, beside plain reading; JSON lines

#include "bench/cuda_inputs.hpp"
#include "bench/cuda_timing.cuh"
#include "cuda/kernels/batched/batched.hpp"
#include "cuda/plan/kernel_table.hpp"
#include "onefold/onefold.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace {

using bench::device_buffer;
using bench::median_us;
using bench::read_all;
using onefold::dtype;
using onefold::op;
namespace engine = onefold::cuda;

bool has_kernel(const engine::batched_request& r,
                onefold::layout_form form = onefold::layout_form::rows) {
  return engine::has_kernel(engine::kernel_family::batched,
                            {r.op, r.accuracy, r.input, r.output, form});
}

struct shape {
  std::int64_t outer, n, inner, across = 1;

  std::int64_t items() const { return across * outer * n * inner; }
};

// The CPU's answers of x[across][outer][n][inner], over the first axis and n.
std::vector<std::byte> expected(const engine::batched_request& r, const shape& shape,
                                const std::byte* x) {
  std::vector<std::byte> out(std::size_t(shape.outer * shape.inner) * size_bytes(r.output));
  const auto width = std::int64_t(size_bytes(r.input)),
             out_width = std::int64_t(size_bytes(r.output));
  const onefold::array_view in(x, r.input,
                               {{shape.across, shape.outer * shape.n * shape.inner * width},
                                {shape.outer, shape.n * shape.inner * width},
                                {shape.n, shape.inner * width},
                                {shape.inner, width}});
  const onefold::output_view to(out.data(), r.output,
                                {{shape.outer, shape.inner * out_width}, {shape.inner, out_width}});
  onefold::options how;
  how.axes = {0, 2};
  how.accuracy = r.accuracy;
  if (const auto done = onefold::reduce(onefold::executor(), r.op, {in}, to, how); !done)
    std::printf("{\"error\": \"%s\"}\n", done.message().c_str()), std::exit(1);
  return out;
}

struct counts {
  int shapes = 0;
  std::int64_t answers = 0, wrong = 0;
};

void check_shape(const engine::batched_request& r, const shape& shape, int offset,
                 const bench::cuda_input& input, counts& sum) {
  const std::size_t width = size_bytes(r.input), shift = std::size_t(offset) * width;
  const std::size_t bytes = std::size_t(shape.items()) * width;
  const std::vector<std::byte> right = expected(r, shape, input.x.data());
  device_buffer x(bytes + shift), out(right.size());
  TRY(cudaMemcpy(x.bytes() + shift, input.x.data(), bytes, cudaMemcpyHostToDevice));
  TRY(cudaMemset(out.at, 0xA5, right.size()));
  engine::batched_block block = {x.bytes() + shift, shape.outer, shape.n, shape.inner, out.at};
  block.places = engine::contiguous_places(shape.outer, shape.n, shape.inner);
  block.across = shape.across;
  device_buffer workspace(engine::batched_workspace_bytes(r, block));
  device_buffer cleared(engine::batched_cleared_bytes);
  cleared.clear();
  TRY(cudaError_t(engine::launch_batched(r, block, workspace.at, cleared.at, nullptr)));
  std::vector<std::byte> got(right.size());
  TRY(cudaMemcpy(got.data(), out.at, got.size(), cudaMemcpyDeviceToHost));
  const std::size_t step = size_bytes(r.output);
  std::int64_t wrong = 0;
  for (std::size_t at = 0; at < got.size(); at += step)
    wrong += std::memcmp(got.data() + at, right.data() + at, step) != 0;
  ++sum.shapes, sum.answers += shape.outer * shape.inner, sum.wrong += wrong;
  if (wrong == 0) return;
  std::printf("{\"check\": \"%s\", \"type\": \"%s\", \"output\": \"%s\", \"input\": \"%s\", "
              "\"across\": %lld, \"outer\": %lld, \"n\": %lld, \"inner\": %lld, "
              "\"offset\": %d, \"wrong\": %lld}\n",
              std::string(name(r.op)).c_str(), std::string(name(r.input)).c_str(),
              std::string(name(r.output)).c_str(), input.name.c_str(),
              static_cast<long long>(shape.across), static_cast<long long>(shape.outer),
              static_cast<long long>(shape.n), static_cast<long long>(shape.inner), offset,
              static_cast<long long>(wrong));
}

constexpr std::int64_t input_items = std::int64_t(1) << 20;

class shapes {
 public:
  explicit shapes(unsigned seed) : random_(seed) {}
  std::int64_t below(std::int64_t end) { return std::int64_t(random_() % std::uint64_t(end)); }
  // Lengths of every order of magnitude, up to 2^log2.
  std::int64_t length(int log2) { return below((std::int64_t(1) << (1 + below(log2))) + 1); }

  // Of at most input_items elements; now and then a row is that long.
  shape next() {
    const bool columns = below(2) == 0;
    if (!columns && below(8) == 0) return {1 + below(3), 1 + below(input_items / 4), 1};
    shape shape = {1, 1 + length(16), columns ? 1 + length(12) : 1};
    shape.n = 1 + shape.n % (input_items / shape.inner);
    const std::int64_t most = std::max<std::int64_t>(input_items / 8 / (shape.n * shape.inner), 1);
    if (!columns || below(2) == 0) shape.outer = 1 + below(most);
    return shape;
  }

 private:
  std::mt19937_64 random_;
};

// 30 shapes of a request, of inputs that are made once a type.
counts check_request(const engine::batched_request& r, const std::vector<bench::cuda_input>& inputs,
                     shapes& random) {
  counts sum;
  for (int i = 0; i < 30; ++i) {
    shape shape = random.next();
    if (shape.inner == 1 && has_kernel(r, onefold::layout_form::across))
      shape.across = 1 + random.below(std::min<std::int64_t>(input_items / shape.items(), 9));
    const auto items = 16 / std::int64_t(size_bytes(r.input));
    const int offset = random.below(2) == 0 ? 0 : int(random.below(items));
    const auto& input = inputs[std::size_t(random.below(std::int64_t(inputs.size())))];
    check_shape(r, shape, offset, input, sum);
  }
  std::printf("{\"checked\": \"%s\", \"fast\": %s, \"type\": \"%s\", \"output\": \"%s\", "
              "\"shapes\": %d, \"answers\": %lld, \"wrong\": %lld}\n",
              std::string(name(r.op)).c_str(),
              r.accuracy == onefold::accuracy::fast ? "true" : "false",
              std::string(name(r.input)).c_str(), std::string(name(r.output)).c_str(), sum.shapes,
              static_cast<long long>(sum.answers), static_cast<long long>(sum.wrong));
  std::fflush(stdout);
  return sum;
}

int check() {
  const unsigned seed = std::random_device{}();
  shapes random(seed);
  std::int64_t wrong = 0;
  // Floats, which have more to go wrong, come first.
  for (auto input = std::rbegin(onefold::all_dtypes); input != std::rend(onefold::all_dtypes);
       ++input) {
    std::vector<bench::cuda_input> inputs;
    for (std::size_t kind = 0; kind < bench::kinds_of_input(*input); ++kind)
      inputs.push_back(bench::make_input(*input, kind, input_items));
    for (const auto how : {onefold::accuracy::exact, onefold::accuracy::fast})
      for (const dtype output : onefold::all_dtypes)
        for (const op op : {op::sum, op::mean, op::norm1, op::sumsq, op::norm2}) {
          const engine::batched_request r = {op, how, *input, output};
          if (has_kernel(r)) wrong += check_request(r, inputs, random).wrong;
        }
  }
  std::printf("{\"all right\": %s, \"seed\": %u}\n", wrong == 0 ? "true" : "false", seed);
  return wrong == 0 ? 0 : 1;
}

void time_shape(const engine::batched_request& r, const shape& shape, const char* input,
                const void* x, void* out, double ceiling) {
  const engine::batched_block block = {x, shape.outer, shape.n, shape.inner, out};
  device_buffer workspace(engine::batched_workspace_bytes(r, block));
  device_buffer cleared(engine::batched_cleared_bytes);
  cleared.clear();
  const double us = median_us([&] {
    TRY(cudaError_t(engine::launch_batched(r, block, workspace.at, cleared.at, nullptr)));
  });
  const double bytes =
      double(shape.outer * shape.inner) *
      (double(shape.n) * double(size_bytes(r.input)) + double(size_bytes(r.output)));
  const double rate = bytes / us * 1e-6;
  std::printf("{\"what\": \"%s\", \"type\": \"%s\", \"output\": \"%s\", \"input\": \"%s\", "
              "\"outer\": %lld, \"n\": %lld, \"inner\": %lld, \"us\": %.2f, \"TB/s\": %.3f, "
              "\"of read\": %.3f}\n",
              std::string(name(r.op)).c_str(), std::string(name(r.input)).c_str(),
              std::string(name(r.output)).c_str(), input, static_cast<long long>(shape.outer),
              static_cast<long long>(shape.n), static_cast<long long>(shape.inner), us, rate,
              rate / ceiling);
  std::fflush(stdout);
}

// The bytes of `pattern` over and over.
void fill(const device_buffer& to, std::size_t bytes, const std::vector<std::byte>& pattern) {
  for (std::size_t at = 0; at < bytes; at += pattern.size())
    TRY(cudaMemcpy(to.bytes() + at, pattern.data(), std::min(pattern.size(), bytes - at),
                   cudaMemcpyHostToDevice));
}

// Behind the first half of the n elements of each answer their opposites, over 32 binades: all
// sums are zero, which no interval certifies; a pair of f64 does.
template <class T>
__global__ void fill_cancelling(T* x, std::int64_t items, std::int64_t n, std::int64_t inner) {
  const std::int64_t half = n / 2 * inner, step = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < items; i += step) {
    const bool opposite = i % (n * inner) >= half;
    std::uint64_t random = std::uint64_t(opposite ? i - half : i) * 0x9E3779B97F4A7C15;
    random = (random ^ random >> 32) * 0xD6E8FEB86659FD93;
    const T some = ldexp(T(1 + double(random & 0x7FFFFF) * 0x1p-23), -int(random >> 59));
    x[i] = opposite ? -some : some;
  }
}

template <class T>
void time_cancelling(const std::vector<std::int64_t>& rows,
                     const std::vector<std::int64_t>& columns, std::size_t bytes,
                     const device_buffer& x, const device_buffer& out, double ceiling) {
  const auto items = std::int64_t(bytes / sizeof(T));
  const engine::batched_request r = {op::sum, onefold::accuracy::exact, onefold::dtype_of<T>,
                                     onefold::dtype_of<T>};
  const auto time = [&](const shape& shape) {
    fill_cancelling<<<1024, 256>>>(static_cast<T*>(x.at), items, shape.n, shape.inner);
    time_shape(r, shape, "cancelling", x.at, out.at, ceiling);
  };
  for (const std::int64_t n : rows) time({items / n, n, 1});
  for (const std::int64_t inner : columns) time({1, items / inner, inner});
}

void time_type(const engine::batched_request& r, const std::vector<std::int64_t>& rows,
               const std::vector<std::int64_t>& columns, std::size_t kind, std::size_t bytes,
               const device_buffer& x, const device_buffer& out, double ceiling) {
  const bench::cuda_input input = bench::make_input(r.input, kind, (std::int64_t(1) << 22) + 321);
  fill(x, bytes, input.x);
  const auto items = std::int64_t(bytes / size_bytes(r.input));
  for (const std::int64_t n : rows)
    time_shape(r, {items / n, n, 1}, input.name.c_str(), x.at, out.at, ceiling);
  for (const std::int64_t inner : columns)
    time_shape(r, {1, items / inner, inner}, input.name.c_str(), x.at, out.at, ceiling);
}

int time_all(int log2_bytes) {
  const std::size_t bytes = std::size_t(1) << log2_bytes;
  device_buffer x(bytes), out(bytes * 4);
  const std::size_t n = bytes / 16;
  const double us = median_us([&] {
    read_all<<<unsigned((n + 2047) / 2048), 512>>>(static_cast<const uint4*>(x.at), n, 0xC0FFEEu,
                                                   static_cast<unsigned*>(out.at));
  });
  const double ceiling = double(bytes) / us * 1e-6;
  std::printf("{\"what\": \"read\", \"bytes\": %zu, \"us\": %.2f, \"TB/s\": %.3f}\n", bytes, us,
              ceiling);
  const auto exact = onefold::accuracy::exact;
  const std::vector<std::int64_t> rows = {2,   3,   4,    7,     8,     16,      32,     64,
                                          100, 128, 1024, 16384, 65536, 1 << 20, 1 << 25};
  const std::vector<std::int64_t> columns = {2, 3, 8, 32, 100, 128, 1024, 16384, 1 << 20};
  const std::vector<std::int64_t> few_rows = {8, 32, 128, 1024, 16384},
                                  few_columns = {8, 128, 16384};
  for (const std::size_t kind : bench::timed_inputs(dtype::f32))
    time_type({op::sum, exact, dtype::f32, dtype::f32}, rows, columns, kind, bytes, x, out,
              ceiling);
  const std::size_t plain = bench::timed_inputs(dtype::f32)[1];
  time_type({op::mean, exact, dtype::f32, dtype::f32}, few_rows, few_columns, plain, bytes, x, out,
            ceiling);
  time_type({op::norm2, exact, dtype::f32, dtype::f32}, few_rows, few_columns, plain, bytes, x, out,
            ceiling);
  for (const dtype type : {dtype::f64, dtype::bf16, dtype::f16})
    time_type({op::sum, exact, type, type}, few_rows, few_columns, plain, bytes, x, out, ceiling);
  time_type({op::mean, exact, dtype::f64, dtype::f64}, few_rows, few_columns, plain, bytes, x, out,
            ceiling);
  for (const dtype type : {dtype::u8, dtype::i32})
    time_type({op::sum, exact, type, dtype::i64}, few_rows, few_columns, 0, bytes, x, out, ceiling);
  time_type({op::mean, exact, dtype::i64, dtype::f64}, few_rows, few_columns, 0, bytes, x, out,
            ceiling);
  const std::vector<std::int64_t> long_rows = {65536, 1 << 20, 1 << 25},
                                  cancelling_columns = {8, 1024, 16384};
  time_cancelling<float>(long_rows, cancelling_columns, bytes, x, out, ceiling);
  time_cancelling<double>(long_rows, cancelling_columns, bytes, x, out, ceiling);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "check") == 0) return check();
  if (count > 1 && std::strcmp(words[1], "bench") == 0)
    return time_all(count > 2 ? std::atoi(words[2]) : 30);
  std::puts("usage: cuda_many check | bench [LOG2 of bytes]");
  return 2;
}
