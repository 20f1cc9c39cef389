// SPDX-License-Identifier: Apache-2.0
#include "ladder/rung/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace onefold::ladder {

std::uint64_t trial::places(simt::defect kind) const {
  return static_cast<std::uint64_t>(std::count_if(
      findings.begin(), findings.end(), [kind](const simt::finding& f) { return f.kind == kind; }));
}

std::string trial::verdict() const {
  std::vector<std::string> wrong;
  for (std::size_t i = simt::defect_kinds; i-- > 0;) {
    const auto kind = static_cast<simt::defect>(i);
    if (places(kind) != 0) wrong.emplace_back(simt::to_string(kind));
  }
  if (!right) wrong.emplace_back("wrong value");
  return wrong.empty() ? "right" : fmt::format("{}", fmt::join(wrong, ", "));
}

unsigned size_bytes(element type) {
  return std::array{4u, 4u, 8u, 1u}[static_cast<std::size_t>(type)];
}

const char* to_string(element type) {
  return std::array{"int", "float", "double", "u8"}[static_cast<std::size_t>(type)];
}

const char* to_string(operation op) {
  return std::array{"sum", "product", "max", "min"}[static_cast<std::size_t>(op)];
}

const char* to_string(driver drive) {
  return std::array{"host", "second-launch", "passes"}[static_cast<std::size_t>(drive)];
}

}  // namespace onefold::ladder
