// SPDX-License-Identifier: Apache-2.0
// Small kernels, right and wrong, several in a file of kernels/. Each has in front of it
//   // options: --op max                              (if there is such a line)
//   // verdict: wrong value
//   // says: a part of the report                     (likewise)

#include "tests/ladder/try/trying.hpp"

#include <set>

namespace onefold::ladder::test {
namespace {

struct small_kernel {
  std::string file, name, options, verdict, says;
};

std::vector<small_kernel> kernels_of(const std::string& file) {
  std::vector<small_kernel> kernels;
  small_kernel next{file, "", "", "", ""};
  std::istringstream text(text_in(file));
  const auto take = [](const std::string& line, const char* word, std::string& into) {
    const std::string start = "// " + std::string(word) + ": ";
    if (line.starts_with(start)) into = line.substr(start.size());
  };
  for (std::string line; std::getline(text, line);) {
    take(line, "options", next.options);
    take(line, "verdict", next.verdict);
    take(line, "says", next.says);
    const std::size_t global = line.find("__global__ void ");
    if (global == std::string::npos || next.verdict.empty()) continue;
    const std::size_t end = line.rfind('(', line.find("* "));
    const std::size_t begin = line.rfind(' ', end) + 1;
    next.name = line.substr(begin, end - begin);
    kernels.push_back(next);
    next = {file, "", "", "", ""};
  }
  return kernels;
}

std::vector<small_kernel> all_kernels() {
  std::vector<small_kernel> all;
  const std::filesystem::directory_iterator folder("tests/ladder/try/kernels");
  std::set<std::string> files;
  for (const auto& entry : folder) files.insert(entry.path().string());
  for (const std::string& file : files) {
    const auto some = kernels_of(file);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

class a_small_kernel : public testing::TestWithParam<small_kernel> {};

TEST_P(a_small_kernel, has_its_verdict) {
  const small_kernel& k = GetParam();
  try_options options = options_in(k.options);
  options.file = k.file;
  options.kernel = k.name;
  const std::string file = std::filesystem::path(k.file).stem();
  if (file == "extrema" && options.op.empty()) options.op = k.name.substr(0, k.name.find('_'));
  const try_report report = tried(options);
  const std::string text = text_of(report);
  EXPECT_EQ(report.verdict(), k.verdict) << text;
  EXPECT_NE(text.find(k.says), std::string::npos) << k.says << "\n" << text;
}

INSTANTIATE_TEST_SUITE_P(of_the_files, a_small_kernel, testing::ValuesIn(all_kernels()),
                         [](const auto& chosen) {
                           const std::filesystem::path file = chosen.param.file;
                           return file.stem().string() + "_" + chosen.param.name;
                         });

TEST(the_small_kernels, are_a_hundred_at_least) {
  EXPECT_GE(all_kernels().size(), 100u);
}

}  // namespace
}  // namespace onefold::ladder::test
