// SPDX-License-Identifier: Apache-2.0
// The adapter of this library: a line of a vector in, its answer out. README.md: the protocol.
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include "conformance/vectors.hpp"

int main(int count, char** words) {
  using namespace onefold;
  if (count == 2 && std::string_view(words[1]) == "--version")
    return std::puts("onefold " ONEFOLD_VERSION_STRING) < 0;
  for (std::string line; std::getline(std::cin, line);) {
    const auto vector = conformance::parse(line);
    const std::string said =
        vector ? conformance::answer(executor{}, *vector) : "error not a vector";
    std::puts(said.c_str());
  }
  return std::cin.eof() ? 0 : 1;
}
