// SPDX-License-Identifier: Apache-2.0
#include "ladder/learn/compare.hpp"

#include "ladder/rung/rung.hpp"
#include "ladder/trial/try_rung.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace onefold::ladder {
namespace {

template <class Value, std::size_t Count>
std::optional<Value> named(const std::array<Value, Count>& values, const std::string& name) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&name](Value value) { return name == to_string(value); });
  return found == values.end() ? std::nullopt : std::optional(*found);
}

std::optional<element> element_named(const std::string& name) {
  return named(std::array{element::int32, element::float32, element::float64}, name);
}

operation operation_named(const std::string& name) {
  return *named(
      std::array{operation::sum, operation::product, operation::maximum, operation::minimum}, name);
}

}  // namespace

std::optional<simt::counts> counts_of_rung(const std::string& name, const try_launch& launch) {
  const std::optional<element> type = element_named(launch.type);
  if (!type) return {};
  trial_options options;
  options.n = launch.n;
  options.block = launch.block;
  if (launch.grid != 0) options.max_grid = launch.grid;
  options.type = *type;
  options.op = operation_named(launch.op);
  try {
    return try_rung(*find_rung(name), options).counts;
  } catch (const std::invalid_argument&) {
    return {};  // the rung refuses the launch
  }
}

}  // namespace onefold::ladder
