// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by the tests of `try --main`.

#include "ladder/try/main/program_report.hpp"
#include "tests/ladder/try/own_folder.hpp"
#include "tests/ladder/try/trying.hpp"

namespace onefold::ladder::test {

inline std::string test_program(const std::string& name) {
  return "tests/ladder/host/programs/" + name;
}

inline program_report tried_program(const program_options& options) {
  const program_report report = try_program(options);
  std::cout << "  " << options.file << ": " << report.seconds << " s\n";
  return report;
}

inline const try_defect* defect_of_kind(const program_report& report, const std::string& kind) {
  for (const try_defect& d : report.defects) {
    if (d.kind == kind) return &d;
  }
  return nullptr;
}

}  // namespace onefold::ladder::test
