// SPDX-License-Identifier: Apache-2.0
#include "ladder/rung/machine_code.hpp"

#include "ladder/rung/hardware.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace onefold::ladder {
namespace {

using nlohmann::json;

const json& file() {
  static const json once = json::parse(machine_code_json);
  return once;
}

machine_line line_from(const json& j) {
  return {j.at("file"), j.at("line"), j.at("code"), j.at("instructions")};
}

machine_excerpt excerpt_from(const json& j) {
  return {j.at("file"),     j.at("line"),         j.at("code"),
          j.at("explains"), j.at("instructions"), j.at("left_out")};
}

machine_kernel kernel_from(const json& j) {
  machine_kernel kernel{j.at("rung"), recorded_type(j.at("type")), j.at("instructions"), {}, {}};
  for (const json& line : j.at("lines")) kernel.lines.push_back(line_from(line));
  for (const json& excerpt : j.at("excerpts")) kernel.excerpts.push_back(excerpt_from(excerpt));
  return kernel;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t end = line.find_last_not_of(" \t") + 1;
  return line.substr(begin, end < begin ? 0 : end - begin);
}

}  // namespace

std::string machine_code_source() {
  return fmt::format("{}, {}", file().at("compiler").get<std::string>(),
                     file().at("architecture").get<std::string>());
}

const std::vector<machine_kernel>& machine_kernels() {
  static const auto once = [] {
    std::vector<machine_kernel> kernels;
    for (const json& kernel : file().at("kernels")) kernels.push_back(kernel_from(kernel));
    return kernels;
  }();
  return once;
}

const machine_kernel* machine_code_of(std::string_view rung, element type) {
  const auto& kernels = machine_kernels();
  const auto found = std::ranges::find_if(
      kernels, [&](const machine_kernel& k) { return k.rung == rung && k.type == type; });
  return found == kernels.end() ? nullptr : &*found;
}

unsigned line_today(std::string_view text, unsigned line, std::string_view code) {
  std::istringstream lines{std::string(text)};
  const auto distance = [line](unsigned to) { return to > line ? to - line : line - to; };
  unsigned nearest = 0, number = 0;
  for (std::string one; std::getline(lines, one);) {
    ++number;
    if (trimmed(one) != code) continue;
    if (nearest == 0 || distance(number) < distance(nearest)) nearest = number;
  }
  return nearest;
}

}  // namespace onefold::ladder
