// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/answer/npy.hpp"

#include "ladder/try/answer/input.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <vector>

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

scalar type_named(std::string_view word) {
  for (const dtype& d : dtypes) {
    if (word == d.word) return d.type;
  }
  return scalar::other;
}

/// A number of each record of the file, at its offset.
struct column {
  scalar type;
  std::size_t offset;
};

struct record {
  std::vector<column> columns;
  std::size_t bytes = 0;
};

/// [('value', '<f4'), ('', '|V4'), ('cells', '<i2', (3,))]: fields, padding, and a short array.
/// Empty for what is no number.
record structured(std::string_view list) {
  record r;
  for (std::size_t open = list.find('('); open != std::string_view::npos;
       open = list.find('(', open + 1)) {
    // The third and fourth quote are those of the type.
    std::size_t first = open;
    for (int quote = 0; quote < 3; ++quote) first = list.find('\'', first + 1);
    const std::size_t last = list.find('\'', first + 1);
    if (last == std::string_view::npos) return {};
    const std::string_view word = list.substr(first + 1, last - first - 1);
    std::size_t count = 1;
    const std::size_t close = list.find(')', last), inner = list.find('(', last);
    if (inner < close) {
      count = 0;
      std::from_chars(list.data() + inner + 1, list.data() + close, count);
      open = close;
    }
    if (word.starts_with("|V")) {
      std::size_t padding = 0;
      std::from_chars(word.data() + 2, word.data() + word.size(), padding);
      r.bytes += padding;
      continue;
    }
    const scalar type = type_named(word);
    if (type == scalar::other || count == 0 || count > 64) return {};
    for (std::size_t i = 0; i < count; ++i) {
      r.columns.push_back({type, r.bytes});
      r.bytes += size_bytes(type);
    }
  }
  return r;
}

record record_in(const std::string& header) {
  constexpr std::string_view key = "'descr': ";
  const std::size_t at = header.find(key);
  if (at == std::string::npos) return {};
  const std::string_view rest = std::string_view(header).substr(at + key.size());
  if (rest.starts_with("[")) return structured(rest.substr(0, rest.find(']')));
  const scalar type = type_named(rest.substr(1, rest.find('\'', 1) - 1));
  if (type == scalar::other) return {};
  return {{{type, 0}}, size_bytes(type)};
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
  const record each = record_in(header);
  if (each.columns.empty()) refuse("holds no integers or floats of this byte order");
  if (header.find("'fortran_order': False") == std::string::npos) {
    refuse("is in Fortran's order; write numpy.ascontiguousarray of it");
  }
  numbers values;
  for (std::size_t at = first; at + each.bytes <= bytes.size(); at += each.bytes) {
    for (const column& c : each.columns)
      values.push_back(load(c.type, bytes.data() + at + c.offset));
  }
  if (values.empty()) refuse("is empty");
  return values;
}

}  // namespace onefold::ladder::learner
