// SPDX-License-Identifier: Apache-2.0
#include "ladder/commands/gpu_climb.hpp"

#include "ladder/page/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace onefold::ladder {
namespace {

// Bytes are bytes: the ceiling of four-byte reads is that of all types.
constexpr element read_type = element::float32;

/// Plain reading of about as many bytes as the rung has to move.
gpu_trial ceiling_for(std::size_t bytes) {
  const std::size_t n = std::max<std::size_t>(1, bytes / size_bytes(read_type));
  return measure_reading(read_type, std::min(n, std::size_t{1} << 28));
}

constexpr std::string_view vendor_name = "reduce/vendor";

gpu_trial vendors(std::size_t n) {
  return try_on_gpu(*find_rung(vendor_name), {.n = n, .type = read_type});
}

double ratio(const gpu_trial& t, const gpu_trial& ceiling) {
  return t.bytes_per_second() / ceiling.bytes_per_second();
}

std::vector<std::string> row_of(const gpu_result& result) {
  const gpu_trial& t = result.outcome;
  return {std::string(result.name),
          t.outcome.right ? "right" : fmt::format("{}, not {}", t.outcome.got, t.outcome.expected),
          fmt::format("{:.2f}", t.times.median_us),
          fmt::format("{:.0f}", t.bytes_per_second() * 1e-9),
          fmt::format("{:.3f}", result.of_ceiling)};
}

}  // namespace

bool gpu_climb::all_right() const {
  return std::ranges::all_of(results, [](const gpu_result& r) { return r.outcome.outcome.right; });
}

gpu_climb climb_on_gpu(const std::vector<climb_step>& steps, std::size_t n) {
  const gpu_search& search = find_gpu();
  if (!search.found) throw std::runtime_error(search.why_not);
  gpu_climb all{*search.found, n, {}};
  const gpu_trial ceiling = ceiling_for(n * size_bytes(read_type));
  const gpu_trial cub = vendors(n);
  all.results = {{"read", ceiling, 1}, {vendor_name, cub, ratio(cub, ceiling)}};
  for (auto [r, options] : steps) {
    options.n = n;
    if (r->published || !has_gpu_kernel(*r, options)) continue;
    const gpu_trial timed = try_on_gpu(*r, options);
    const bool same_bytes = timed.bytes == ceiling.bytes;
    const gpu_trial own_ceiling = same_bytes ? ceiling : ceiling_for(timed.bytes);
    all.results.push_back({r->name, timed, ratio(timed, own_ceiling)});
  }
  return all;
}

std::string gpu_climb_text(const gpu_climb& climb) {
  text_table table({{"on the GPU", align::left},
                    {"answer", align::left},
                    {"us", align::right},
                    {"GB/s", align::right},
                    {"of reading", align::right}});
  for (const gpu_result& result : climb.results) table.add(row_of(result));
  return fmt::format("\n{}, {} multiprocessors, driver {}: n {}\n\n{}", climb.machine.name,
                     climb.machine.multiprocessors, climb.machine.driver, climb.n, table.text());
}

json gpu_climb_json(const gpu_climb& climb) {
  json rows = json::array();
  for (const gpu_result& result : climb.results) {
    const gpu_trial& t = result.outcome;
    rows.push_back({{"name", result.name},
                    {"right", t.outcome.right},
                    {"bytes", t.bytes},
                    {"median_us", t.times.median_us},
                    {"first_quartile_us", t.times.first_quartile_us},
                    {"third_quartile_us", t.times.third_quartile_us},
                    {"of_reading", result.of_ceiling}});
  }
  return {{"gpu", climb.machine.name}, {"n", climb.n}, {"results", rows}};
}

}  // namespace onefold::ladder
