// SPDX-License-Identifier: Apache-2.0
// What docs/ladder/errata.md says of `>>= 1` in place of `/= 2`.

#include "tests/ladder/try/trying.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace onefold::ladder::test {
namespace {

/// The instructions of `T half(T i) { return EXPRESSION; }`, without directives and comments.
std::string instructions(const std::string& compiler, const std::string& type,
                         const std::string& expression) {
  const auto stem =
      std::filesystem::temp_directory_path() / ("onefold-half-" + std::to_string(getpid()));
  const std::string source = stem.string() + ".cpp", assembly = stem.string() + ".s";
  std::ofstream(source) << fmt::format("{0} half({0} i) {{ return {1}; }}\n", type, expression);
  const std::string command = fmt::format("{} -O2 -S -o {} {}", compiler, assembly, source);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::istringstream lines(text_in(assembly));
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    const bool directive =
        line.find_first_not_of(" \t") != line.npos && line[line.find_first_not_of(" \t")] == '.';
    const bool instruction = line.starts_with("\t") && !directive && line.rfind("\t#", 0) != 0;
    if (instruction) found += line.substr(0, line.find_first_of("#;")) + "\n";
  }
  std::filesystem::remove(source);
  std::filesystem::remove(assembly);
  return found;
}

TEST(halving, of_unsigned_numbers_is_the_same_code_by_shift_and_by_division) {
  for (const std::string& compiler : compilers()) {
    const std::string shift = instructions(compiler, "unsigned", "i >> 1");
    EXPECT_FALSE(shift.empty()) << compiler;
    EXPECT_EQ(instructions(compiler, "unsigned", "i / 2"), shift) << compiler;
  }
}

TEST(halving, of_ints_costs_more_by_division_which_rounds_towards_zero) {
  for (const std::string& compiler : compilers()) {
    EXPECT_GT(instructions(compiler, "int", "i / 2").size(),
              instructions(compiler, "int", "i >> 1").size())
        << compiler;
  }
}

}  // namespace
}  // namespace onefold::ladder::test
