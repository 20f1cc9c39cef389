// SPDX-License-Identifier: Apache-2.0
#include "ladder/trial.hpp"

#include "ladder/coverage.hpp"
#include "ladder/rung.hpp"
#include "simt/device.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <chrono>
#include <stdexcept>

namespace onefold::ladder {
namespace {

// Every partial sum of i mod 7 is an integer below 3n + 7: exact in a float while below 2^24.
constexpr std::size_t float_period = 7;
constexpr std::size_t max_n_float = ((std::size_t{1} << 24) - float_period) / 3;
// The sum of 0 .. n-1 is below n^2 / 2: exact in a double while below 2^53.
constexpr std::size_t max_n_double = std::size_t{1} << 27;
constexpr std::size_t max_n_int = std::size_t{1} << 31;

std::size_t max_n(element type) {
  return std::array{max_n_int, max_n_float, max_n_double}[static_cast<std::size_t>(type)];
}

template <class T>
std::vector<T> input(std::size_t n) {
  const std::size_t period = std::is_same_v<T, float> ? float_period : n;
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(i % period);
  return values;
}

/// Exact: integers wrap in two's complement, floating sums of these inputs do not round.
template <class T>
T fold(const std::vector<T>& values) {
  using accumulator =
      std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  accumulator total{};
  for (const T value : values) total += static_cast<accumulator>(value);
  return static_cast<T>(total);
}

const kernel_entry& find_kernel(const rung& r, element type) {
  for (std::size_t i = 0; i < kernel_count; ++i) {
    if (kernels[i].rung == r.name && kernels[i].type == type) return kernels[i];
  }
  throw std::logic_error(fmt::format("{} has no kernel for {}", r.name, to_string(type)));
}

unsigned grid_for(const rung& r, const trial_options& options) {
  const std::size_t covered = std::size_t{options.block} * r.items_per_lane;
  // An empty array still needs a block, to write the identity.
  return static_cast<unsigned>(std::max<std::size_t>(1, (options.n + covered - 1) / covered));
}

template <class T>
trial run_typed(const rung& r, const trial_options& options, simt::request_listener* listener) {
  trial result;
  result.options = options;
  result.grid = grid_for(r, options);

  simt::device device;
  if (listener != nullptr) device.tell(*listener);
  const std::vector<T> values = input<T>(options.n);
  const T* in = device.memory().copy(std::span(values), "in");
  T* partials = device.memory().allocate<T>(result.grid, "partials");
  coverage_observer reads(device.memory().offset_of(in), options.n, sizeof(T));
  device.attach(reads);

  const simt::launch_config config{.grid = {result.grid},
                                   .block = {options.block},
                                   .dynamic_shared_bytes = options.block * sizeof(T),
                                   .warp_lanes = options.warp,
                                   .order = options.order,
                                   .seed = options.seed};
  const auto start = std::chrono::steady_clock::now();
  find_kernel(r, options.type).launch(device, config, {in, options.n, partials});
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const T sum = fold(std::vector<T>(partials, partials + result.grid));
  const T expected = fold(values);
  result.right = sum == expected;
  result.sum = fmt::format("{}", sum);
  result.expected = fmt::format("{}", expected);
  result.counts = device.counts();
  result.reads = reads.total();
  result.findings = device.report();
  return result;
}

std::string power_of_two_remedy(unsigned block) {
  if (block == 0) return "use 1, 2, 4, ..., 1024";
  if (block > simt::max_block_threads) return "a block has at most 1024 threads; use 1024";
  return fmt::format("use {} or {}", std::bit_floor(block), std::bit_ceil(block));
}

}  // namespace

std::uint64_t trial::places(simt::defect kind) const {
  return static_cast<std::uint64_t>(std::count_if(
      findings.begin(), findings.end(), [kind](const simt::finding& f) { return f.kind == kind; }));
}

std::string trial::verdict() const {
  constexpr std::array worst_first = {simt::defect::no_progress, simt::defect::divergent_barrier,
                                      simt::defect::bounds, simt::defect::uninitialised,
                                      simt::defect::race};
  std::vector<std::string> wrong;
  for (const simt::defect kind : worst_first) {
    if (places(kind) != 0) wrong.emplace_back(simt::to_string(kind));
  }
  if (!right) wrong.emplace_back("wrong value");
  return wrong.empty() ? "right" : fmt::format("{}", fmt::join(wrong, ", "));
}

void validate(const trial_options& options) {
  if (!std::has_single_bit(options.block) || options.block > simt::max_block_threads) {
    throw std::invalid_argument(
        fmt::format("--block {}: the tree halves the block in every step, so its size must be a "
                    "power of two from 1 to 1024; {}",
                    options.block, power_of_two_remedy(options.block)));
  }
  if (!std::has_single_bit(options.warp) || options.warp > simt::max_warp_lanes) {
    throw std::invalid_argument(
        fmt::format("--warp {}: use a power of two from 1 to 32", options.warp));
  }
  if (options.n > max_n(options.type)) {
    throw std::invalid_argument(fmt::format(
        "--n {}: the sum is checked exactly, which {} allows up to {}; use fewer elements{}",
        options.n, to_string(options.type), max_n(options.type),
        options.type == element::float32 ? " or --type double" : ""));
  }
}

trial try_rung(const rung& r, const trial_options& options, simt::request_listener* listener) {
  validate(options);
  switch (options.type) {
  case element::float32:
    return run_typed<float>(r, options, listener);
  case element::float64:
    return run_typed<double>(r, options, listener);
  case element::int32:
    break;
  }
  return run_typed<int>(r, options, listener);
}

unsigned size_bytes(element type) {
  return type == element::float64 ? 8 : 4;
}

const char* to_string(element type) {
  return std::array{"int", "float", "double"}[static_cast<std::size_t>(type)];
}

const char* to_string(simt::schedule order) {
  return std::array{"forward", "reverse", "shuffled", "lockstep"}[static_cast<std::size_t>(order)];
}

}  // namespace onefold::ladder
