// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/answer/npy.hpp"

#include "ladder/try/answer/input.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

struct dtype {
  const char* word;
  scalar type;
};

constexpr std::array<dtype, 11> dtypes = {{{"|i1", scalar::int8},
                                           {"|u1", scalar::uint8},
                                           {"<i2", scalar::int16},
                                           {"<u2", scalar::uint16},
                                           {"<i4", scalar::int32},
                                           {"<u4", scalar::uint32},
                                           {"<i8", scalar::int64},
                                           {"<u8", scalar::uint64},
                                           {"<f2", scalar::float16},
                                           {"<f4", scalar::float32},
                                           {"<f8", scalar::float64}}};

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t fixed_bytes = 10;  // of version 1: magic, version, length of the header
constexpr std::size_t max_bytes = max_n * 8 + (1 << 16);

scalar type_in(const std::string& header) {
  for (const dtype& d : dtypes) {
    if (header.find(fmt::format("'descr': '{}'", d.word)) != std::string::npos) return d.type;
  }
  return scalar::other;
}

}  // namespace

numbers read_npy(const std::string& file) {
  const auto refuse = [&file](const char* why) -> void {
    throw std::invalid_argument(fmt::format("--expect {}: {}", file, why));
  };
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse("no such file");
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  if (bytes.size() > max_bytes) refuse("has more numbers than a kernel is tried with");
  if (bytes.size() < fixed_bytes || !bytes.starts_with(magic) || bytes[6] != 1) {
    refuse("is no array of numpy; write it with numpy.save");
  }
  const std::size_t first = fixed_bytes + static_cast<unsigned char>(bytes[8]) +
                            256u * static_cast<unsigned char>(bytes[9]);
  if (first > bytes.size()) refuse("ends in its header");
  const std::string header = bytes.substr(fixed_bytes, first - fixed_bytes);
  const scalar type = type_in(header);
  if (type == scalar::other) refuse("holds no integers or floats of this byte order");
  if (header.find("'fortran_order': False") == std::string::npos) {
    refuse("is in Fortran's order; write numpy.ascontiguousarray of it");
  }
  numbers values;
  const unsigned item = size_bytes(type);
  for (std::size_t at = first; at + item <= bytes.size(); at += item) {
    values.push_back(load(type, bytes.data() + at));
  }
  if (values.empty()) refuse("is empty");
  return values;
}

}  // namespace onefold::ladder::learner
