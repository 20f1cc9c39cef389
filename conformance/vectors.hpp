// SPDX-License-Identifier: Apache-2.0
// The conformance vectors in C++: read a line, ask the library, write its answer.
//
// README.md has the format. An answer is text: a C99 hex float with one digit before the point
// and no zeros after the last one, an integer, "nan", "inf", "-inf", or the name of a status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onefold/onefold.hpp"

namespace onefold::conformance {

struct test_vector {
  onefold::op op = onefold::op::sum;
  dtype input = dtype::f64;
  dtype output = dtype::f64;
  std::string_view rule;      ///< into the line
  std::string_view number;    ///< into the line
  std::string_view expected;  ///< into the line; "?" where an adapter is asked
  std::int64_t items = 0;
  std::vector<std::vector<std::byte>> views;  ///< the elements, as this machine stores them
};

/// A line of a vector file, or nothing where it is none. Precondition: no comment, no blank line.
std::optional<test_vector> parse(std::string_view line);

/// What the library says: `expected`'s form, or the name of the status that it returns.
std::string answer(const executor& where, const test_vector& vector);

/// A value as text. Precondition: `value` is of that type.
std::string text(const void* value, dtype type);

/// A vector file in the program: its name and its bytes.
struct vector_file {
  std::string_view name;  ///< conformance/vectors/<op>.txt
  std::string_view text;
};
std::vector<vector_file> embedded_files();

/// Calls f(line) for each line of a file that holds a vector.
template <class F>
void for_each_line(std::string_view file, F&& f) {
  while (!file.empty()) {
    const std::string_view line = file.substr(0, file.find('\n'));
    file.remove_prefix(line.size() < file.size() ? line.size() + 1 : file.size());
    if (!line.empty() && line.front() != '#') f(line);
  }
}

}  // namespace onefold::conformance
