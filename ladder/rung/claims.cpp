// SPDX-License-Identifier: Apache-2.0
#include "ladder/rung/claims.hpp"

#include "simt/banks.hpp"

#include <fmt/format.h>

#include <bit>

namespace onefold::ladder {
namespace {

/// "6 a block, was 48"; with decimals only where a short last block leaves some.
std::string a_block(std::uint64_t count, const evidence& e,
                    std::uint64_t (*number)(const simt::counts&)) {
  const auto each = [](std::uint64_t total, unsigned grid) {
    if (total % grid == 0) return fmt::format("{}", total / grid);
    return fmt::format("{:.2f}", static_cast<double>(total) / grid);
  };
  std::string text = each(count, e.current.grid) + " a block";
  if (e.previous != nullptr) text += ", was " + each(number(e.before()), e.previous->grid);
  return text;
}

std::uint64_t sectors_of_input(const evidence& e) {
  const auto& options = e.current.options;
  return (options.n * size_bytes(options.type) + simt::sector_bytes - 1) / simt::sector_bytes;
}

}  // namespace

unsigned warps_of(const evidence& e) {
  return (e.current.options.block + e.current.options.warp - 1) / e.current.options.warp;
}

bool at_any_size(const evidence&) {
  return true;
}

bool for_whole_warps(const evidence& e) {
  const auto& options = e.current.options;
  return options.n != 0 && options.n % options.warp == 0 && options.block % options.warp == 0;
}

bool when_blocks_fill_sectors(const evidence& e) {
  const auto& options = e.current.options;
  return e.current.grid == 1 || options.block * size_bytes(options.type) % simt::sector_bytes == 0;
}

bool when_tree_spans_two_rows(const evidence& e) {
  return e.current.options.block * size_bytes(e.current.options.type) >=
         2 * simt::banks * simt::bank_bytes;
}

bool when_blocks_pair_up(const evidence& e) {
  const auto& options = e.current.options;
  return options.n != 0 && options.n % (2 * options.block) == 0;
}

bool when_lanes_pair_up(const evidence& e) {
  return e.current.options.block > 1;
}

bool when_blocks_get_fewer(const evidence& e) {
  return e.current.grid < e.previous->grid;
}

bool wavefronts_rise(const evidence& e) {
  return e.counts().shared_wavefronts() > e.before().shared_wavefronts();
}

bool wavefronts_fall(const evidence& e) {
  return e.counts().shared_wavefronts() < e.before().shared_wavefronts();
}

bool loads_ideal_sectors(const evidence& e) {
  const std::uint64_t ideal =
      e.current.options.warp * size_bytes(e.current.options.type) / simt::sector_bytes;
  return e.counts().global_load.sectors == ideal * e.counts().global_load.requests;
}

bool loads_each_sector_once(const evidence& e) {
  return e.counts().global_load.sectors == sectors_of_input(e);
}

bool sectors_fall(const evidence& e) {
  return e.counts().global_load.sectors < e.before().global_load.sectors;
}

bool sectors_rise(const evidence& e) {
  return e.counts().global_load.sectors > e.before().global_load.sectors;
}

bool global_traffic_falls(const evidence& e) {
  return e.counts().global_sectors() < e.before().global_sectors();
}

bool barriers_fall(const evidence& e) {
  return e.counts().barriers < e.before().barriers;
}

bool divergence_falls(const evidence& e) {
  return e.counts().divergent_branches < e.before().divergent_branches;
}

bool counts_stay(const evidence& e) {
  return e.counts() == e.before();
}

bool instructions_fall(const evidence& e) {
  return e.recorded->instructions < e.recorded_before->instructions;
}

bool conflicts(const evidence& e) {
  return e.counts().shared_conflicts() > 0;
}

bool instructions_stay(const evidence& e) {
  return !instructions_fall(e);
}

bool instructions_halve(const evidence& e) {
  return 2 * e.recorded->instructions <= e.recorded_before->instructions;
}

bool more_lanes_work(const evidence& e) {
  return e.recorded->lanes_not_predicated_off > e.recorded_before->lanes_not_predicated_off;
}

bool answer_is_right(const evidence& e) {
  return e.current.right;
}

std::string divergent_a_block(const evidence& e) {
  return a_block(e.counts().divergent_branches, e,
                 [](const simt::counts& c) { return c.divergent_branches; });
}

std::string conflicts_a_block(const evidence& e) {
  return a_block(e.counts().shared_conflicts(), e,
                 [](const simt::counts& c) { return c.shared_conflicts(); });
}

std::string wavefronts_a_block(const evidence& e) {
  return a_block(e.counts().shared_wavefronts(), e,
                 [](const simt::counts& c) { return c.shared_wavefronts(); });
}

std::string sectors_a_request(const evidence& e) {
  const auto& load = e.counts().global_load;
  return fmt::format("{:.2f} sectors a request",
                     static_cast<double>(load.sectors) / static_cast<double>(load.requests));
}

std::string sectors_loaded(const evidence& e) {
  return fmt::format("{} sectors, the input has {}", e.counts().global_load.sectors,
                     sectors_of_input(e));
}

std::string sectors_moved(const evidence& e) {
  return fmt::format("{} sectors, was {}", e.counts().global_sectors(),
                     e.before().global_sectors());
}

std::string barriers_a_block(const evidence& e) {
  return a_block(e.counts().barriers, e, [](const simt::counts& c) { return c.barriers; });
}

std::string answers(const evidence& e) {
  return fmt::format("{}, {}{}", e.current.answer, e.current.right ? "as " : "not ",
                     e.current.expected);
}

std::string instructions(const evidence& e) {
  std::string text = fmt::format("{} instructions", e.recorded->instructions);
  if (e.recorded_before != nullptr) {
    text += fmt::format(", was {}", e.recorded_before->instructions);
  }
  return text;
}

std::string working_lanes(const evidence& e) {
  std::string text =
      fmt::format("{:.1f} of {} lanes", e.recorded->lanes_not_predicated_off, simt::max_warp_lanes);
  if (e.recorded_before != nullptr) {
    text += fmt::format(", was {:.1f}", e.recorded_before->lanes_not_predicated_off);
  }
  return text;
}

std::string sectors_and_before(const evidence& e) {
  return fmt::format("{} sectors, was {}", e.counts().global_load.sectors,
                     e.before().global_load.sectors);
}

std::string requests_and_before(const evidence& e) {
  return fmt::format("{} requests, was {}", e.counts().global_load.requests,
                     e.before().global_load.requests);
}

std::string wavefronts_and_before(const evidence& e) {
  return fmt::format("{} wavefronts, was {}", e.counts().shared_wavefronts(),
                     e.before().shared_wavefronts());
}

std::string barriers_and_before(const evidence& e) {
  return fmt::format("{} warps at barriers, was {}", e.counts().barriers, e.before().barriers);
}

std::string divergent_measured(const hardware_counters& h) {
  return fmt::format("{}{}", h.divergent_branches,
                     h.divergent_branches == 0 ? " (predicated)" : "");
}

std::string conflicts_measured(const hardware_counters& h) {
  return fmt::format("{} in the grid", h.load_conflicts + h.store_conflicts);
}

std::string wavefronts_measured(const hardware_counters& h) {
  return fmt::format("{} in the grid", h.load_wavefronts + h.store_wavefronts);
}

std::string sectors_measured(const hardware_counters& h) {
  return fmt::format("{:.2f} a request", static_cast<double>(h.global_load_sectors) /
                                             static_cast<double>(h.global_load_requests));
}

unsigned lanes_working(const evidence& e, unsigned step) {
  return step < e.current.working.size() ? e.current.working[step] : 0;
}

unsigned tree_steps(const evidence& e) {
  return static_cast<unsigned>(std::countr_zero(e.current.options.block));
}

std::uint64_t tree_stores(const evidence& e) {
  return e.counts().shared_store.requests - std::uint64_t{e.current.grid} * warps_of(e);
}

bool one_launch_answers(const evidence& e) {
  return e.current.launches == 1 && e.current.right;
}

std::string launches(const evidence& e) {
  return fmt::format("{} launch{}, {} blocks", e.current.launches,
                     e.current.launches == 1 ? "" : "es", e.current.grid);
}

std::string lanes_by_step(const evidence& e) {
  std::vector<unsigned> lanes;
  for (unsigned step = 1; step <= tree_steps(e); ++step) lanes.push_back(lanes_working(e, step));
  return fmt::format("{} of {} lanes", fmt::join(lanes, ", "), e.current.options.block);
}

claim loads_are_coalesced() {
  return {.says = "loads from global memory are coalesced",
          .true_here = true,
          .applies = for_whole_warps,
          .test = loads_ideal_sectors,
          .counted = sectors_a_request,
          .measured = sectors_measured};
}

claim by_gpu(std::string_view says, bool true_here, bool (*test)(const evidence&),
             std::string (*counted)(const evidence&)) {
  return {.says = says,
          .true_here = true_here,
          .applies = at_any_size,
          .test = test,
          .counted = counted,
          .judged_by = witness::gpu};
}

unsigned growing_distance(unsigned step, unsigned) {
  return 1u << (step - 1);
}

unsigned shrinking_distance(unsigned step, unsigned block) {
  return block >> step;
}

}  // namespace onefold::ladder
