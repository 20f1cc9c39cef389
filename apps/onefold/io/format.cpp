// SPDX-License-Identifier: Apache-2.0
// File formats by the extension of the name.
#include "io/format.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "messages.hpp"

namespace onefold::program {
namespace {

constexpr std::pair<std::string_view, file_format> extensions[] = {
    {".npy", file_format::npy},
    {".txt", file_format::text},
    {".raw", file_format::raw},
    {".bin", file_format::raw},
    {".safetensors", file_format::safetensors},
};

constexpr std::string_view later[] = {".npz", ".csv", ".tsv", ".png", ".pgm", ".ppm"};

std::string lower_extension(const std::string& name) {
  const std::size_t base = name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot < base) return {};
  std::string extension = name.substr(dot);
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return extension;
}

}  // namespace

result<file_format> format_of(const std::string& input_name) {
  if (input_name == "-") return file_format::text;
  const std::string extension = lower_extension(input_name);
  for (const auto& [known, format] : extensions)
    if (known == extension) return format;
  if (std::find(std::begin(later), std::end(later), extension) != std::end(later))
    return messages::later_format(input_name, extension);
  return messages::unknown_extension(input_name);
}

}  // namespace onefold::program
