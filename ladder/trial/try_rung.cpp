// SPDX-License-Identifier: Apache-2.0
#include "ladder/trial/try_rung.hpp"

#include "ladder/trial/coverage.hpp"
#include "ladder/trial/executor_backend.hpp"
#include "ladder/trial/inputs.hpp"
#include "ladder/trial/problem.hpp"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <stdexcept>

namespace onefold::ladder {
namespace {

std::string power_of_two_remedy(unsigned block) {
  if (block == 0) return "use 1, 2, 4, ..., 1024";
  if (block > simt::max_block_threads) return "a block has at most 1024 threads; use 1024";
  return fmt::format("use {} or {}", std::bit_floor(block), std::bit_ceil(block));
}

void validate_block(const rung& r, unsigned block) {
  const bool launches = block >= 1 && block <= simt::max_block_threads;
  if (launches && (r.any_block || std::has_single_bit(block))) return;
  if (r.any_block) {
    throw std::invalid_argument(
        fmt::format("--block {}: a block has 1 to {} threads; use one of these sizes", block,
                    simt::max_block_threads));
  }
  throw std::invalid_argument(
      fmt::format("--block {}: the tree halves the block in every step, so its size must be a "
                  "power of two from 1 to 1024; {}",
                  block, power_of_two_remedy(block)));
}

void validate_length(const trial_options& options) {
  if (options.n <= longest_input) return;
  throw std::invalid_argument(
      fmt::format("--n {}: the answer is checked exactly, which is possible up to {}; use fewer "
                  "elements",
                  options.n, longest_input));
}

/// Why the driver cannot fold the rung's partials, with the remedy; empty: it can.
std::string refuse_driver(const rung& r, const trial_options& options) {
  if (options.drive == driver::host) return "";
  if (r.kind == work::dot) {
    return "its kernel multiplies, so it cannot fold partials; use --driver host";
  }
  if (r.kind != work::reduce) return "it leaves no partials to fold; use --driver host";
  const std::size_t held = std::size_t{options.block} * r.items_per_lane;
  const std::size_t partials = r.one_value ? 1 : blocks_for(r, options, options.n);
  if (options.drive == driver::second_launch && !r.grid_stride && partials > held) {
    return fmt::format("one block folds {} partials, there are {}; use --driver passes", held,
                       partials);
  }
  if (options.drive == driver::passes && held == 1 && partials > 1) {
    return "a block of 1 folds one element, so no pass leaves fewer partials; use a larger --block "
           "or --driver host";
  }
  return "";
}

}  // namespace

void validate(const rung& r, const trial_options& options) {
  if (!r.compiles()) {
    throw std::invalid_argument(
        fmt::format("{}: it does not compile, which is its defect; read {}", r.name, r.file));
  }
  validate_block(r, options.block);
  if (!std::has_single_bit(options.warp) || options.warp > simt::max_warp_lanes) {
    throw std::invalid_argument(
        fmt::format("--warp {}: use a power of two from 1 to 32", options.warp));
  }
  if (options.max_grid == 0) {
    throw std::invalid_argument("--max-grid 0: use at least one block");
  }
  // A rung knows better what is too long: an image has a width and a height.
  if (const std::string why = r.refuses == nullptr ? "" : r.refuses(options); !why.empty()) {
    throw std::invalid_argument(fmt::format("{}: {}", r.name, why));
  }
  validate_length(options);
  if (const std::string why = refuse_driver(r, options); !why.empty()) {
    throw std::invalid_argument(
        fmt::format("{}: --driver {}: {}", r.name, to_string(options.drive), why));
  }
}

void validate_here(const rung& r, const trial_options& options) {
  if (!r.gpu_only.empty()) {
    throw std::invalid_argument(fmt::format("{} runs on a GPU alone: {}", r.name, r.gpu_only));
  }
  validate(r, options);
}

trial try_rung(const rung& r, const trial_options& options, simt::request_listener* listener,
               simt::observer* observer) {
  validate_here(r, options);
  executor_backend where(options);
  const auto work = make_problem(r, options, where);
  const watched_input input = work->watched();
  coverage_observer reads(where.device().memory().offset_of(input.at), input.count,
                          input.item_bytes);
  working_lanes_observer working;
  where.device().attach(reads);
  where.device().attach(working);
  if (listener != nullptr) where.device().tell(*listener);
  if (observer != nullptr) where.device().attach(*observer);

  const auto start = std::chrono::steady_clock::now();
  work->run();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;

  const answer found = work->check();
  trial result;
  result.options = options;
  result.grid = work->grid();
  result.right = found.right;
  result.answer = found.got;
  result.expected = found.expected;
  result.counts = where.counts();
  result.blocks = where.blocks();
  result.launches = where.launches();
  result.reads = reads.total();
  result.working = working.total();
  result.findings = where.findings();
  result.seconds = taken.count();
  return result;
}

}  // namespace onefold::ladder
