// SPDX-License-Identifier: Apache-2.0
// The command line against golden texts. ONEFOLD_UPDATE_GOLDEN=1 writes them anew.

#include "ladder/commands/command_line.hpp"
#include "ladder/gpu/gpu.hpp"
#include "ladder/rung/hardware.hpp"
#include "ladder/rung/rung.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

namespace onefold::ladder::test {
namespace {

program_answer ask_as_is(std::vector<const char*> words) {
  words.insert(words.begin(), "onefold-ladder");
  return answer_command_line(static_cast<int>(words.size()), words.data());
}

/// Without what a GPU adds, which is another text on every machine.
program_answer ask(std::vector<const char*> words) {
  if (!words.empty() && words.front() == std::string("run"))
    words.insert(words.end(), {"--gpu", "off"});
  return ask_as_is(std::move(words));
}

/// Without the counts of three rungs: one is the engine's, one adds integers of 128 bits, one has
/// branches of several blocks, and each compiler places branches and loads of these in its own way.
/// The golden counts are g++'s.
std::string without_exact_counts(const std::string& text) {
  return std::regex_replace(text, std::regex("(reduce/(?:exact|integers|cluster)) .* (\\S+)\n"),
                            "$1 $2\n");
}

/// Without the numbers of basic blocks, which are another compiler's others.
std::string without_blocks(std::string text) {
  const std::regex of_a_rung("((reduce|dot|image|loop)/\\S+ .*\\S) +\\d+ +\\d+\\.\\d\\d\n");
  const std::regex of_a_page("(basic blocks of warps|lanes together in a basic block) .*\n");
  text = std::regex_replace(text, of_a_rung, "$1 ...\n");
  return std::regex_replace(text, of_a_page, "$1 ...\n");
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(ONEFOLD_SOURCE_ROOT) + "/tests/ladder/golden/" + name;
  const std::string shown = without_blocks(text);
  if (std::getenv("ONEFOLD_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << shown;
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(without_exact_counts(shown), without_exact_counts(golden.str())) << path;
}

void expect_page(const std::string& name, const std::vector<const char*>& words) {
  const program_answer answer = ask(words);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.error, "");
  expect_golden(name, answer.out);
}

void expect_refused(const std::vector<const char*>& words, const std::string& complaint) {
  const program_answer answer = ask(words);
  EXPECT_EQ(answer.exit_code, 2);
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(answer.error, complaint);
}

TEST(list, names_every_rung) {
  expect_page("list.txt", {"list"});
}

TEST(list, says_in_json_what_each_rung_is) {
  const auto page = nlohmann::json::parse(ask({"list", "--json"}).out);
  ASSERT_EQ(page.at("rungs").size(), all_rungs().size());
  for (std::size_t i = 0; i < all_rungs().size(); ++i) {
    const rung& r = all_rungs()[i];
    const auto& entry = page.at("rungs").at(i);
    EXPECT_EQ(entry.at("rung"), r.name);
    EXPECT_EQ(entry.at("printed_as").size(), r.printed.size()) << r.name;
    EXPECT_EQ(entry.contains("verdict"), r.published) << r.name;
    EXPECT_EQ(entry.contains("usual_launch"), r.compiles()) << r.name;
  }
}

/// The line at which an endless loop is stopped is the choice of the kernels' compiler.
std::string without_line_of_endless_loop(const std::string& text) {
  return std::regex_replace(text, std::regex(R"((cascading_variable\.cuh:)\d+)"), "$1??");
}

TEST(run, shows_every_ladder_and_every_published_defect) {
  const program_answer answer = ask({"run"});
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.error, "");
  expect_golden("run.txt", without_line_of_endless_loop(answer.out));
}

TEST(run, shows_where_the_published_kernel_reads_past_the_end) {
  expect_page("run_300.txt", {"run", "published/first-add", "--n", "300", "--type", "float"});
}

TEST(run, takes_rungs_sizes_types_schedules_and_warps) {
  expect_page("run_options.txt",
              {"run", "reduce/strided", "reduce/sequential", "--n", "1000", "--block", "64",
               "--type", "double", "--schedule", "shuffled", "--seed", "3", "--warp", "16"});
}

TEST(run, shows_the_times_of_a_gpu_or_says_why_there_is_none) {
  const gpu_search& search = find_gpu();
  const std::vector<const char*> words = {"run", "reduce/modulo", "--gpu-n", "4096"};
  const std::string text = ask_as_is(words).out;
  EXPECT_NE(text.find(search.found ? search.found->name : search.why_not), std::string::npos);
  const program_answer answer = ask_as_is({"run", "reduce/modulo", "--n", "4096", "--gpu", "on"});
  EXPECT_EQ(answer.exit_code, search.found ? 0 : 1);
  EXPECT_EQ(answer.error, search.found ? "" : "onefold-ladder: " + search.why_not + "\n");
}

TEST(run, leaves_out_who_does_not_take_the_options_and_says_so) {
  const program_answer answer = ask({"run", "--n", "100", "--type", "double"});
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_NE(answer.out.find("reduce/modulo "), std::string::npos);
  EXPECT_NE(answer.out.find("left out: image/columns has no kernel for --op sum --type double"),
            std::string::npos);
}

TEST(run, takes_a_block_of_any_size_where_no_tree_halves_it) {
  const program_answer answer = ask({"run", "--n", "1000", "--block", "96"});
  EXPECT_EQ(answer.exit_code, 0);
  for (const char* name : {"reduce/atomic ", "dot/serial ", "image/transpose-naive ",
                           "image/columns ", "image/rows-atomic ", "loop/x1 "}) {
    EXPECT_NE(answer.out.find(name), std::string::npos) << name;
  }
  EXPECT_NE(answer.out.find("left out: reduce/global: --block 96: the tree halves"),
            std::string::npos);
  EXPECT_NE(answer.out.find("left out: image/transpose-tile: --block 96: a tile has 8 x 8"),
            std::string::npos);
}

// A twin has a launch of its own; what its rung refuses there was nobody's question.
TEST(run, leaves_out_who_does_not_take_the_driver_and_names_no_one_else) {
  const program_answer answer = ask({"run", "--driver", "second-launch"});
  EXPECT_EQ(answer.error, "");
  EXPECT_NE(answer.out.find("reduce/modulo "), std::string::npos);
  EXPECT_NE(answer.out.find("left out: published/unrolled-limits: --driver second-launch: one "
                            "block folds 32 partials, there are 2048; use --driver passes\n"),
            std::string::npos);
  for (const char* name : {"dot/tree", "image/columns", "loop/x1"}) {
    EXPECT_NE(answer.out.find(std::string("left out: ") + name + ": --driver second-launch: it"),
              std::string::npos)
        << name;
  }
}

TEST(run, prints_json_that_is_the_same_but_for_the_seconds) {
  const program_answer answer = ask(
      {"run", "reduce/modulo", "image/rows-atomic", "published/first-add", "--n", "300", "--json"});
  EXPECT_EQ(answer.exit_code, 0);
  auto page = nlohmann::ordered_json::parse(answer.out);
  EXPECT_EQ(page.at("run").at("seconds").size(), 3u);
  page.erase("run");
  for (auto& result : page.at("results")) EXPECT_EQ(result.erase("basic_blocks"), 1u);
  expect_golden("run_300.json", page.dump(2) + "\n");
}

// One rung of each kind of work, and what else a page can show: a twin, one that does not compile.
TEST(explain, prints_the_page_of_every_kind_of_rung) {
  expect_page("explain_global.txt", {"explain", "reduce/global"});
  expect_page("explain_modulo.txt", {"explain", "reduce/modulo"});
  expect_page("explain_sequential.txt", {"explain", "reduce/sequential"});
  expect_page("explain_shuffle.txt", {"explain", "reduce/shuffle"});
  expect_page("explain_kahan.txt", {"explain", "dot/kahan"});
  expect_page("explain_transpose_tile.txt", {"explain", "image/transpose-tile"});
  expect_page("explain_rows_atomic.txt", {"explain", "image/rows-atomic"});
  expect_page("explain_loop_x2.txt", {"explain", "loop/x2"});
  expect_page("explain_vendor.txt", {"explain", "reduce/vendor"});
}

TEST(explain, shows_the_defect_of_a_published_kernel) {
  expect_page("explain_published_first_add.txt", {"explain", "published/first-add", "--n", "1000"});
  expect_page("explain_published_undeclared.txt", {"explain", "published/cascading-undeclared"});
}

TEST(explain, knows_other_sizes_and_types) {
  expect_page("explain_strided_1024.txt",
              {"explain", "reduce/strided", "--n", "5000", "--block", "1024"});
}

/// What the page says of each claim: "yes", "no", "not at this size", ...
std::set<std::string> states_of_claims(const std::vector<const char*>& words) {
  const program_answer answer = ask(words);
  EXPECT_EQ(answer.error, "");
  std::set<std::string> states;
  if (answer.exit_code != 0) return states;
  const auto page = nlohmann::json::parse(answer.out);
  for (const auto& claim : page.at("page").at("claims")) states.insert(claim.at("so"));
  return states;
}

TEST(explain, says_what_keeps_a_claim_from_speaking) {
  using names = std::set<std::string>;
  EXPECT_EQ(states_of_claims({"explain", "reduce/strided", "--warp", "4", "--json"}),
            names{"only with --warp 32"});
  EXPECT_EQ(states_of_claims({"explain", "reduce/strided", "--driver", "passes", "--json"}),
            names{"only with --driver host"});
  EXPECT_EQ(states_of_claims({"explain", "dot/exact", "--block", "96", "--json"}),
            names{"not compared"});
}

// One block of first-add folds its 64 partials; one of the rung before it would have to fold 128.
TEST(explain, asks_nothing_of_the_rung_before_that_this_one_can_do) {
  EXPECT_EQ(states_of_claims({"explain", "reduce/first-add", "--n", "8192", "--block", "64",
                              "--driver", "second-launch", "--json"}),
            std::set<std::string>{"only with --driver host"});
}

// Ints reach the total's word once a warp, floats once a lane: the page shows both times.
TEST(explain, shows_the_recorded_times_of_the_atomic_rung_for_every_type) {
  const std::string text = ask({"explain", "reduce/atomic"}).out;
  const auto us = [](element type) {
    return recorded_time("reduce/atomic", type, std::size_t{1} << 26)->median_us;
  };
  EXPECT_GT(us(element::float32), 70 * us(element::int32));
  std::string line = "67108864";
  for (const element type : number_types) {
    std::ostringstream number;
    number << std::fixed << std::setprecision(1) << us(type);
    line += " +" + number.str();
  }
  EXPECT_TRUE(std::regex_search(text, std::regex(line))) << text;
}

TEST(explain, gives_the_same_as_data) {
  const auto page = nlohmann::json::parse(ask({"explain", "reduce/strided", "--json"}).out);
  EXPECT_EQ(page.at("page").at("verdict"), "right");
  EXPECT_EQ(page.at("page").at("block_0").at("worst_shared_request").at("ways"), 8);
  EXPECT_EQ(page.at("page").at("hardware").at("instructions"),
            recorded_counters("reduce/strided")->instructions);
  std::uint64_t sectors = 0;
  for (const auto& line : page.at("page").at("lines")) {
    for (const auto& access : line.at("accesses")) {
      if (!access.at("sectors").is_null()) sectors += access.at("sectors").get<std::uint64_t>();
    }
  }
  EXPECT_EQ(sectors, 8192u + 256u);
  EXPECT_FALSE(page.at("page").at("machine_code").at("excerpts").empty());
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class report : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<const char*> words(const std::filesystem::path& file) {
    name_ = file.string();
    return {"report", "reduce/modulo", "published/first-add", "--n", "1000", "-o", name_.c_str()};
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("report_test." + std::to_string(getpid()));
  std::string name_;
};

TEST_F(report, is_one_file_and_nothing_beside_it) {
  const auto file = folder_ / "a.html";
  std::ofstream(file) << "old";
  const program_answer answer = ask(words(file));
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_EQ(answer.out.substr(0, file.string().size()), file.string());
  EXPECT_TRUE(text_of(file).starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

/// The lines of a kernel that the page highlights.
std::set<unsigned> lines_marked(const std::string& html, const std::string& anchor) {
  const std::regex mark("id=\"" + anchor + "-L(\\d+)\" class=\"at\"");
  std::set<unsigned> lines;
  for (std::sregex_iterator at(html.begin(), html.end(), mark), end; at != end; ++at) {
    lines.insert(static_cast<unsigned>(std::stoul((*at)[1])));
  }
  return lines;
}

TEST_F(report, marks_the_lines_that_the_findings_name) {
  const auto file = folder_ / "a.html";
  const std::string name = file.string();
  for (const char* twin : {"published/unguarded", "published/last-warp-volatile"}) {
    ASSERT_EQ(ask({"report", twin, "--n", "1000", "-o", name.c_str()}).exit_code, 0);
    const auto page = nlohmann::json::parse(ask({"run", twin, "--n", "1000", "--json"}).out);
    std::set<unsigned> lines;
    for (const auto& finding : page.at("results").at(0).at("findings")) {
      lines.insert(finding.at("place").at("line").get<unsigned>());
    }
    ASSERT_FALSE(lines.empty());
    std::string anchor = twin;
    anchor.replace(anchor.find('/'), 1, "-");
    EXPECT_EQ(lines_marked(text_of(file), anchor), lines) << twin;
  }
}

TEST_F(report, counts_atomic_sectors_in_the_table_of_the_climb) {
  const auto file = folder_ / "a.html";
  const std::string name = file.string();
  ASSERT_EQ(ask({"report", "reduce/atomic", "-o", name.c_str()}).exit_code, 0);
  const std::string html = text_of(file);
  const std::string row = html.substr(html.find("one atomic update an element</td>"));
  // 8,192 sectors of the input, and one for the update of each of 2,048 warps.
  EXPECT_NE(row.substr(0, row.find("</tr>")).find(">10,240<"), std::string::npos);
}

TEST_F(report, is_a_folder_of_pages_unless_a_file_is_named) {
  const auto course = folder_ / "new" / "course";
  const program_answer answer = ask(words(course));
  EXPECT_EQ(answer.exit_code, 0);
  const std::string index = (course / "index.html").string();
  EXPECT_EQ(answer.out.substr(0, index.size()), index);
  for (const char* page : {"index", "reduce", "reduce-modulo", "published-first-add", "glossary"}) {
    EXPECT_TRUE(text_of(course / (std::string(page) + ".html")).starts_with("<!DOCTYPE html>"))
        << page;
  }
  EXPECT_FALSE(std::filesystem::exists(course / "reduce-mask.html"));
  EXPECT_EQ(ask(words(course)).exit_code, 0) << "writes over what is there";
}

TEST_F(report, needs_a_folder_to_write_to) {
  const std::string remedy = "; name a file, or a folder, where you may write\n";
  const auto file = folder_ / "none" / "a.html";
  expect_refused(words(file), "onefold-ladder: -o " + file.string() + ": folder " +
                                  file.parent_path().string() + ": No such file or directory" +
                                  remedy);
  const auto folder = folder_ / "b.html";
  std::filesystem::create_directory(folder);
  expect_refused(words(folder),
                 "onefold-ladder: -o " + folder.string() + ": it is a folder" + remedy);
  const auto below_a_file = folder_ / "text" / "course";
  std::ofstream(folder_ / "text") << "a file";
  expect_refused(words(below_a_file),
                 "onefold-ladder: -o " + below_a_file.string() + ": it is a file" + remedy);
}

TEST(refusal, of_an_unknown_rung_names_the_nearest) {
  const std::string rest = "; onefold-ladder list names them all\n";
  expect_refused({"run", "reduce/shaffle"},
                 "onefold-ladder: no rung is called 'reduce/shaffle'; the nearest is "
                 "reduce/shuffle" +
                     rest);
  expect_refused({"explain", "modulo"},
                 "onefold-ladder: no rung is called 'modulo'; the nearest is reduce/modulo" + rest);
}

TEST(refusal, of_a_block_size_gives_the_remedy) {
  const std::string rule =
      ": the tree halves the block in every step, so its size must be a power of two from 1 to "
      "1024; ";
  expect_refused({"run", "reduce/modulo", "--block", "96"},
                 "onefold-ladder: --block 96" + rule + "use 64 or 128\n");
  expect_refused({"explain", "reduce/modulo", "--block", "2048"},
                 "onefold-ladder: --block 2048" + rule +
                     "a block has at most 1024 threads; use 1024\n");
  expect_refused({"run", "reduce/modulo", "--block", "0"},
                 "onefold-ladder: --block 0" + rule + "use 1, 2, 4, ..., 1024\n");
  for (const char* block : {"0", "1025"}) {
    expect_refused({"run", "--block", block},
                   std::string("onefold-ladder: --block ") + block +
                       ": a block has 1 to 1024 threads; use one of these sizes\n");
  }
}

TEST(refusal, of_a_warp_or_a_length_gives_the_remedy) {
  expect_refused({"run", "--warp", "12"},
                 "onefold-ladder: --warp 12: use a power of two from 1 to 32\n");
  expect_refused(
      {"run", "reduce/modulo", "--n", "300000000"},
      "onefold-ladder: --n 300000000: the answer is checked exactly, which is possible up "
      "to 268435456; use fewer elements\n");
}

TEST(program, no_words_list_the_commands) {
  const program_answer answer = ask({});
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_NE(answer.out.find("explain"), std::string::npos);
  EXPECT_EQ(answer.error, "");
}

TEST(refusal, of_malformed_arguments_is_a_usage_error) {
  for (const std::vector<const char*>& words :
       std::vector<std::vector<const char*>>{{"clim"},
                                             {"run", "--type", "half"},
                                             {"run", "--schedule", "random"},
                                             {"explain"},
                                             {"run", "--n", "-1"}}) {
    const program_answer answer = ask(words);
    EXPECT_EQ(answer.exit_code, 2);
    EXPECT_EQ(answer.out, "");
    EXPECT_NE(answer.error, "");
  }
}

TEST(help, is_no_error) {
  EXPECT_EQ(ask({"--help"}).exit_code, 0);
  EXPECT_EQ(ask({"run", "--help"}).exit_code, 0);
}

}  // namespace
}  // namespace onefold::ladder::test
