// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by the tests of `try`: learner files, the lines they mark, and both compilers.

#include "ladder/try/try.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

namespace onefold::ladder::test {

/// The tests run in the root of the tree, so that reports name files from there.
inline std::string learner_file(const std::string& name) {
  return "tests/ladder/try/learner/" + name;
}

inline std::string text_in(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The line that ends with "// here: what".
inline simt::location marked(const std::string& file, const std::string& marker) {
  std::istringstream text(text_in(file));
  std::string line;
  for (unsigned number = 1; std::getline(text, line); ++number) {
    if (line.ends_with("// here: " + marker)) return {file, number};
  }
  ADD_FAILURE() << file << " marks no line '" << marker << "'";
  return {};
}

inline try_shape shape_in(const std::string& text) {
  std::istringstream stream(text);
  try_shape s;
  char comma = 0;
  stream >> s.x >> comma >> s.y >> comma >> s.z;
  return s;
}

/// "--block 16,16 --expect transpose"
inline try_options options_in(const std::string& text) {
  try_options options;
  std::istringstream words(text);
  for (std::string name, value; words >> name >> value;) {
    if (name == "--expect") options.expect = value;
    if (name == "--op") options.op = value;
    if (name == "--kernel") options.kernel = value;
    if (name == "--args") options.arguments = value;
    if (name == "--n") options.n = std::stoul(value);
    if (name == "--block") options.block = shape_in(value);
    if (name == "--grid") options.grid = shape_in(value);
    if (name == "--shape") options.shape = shape_in(value);
  }
  return options;
}

inline try_report tried(const try_options& options) {
  const try_report report = try_kernel(options);
  std::cout << "  " << options.file << " " << options.kernel << ": " << report.seconds << " s\n";
  return report;
}

inline bool names(const try_report& report, const std::string& kind, const simt::location& place) {
  for (const try_defect& d : report.defects) {
    if (d.kind == kind && (d.place == place || d.other == place)) return true;
  }
  return false;
}

/// Sets CXX for one scope.
class compiled_by {
 public:
  explicit compiled_by(const std::string& compiler) {
    if (const char* before = std::getenv("CXX")) before_ = before;
    setenv("CXX", compiler.c_str(), 1);
  }
  compiled_by(const compiled_by&) = delete;
  compiled_by& operator=(const compiled_by&) = delete;
  ~compiled_by() { before_.empty() ? unsetenv("CXX") : setenv("CXX", before_.c_str(), 1); }

 private:
  std::string before_;
};

inline std::vector<std::string> compilers() {
  std::vector<std::string> there;
  for (const char* name : {"g++", "clang++"}) {
    const std::string command = std::string(name) + " --version >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) there.emplace_back(name);
  }
  return there;
}

}  // namespace onefold::ladder::test
