// SPDX-License-Identifier: Apache-2.0
// Every rung's kernel, pasted alone into a .cu file, is compiled as a learner's file is; those that
// reduce one array are tried, too, and are right.

#include "ladder/learn/standalone.hpp"
#include "ladder/page/kernel_text.hpp"
#include "ladder/try/object/compiler.hpp"
#include "ladder/try/source/kernels_in.hpp"
#include "ladder/try/source/rewrite.hpp"
#include "ladder/try/source/unit.hpp"
#include "tests/ladder/try/trying.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <set>

namespace onefold::ladder::test {
namespace {

using names = std::set<std::string_view>;

/// Built from the engine's parts, or from CUB: their pages say so.
const names stand_in_no_file = {"reduce/exact", "reduce/vendor"};

/// What a kernel is instantiated with where its template does not say it.
const std::map<std::string_view, std::string> instances = {
    {"image/transpose-naive", "transpose_naive<unsigned char>"},
    {"image/transpose-tile", "transpose_tile<unsigned char, 16>"},
    {"image/transpose-padded", "transpose_padded<unsigned char, 16, 4>"},
    {"image/transpose-packed", "transpose_packed<unsigned char>"},
    {"image/columns", "column_sums<unsigned char>"},
    {"image/rows-atomic", "row_sums_atomic<unsigned char>"},
    {"image/rows-block", "row_sums_block<unsigned char>"},
};

std::vector<const rung*> learners_rungs() {
  std::vector<const rung*> rungs;
  for (const rung& r : all_rungs()) {
    if (!r.published && stand_in_no_file.count(r.name) == 0) rungs.push_back(&r);
  }
  return rungs;
}

/// The headers of the ladder that a file includes.
names headers_of(std::string_view text) {
  const std::string_view directive = "\n#include \"";
  names found;
  for (std::size_t at = 0; (at = text.find(directive, at)) != text.npos;) {
    at += directive.size();
    found.insert(text.substr(at, text.find('"', at) - at));
  }
  return found;
}

/// With the header next to it the file is complete.
bool needs_the_header_alone(const rung& r) {
  return headers_of(kernel_text(r.file)) == names{"ladder/operators.cuh"};
}

std::string pasted(const rung& r) {
  return needs_the_header_alone(r) ? std::string(kernel_text(r.file)) : standalone(r);
}

learner::compiled compiled_alone(const rung& r) {
  using namespace learner;
  const std::string text = pasted(r);
  const std::vector<token> tokens = tokens_of(text);
  const std::vector<kernel_source> kernels = kernels_in(tokens);
  const auto named = instances.find(r.name);
  // Of several kernels the last is the rung's: those that it stands on come before it.
  const std::string kernel = named == instances.end() ? kernels.back().name : named->second;
  const bool floats = r.kind == work::dot || r.floats_only;
  const scalar type = floats ? scalar::float32 : scalar::int32;
  const std::string instance =
      instance_name(find_kernel(kernels, kernel, "pasted.cu"), kernel, {type, reduction::sum, 256});
  // The kernel's address, and no launch: `try` itself says which parameters it takes.
  const std::string unit = fmt::format("#include \"ladder/try/device/prelude.hpp\"\n"
                                       "#line 1 \"pasted.cu\"\n{}\nauto* const used = &::{};\n",
                                       rewritten(text, tokens), instance);
  return compile(workshop(), unit, "/");
}

class every_rung : public testing::TestWithParam<const rung*> {};

TEST_P(every_rung, compiles_pasted_alone) {
  for (const std::string& compiler : compilers()) {
    const compiled_by one(compiler);
    const learner::compiled object = compiled_alone(*GetParam());
    EXPECT_TRUE(object.good) << compiler << "\n" << object.message;
  }
}

std::string name_of(const testing::TestParamInfo<const rung*>& chosen) {
  std::string name(chosen.param->name);
  for (char& c : name) c = c == '/' || c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(ladder, every_rung, testing::ValuesIn(learners_rungs()), name_of);

TEST(pasted, needs_one_header_but_where_a_rung_stands_on_another) {
  names others;
  for (const rung* r : learners_rungs()) {
    if (!needs_the_header_alone(*r)) others.insert(r->name);
  }
  EXPECT_EQ(others, (names{"reduce/redux", "reduce/vector", "reduce/async-copy", "reduce/bulk-copy",
                           "reduce/dependent-launch", "reduce/one-launch", "reduce/cluster",
                           "reduce/pairwise", "reduce/kahan", "reduce/interval", "reduce/integers",
                           "dot/kahan", "dot/two-product", "dot/exact", "image/rows-atomic",
                           "image/rows-block", "image/transpose-packed"}));
}

TEST(pasted, is_right_under_try) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("onefold-pasted-" + std::to_string(getpid()) + ".cu");
  for (const char* kernel : {"reduce_modulo", "reduce_unrolled", "reduce_vector"}) {
    std::string name(kernel);
    name.replace(name.find('_'), 1, "/");
    std::ofstream(file) << standalone(*find_rung(name));
    // Two elements a lane, which any grid of reduce/vector takes, too.
    const unsigned grid = name == "reduce/modulo" ? 64 : 32;
    const try_report report = tried({.file = file.string(), .kernel = kernel, .grid = grid});
    EXPECT_EQ(report.verdict(), "right") << text_of(report);
  }
  std::filesystem::remove(file);
}

TEST(pasted, refuses_what_is_built_from_more) {
  for (const std::string_view name : stand_in_no_file) {
    EXPECT_THROW(standalone(*find_rung(name)), std::invalid_argument) << name;
  }
}

}  // namespace
}  // namespace onefold::ladder::test
