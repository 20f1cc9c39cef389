// SPDX-License-Identifier: Apache-2.0
// Writes the header that describes a layout, as NumPy would: the other direction of the parser,
// for tests and for the fuzzer.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "io/layout.hpp"

namespace onefold::program::testing {

/// NumPy's code of an element type: "f8". Precondition: not bfloat16.
inline std::string npy_code(dtype type) {
  if (type == dtype::boolean) return "b1";
  const char kind = is_floating(type) ? 'f' : is_unsigned(type) ? 'u' : 'i';
  return kind + std::to_string(size_bytes(type));
}

inline std::string npy_dictionary(const layout& described) {
  std::string shape;
  for (const auto extent : described.shape) shape += std::to_string(extent) + ", ";
  const bool one_byte = size_bytes(described.type) == 1;
  const char endian = one_byte ? '|' : described.big_endian ? '>' : '<';
  return std::string("{'descr': '") + endian + npy_code(described.type) +
         "', 'fortran_order': " + (described.column_major ? "True" : "False") + ", 'shape': (" +
         shape + "), }";
}

/// Magic, version, length and dictionary; the length of all is a multiple of 64.
inline std::string write_npy_header(const layout& described, int major = 1) {
  std::string text = npy_dictionary(described);
  const std::size_t front = major == 1 ? 10 : 12;
  text.append(63 - (front + text.size()) % 64, ' ').push_back('\n');
  std::string header = "\x93NUMPY";
  header += char(major);
  header += '\0';
  for (std::size_t i = 0; i < front - 8; ++i) header += char(text.size() >> (8 * i) & 0xff);
  return header + text;
}

/// All of a header in memory: what read_npy_header does with a stream.
inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace onefold::program::testing
