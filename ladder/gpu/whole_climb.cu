// SPDX-License-Identifier: Apache-2.0
#include "ladder/gpu/whole_climb.hpp"

#include "ladder/gpu/cuda_backend.hpp"
#include "ladder/gpu/gpu.hpp"
#include "ladder/gpu/timing.hpp"
#include "ladder/trial/problem.hpp"
#include "onefold/onefold.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>

#if CCCL_VERSION >= 3001000
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#include <cuda/std/__execution/env.h>
#include <cuda/stream_ref>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <ctime>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>

namespace onefold::ladder {
namespace {

constexpr const char* rungs_of_the_climb[] = {
    "reduce/atomic",    "reduce/modulo",    "reduce/strided",  "reduce/sequential",
    "reduce/first-add", "reduce/last-warp", "reduce/unrolled", "reduce/cascading",
    "reduce/vector",    "reduce/bulk-copy", "reduce/vendor"};

// A random integer from -2^24 to 2^24 - 1: as a float, a multiple of 2^-24 from -1 to 1. Sums of
// 2^28 are integers of at most 2^52 in units of 2^-24, so the host knows the exact one. The mixer
// is that of SplitMix64 (G. Steele et al., 2014).
__host__ __device__ std::int32_t units_of(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return static_cast<std::int32_t>((x ^ (x >> 31)) >> 39) - (1 << 24);
}

/// Element i of a shuffle is element (factor i + offset) mod n of the first: n is a power of two
/// and the factor odd, so each comes once.
__global__ void fill(float* to, std::size_t n, std::size_t factor, std::size_t offset) {
  const std::size_t lanes = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += lanes) {
    to[i] = static_cast<float>(units_of((factor * i + offset) & (n - 1))) * 0x1p-24f;
  }
}

float exact_sum(std::size_t n) {
  std::int64_t units = 0;
  for (std::size_t i = 0; i < n; ++i) units += units_of(i);
  return static_cast<float>(static_cast<double>(units) * 0x1p-24);
}

double ulps_off(float got, float exact) {
  const double ulp = std::ldexp(1, std::ilogb(exact) - 23);
  return std::fabs(static_cast<double>(got) - static_cast<double>(exact)) / ulp;
}

/// A way to sum in[n]: what is launched, and where its answer is then.
struct step {
  std::string name;
  std::function<const float*()> launch;
};

/// A rung, run again over its partials until one value is left.
class rung_passes {
 public:
  rung_passes(const rung& r, const trial_options& options, cuda_backend& where, const float* in)
      : rung_(r), options_(options), where_(where), kernel_(kernel_for(r, options, where)),
        in_(in) {
    const unsigned grid = blocks_for(r, options, options.n);
    for (float*& at : partials_) at = allocate(grid);
    ticket_ = static_cast<unsigned*>(where.allocate(sizeof(unsigned), "ticket"));
    where.clear(ticket_, sizeof(unsigned));
    if (r.workspace_bytes == 0) return;
    workspace_ = where.allocate(r.workspace_bytes, "workspace");
    where.clear(workspace_, r.workspace_bytes);
  }

  const float* operator()() {
    const float* from = in_;
    std::size_t left = options_.n;
    for (unsigned pass = 0;; ++pass) {
      float* const to = partials_[pass % 2];
      const unsigned grid = blocks_for(rung_, options_, left);
      // All bits of +0 are 0, and +0 is an identity where no element is -0.
      if (rung_.onto_identity) where_.clear(to, sizeof(float));
      kernel_arguments arguments{.in = from, .out = to, .ticket = ticket_};
      arguments.workspace = workspace_;
      arguments.n = left;
      arguments.grid = grid;
      arguments.block = options_.block;
      kernel_.start(where_, arguments);
      left = rung_.one_value ? 1 : grid;
      if (left == 1) return to;
      from = to;
    }
  }

 private:
  float* allocate(std::size_t count) {
    return static_cast<float*>(where_.allocate(count * sizeof(float), "partials"));
  }

