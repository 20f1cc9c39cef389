// SPDX-License-Identifier: Apache-2.0
// Prints the command that repeats a failed random test, in every GoogleTest program that links this
// object. The names of the environment variables that change a test begin with ONEFOLD_.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

#include "support/random.hpp"

namespace onefold::test {
namespace {

/// `word` in the quotes that a POSIX shell needs.
std::string quoted(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+-@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

std::string environment() {
  std::string out = "ONEFOLD_TEST_SEED=" + std::to_string(seed()) + " ";
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    if (!variable.starts_with("ONEFOLD_") || variable.starts_with("ONEFOLD_TEST_SEED=")) continue;
    const auto value = variable.find('=') + 1;
    out += variable.substr(0, value) + quoted(variable.substr(value)) + " ";
  }
  return out;
}

class repeat_printer : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Failed() || !seed_is_used) return;
    std::error_code none;
    const std::string program = std::filesystem::read_symlink("/proc/self/exe", none).string();
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    std::cout << "repeat: " << environment() << quoted(program) << " "
              << quoted("--gtest_filter=" + name) << std::endl;
  }
};

[[maybe_unused]] const bool is_registered = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new repeat_printer);
  return true;
}();

}  // namespace
}  // namespace onefold::test
