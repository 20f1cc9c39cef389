// SPDX-License-Identifier: Apache-2.0
#include "ladder/rung/hardware.hpp"

#include "ladder/rung/recorded_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>

namespace onefold::ladder {
namespace {

constexpr unsigned lanes_of_a_multiprocessor = 2048;  // compute capability 8.0 and 9.0

using nlohmann::json;

const json& counters_page() {
  static const json once = json::parse(recorded_counters_json);
  return once;
}

const json& times_page() {
  static const json once = json::parse(recorded_times_json);
  return once;
}

std::string where_and_when(const json& page) {
  const json& machine = page.at("machine");
  return fmt::format("{}, CUDA {}, {}", machine.at("gpu").get<std::string>(),
                     machine.at("runtime").get<std::string>(), page.at("date").get<std::string>());
}

/// "NVIDIA H100 80GB HBM3" is an H100: the first word with a digit.
std::string short_name(const std::string& gpu) {
  std::istringstream words(gpu);
  for (std::string word; words >> word;) {
    if (word.find_first_of("0123456789") != std::string::npos) return word;
  }
  return gpu;
}

hardware_counters counters_from(const json& c) {
  const auto count = [&c](const char* name) { return c.value(name, std::uint64_t{0}); };
  return {.load_wavefronts = count("shared_load_wavefronts"),
          .load_conflicts = count("shared_load_conflicts"),
          .store_wavefronts = count("shared_store_wavefronts"),
          .store_conflicts = count("shared_store_conflicts"),
          .load_instructions = count("shared_load_instructions"),
          .store_instructions = count("shared_store_instructions"),
          .shared_atomic_wavefronts = count("shared_atomic_wavefronts"),
          .global_load_requests = count("global_load_requests"),
          .global_load_sectors = count("global_load_sectors"),
          .global_store_requests = count("global_store_requests"),
          .global_store_sectors = count("global_store_sectors"),
          .global_atomic_requests =
              count("global_atomic_requests") + count("global_reduction_requests"),
          .global_atomic_sectors =
              count("global_atomic_sectors") + count("global_reduction_sectors"),
          .divergent_branches = count("divergent_branches"),
          .instructions = count("instructions"),
          .active_lanes = c.value("active_lanes", 0.0),
          .lanes_not_predicated_off = c.value("active_lanes_not_predicated_off", 0.0)};
}

struct recorded_rung {
  element type;
  hardware_counters counters;
};

const std::map<std::string, recorded_rung, std::less<>>& recorded_rungs() {
  static const auto once = [] {
    std::map<std::string, recorded_rung, std::less<>> rungs;
    for (const json& row : counters_page().at("rungs")) {
      rungs[row.at("rung")] = {recorded_type(row.at("type")), counters_from(row.at("counters"))};
    }
    return rungs;
  }();
  return once;
}

}  // namespace

element recorded_type(const std::string& name) {
  for (const element e : all_types) {
    if (name == to_string(e)) return e;
  }
  throw std::runtime_error("recorded data: no element type is called '" + name + "'");
}

const hardware_record& recorded() {
  static const hardware_record once = [] {
    const json& page = counters_page();
    return hardware_record{
        short_name(page.at("machine").at("gpu")),
        fmt::format("{}, {}", page.at("source").get<std::string>(), where_and_when(page)),
        page.at("n").get<std::size_t>(), page.at("block").get<unsigned>(),
        page.at("machine").at("multiprocessors").get<unsigned>() * lanes_of_a_multiprocessor};
  }();
  return once;
}

const hardware_counters* recorded_counters(std::string_view rung) {
  const auto found = recorded_rungs().find(rung);
  return found == recorded_rungs().end() ? nullptr : &found->second.counters;
}

const hardware_counters* recorded_counters(std::string_view rung, const trial_options& options) {
  const auto found = recorded_rungs().find(rung);
  if (found == recorded_rungs().end()) return nullptr;
  // Counts do not depend on the schedule; everything else has to be as it was.
  trial_options launched{.n = recorded().n, .block = recorded().block, .type = found->second.type};
  launched.order = options.order;
  launched.seed = options.seed;
  return options == launched ? &found->second.counters : nullptr;
}

const std::vector<hardware_time>& recorded_times() {
  static const auto once = [] {
    std::vector<hardware_time> times;
    for (const json& row : times_page().at("rows")) {
      times.push_back({row.at("rung"), recorded_type(row.at("type")), row.at("n"), row.at("bytes"),
                       row.at("median_us"), row.at("first_quartile_us"),
                       row.at("third_quartile_us")});
    }
    return times;
  }();
  return once;
}

std::string times_source() {
  return where_and_when(times_page());
}

const hardware_time* recorded_time(std::string_view rung, element type, std::size_t n) {
  const auto& times = recorded_times();
  const auto found = std::find_if(times.begin(), times.end(), [&](const hardware_time& t) {
    return t.rung == rung && t.type == type && t.n == n;
  });
  return found == times.end() ? nullptr : &*found;
}

}  // namespace onefold::ladder