  const rung& rung_;
  trial_options options_;
  cuda_backend& where_;
  const kernel_entry& kernel_;
  const float* in_;
  float* partials_[2];
  unsigned* ticket_;
  void* workspace_ = nullptr;
};

step rung_step(const char* name, cuda_backend& where, const float* in, std::size_t n) {
  trial_options options;
  options.n = n;
  options.type = element::float32;
  const auto passes = std::make_shared<rung_passes>(*find_rung(name), options, where, in);
  return {name, [passes] { return (*passes)(); }};
}

#if CCCL_VERSION >= 3001000
step reproducible_step(cuda_backend& where, const float* in, std::size_t n) {
  auto* const out = static_cast<float*>(where.allocate(sizeof(float), "answer"));
  const auto stream = static_cast<cudaStream_t>(where.stream());
  return {"CUB reproducible", [=] {
            const auto how = ::cuda::std::execution::env{
                ::cuda::execution::require(::cuda::execution::determinism::gpu_to_gpu),
                ::cuda::stream_ref{stream}};
            ONEFOLD_CUDA_TRY(cub::DeviceReduce::Reduce(in, out, static_cast<int>(n),
                                                       ::cuda::std::plus<float>{}, 0.0f, how));
            return out;
          }};
}
#endif

step exact_step(cuda_backend& where, const float* in, std::size_t n) {
  auto* const out = static_cast<float*>(where.allocate(sizeof(float), "answer"));
  auto* const status = static_cast<std::int32_t*>(where.allocate(sizeof(std::int32_t), "status"));
  void* const stream = where.stream();
  return {"onefold exact", [=]() -> const float* {
            executor::cuda gpu;
            gpu.stream = stream;
            options wanted;
            wanted.status_out = status;
            const array_view x(in, dtype::f32, {{static_cast<std::int64_t>(n), sizeof(float)}});
            const auto done = reduce(gpu, op::sum, {x}, output_view(out, dtype::f32, {}), wanted);
            if (!done) throw std::runtime_error(std::string(done.message()));
            return out;
          }};
}

class run_of_the_climb {
 public:
  run_of_the_climb(std::size_t n, unsigned shuffles) : n_(n), shuffles_(shuffles) {
    in_ = static_cast<float*>(where_.allocate(n * sizeof(float), "in"));
    for (const char* name : rungs_of_the_climb) steps_.push_back(rung_step(name, where_, in_, n));
#if CCCL_VERSION >= 3001000
    steps_.push_back(reproducible_step(where_, in_, n));
#endif
    steps_.push_back(exact_step(where_, in_, n));
    shuffle(0);
  }

  climb_step_time timed(const step& s) {
    const gpu_times t =
        time_on_stream(static_cast<cudaStream_t>(where_.stream()), [&] { s.launch(); });
    return {s.name, t.median_us, t.first_quartile_us, t.third_quartile_us};
  }

  std::vector<climb_step_time> all() {
    std::vector<climb_step_time> rows;
    for (const step& s : steps_) rows.push_back(timed(s));
    const float exact = exact_sum(n_);
    std::vector<std::set<float>> answers(steps_.size());
    for (unsigned k = 0; k < shuffles_; ++k) {
      shuffle(k);
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        const float got = answer(steps_[i]);
        answers[i].insert(got);
        rows[i].largest_ulps = std::max(rows[i].largest_ulps, ulps_off(got, exact));
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].answers = static_cast<unsigned>(answers[i].size());
    }
    return rows;
  }

 private:
  /// Shuffle 0 has the elements in their order.
  void shuffle(unsigned k) {
    const std::size_t factor = 8 * std::size_t{k} * 12345677 + 3,
                      offset = 98765431 * std::size_t{k};
    fill<<<4096, 256, 0, static_cast<cudaStream_t>(where_.stream())>>>(in_, n_, k == 0 ? 1 : factor,
                                                                       k == 0 ? 0 : offset);
    where_.wait();
  }

  float answer(const step& s) {
    float got = 0;
    where_.download(&got, s.launch(), sizeof got);
    return got;
  }

  cuda_backend where_;
  std::size_t n_;
  unsigned shuffles_;
  float* in_;
  std::vector<step> steps_;
};

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[11];
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

}  // namespace

whole_climb climb_whole(std::size_t n, unsigned shuffles) {
  if (!std::has_single_bit(n) || n > longest_input) {
    throw std::invalid_argument("the climb takes a power of two of elements, up to 2^28");
  }
  const gpu_search& search = find_gpu();
  if (!search.found) throw std::runtime_error(search.why_not);
  whole_climb climb{search.found->name, search.found->driver, search.found->runtime, today()};
  climb.n = n;
  climb.shuffles = shuffles;
  climb.reading_us = measure_reading(element::float32, n).times.median_us;
  climb.steps = run_of_the_climb(n, shuffles).all();
#if CCCL_VERSION < 3001000
  climb.left_out.push_back("CUB reproducible: the toolkit's CCCL is older than 3.1; configure with "
                           "-DONEFOLD_CCCL=FOLDER");
#endif
  return climb;
}

}  // namespace onefold::ladder
