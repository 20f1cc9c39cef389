// SPDX-License-Identifier: Apache-2.0
#include "ladder/trial/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace onefold::ladder {

const kernel_entry* find_kernel(const backend& where, std::string_view rung, element type,
                                operation op) {
  for (const kernel_table& table : where.tables()) {
    for (const kernel_entry& entry : std::span(table.entries, table.count)) {
      if (entry.rung == rung && entry.type == type && entry.op == op) return &entry;
    }
  }
  return nullptr;
}

const kernel_entry& kernel_for(const rung& r, const trial_options& options, const backend& where) {
  if (const kernel_entry* found = find_kernel(where, r.name, options.type, options.op)) {
    return *found;
  }
  std::string known;
  for (const kernel_table& table : where.tables()) {
    for (const kernel_entry& entry : std::span(table.entries, table.count)) {
      if (entry.rung != r.name) continue;
      known += fmt::format("{}{} {}", known.empty() ? "" : ", ", to_string(entry.op),
                           to_string(entry.type));
    }
  }
  throw std::invalid_argument(fmt::format("{} has no kernel for --op {} --type {}; it has {}",
                                          r.name, to_string(options.op), to_string(options.type),
                                          known.empty() ? "none" : known));
}

unsigned blocks_for(const rung& r, const trial_options& options, std::size_t n) {
  const std::size_t covered = std::size_t{options.block} * r.items_per_lane;
  const std::size_t wanted = std::max<std::size_t>(1, (n + covered - 1) / covered);
  return static_cast<unsigned>(r.grid_stride ? std::min<std::size_t>(wanted, options.max_grid)
                                             : wanted);
}

std::unique_ptr<problem> make_problem(const rung& r, const trial_options& options, backend& where) {
  switch (r.kind) {
  case work::reduce:
    return make_reduction(r, options, where);
  case work::dot:
    return make_dot(r, options, where);
  case work::transpose:
  case work::column_sums:
  case work::row_sums:
    return make_image(r, options, where);
  case work::vector_add:
    break;
  }
  return make_vector_add(r, options, where);
}

}  // namespace onefold::ladder
