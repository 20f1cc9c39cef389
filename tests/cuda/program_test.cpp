// SPDX-License-Identifier: Apache-2.0
// The program with --device auto over a runtime without a device: the same results whoever makes
// them, and one warning where the GPU gives them back.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "cuda/fake_runtime.hpp"
#include "cuda/runtime/slot.hpp"
#include "failure.hpp"

namespace onefold::cuda::test {
namespace {

struct ran {
  std::string results, device, warning, outcome;
};

std::string field(const std::string& json, const std::string& name) {
  std::smatch found;
  const std::regex text("\"" + name + "\": \"([^\"]*)\"");
  return std::regex_search(json, found, text) ? found[1].str() : "";
}

ran run(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& each : words) argv.push_back(each.data());
  const program::request request = program::parse_command_line(int(argv.size()), argv.data());
  testing::internal::CaptureStderr();
  try {
    const program::outcome done =
        request.command == program::command::stats ? run_stats(request) : run_reduce(request);
    return {done.text.substr(0, done.text.find("\"run\"")), field(done.text, "device"),
            field(done.text, "warning"), testing::internal::GetCapturedStderr()};
  } catch (...) {
    testing::internal::GetCapturedStderr();
    throw;
  }
}

// What a run reports of its inputs, or the failure that ends it.
struct failed {
  int exit_code = 0;
  std::string says;
};

failed fail(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& each : words) argv.push_back(each.data());
  testing::internal::CaptureStderr();
  try {
    const program::request request = program::parse_command_line(int(argv.size()), argv.data());
    const program::outcome done =
        request.command == program::command::stats ? run_stats(request) : run_reduce(request);
    return {done.exit_code, testing::internal::GetCapturedStderr()};
  } catch (const program::failure& why) {
    return {why.exit_code(), testing::internal::GetCapturedStderr() + why.what()};
  }
}

class program_auto : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream file(name_, std::ios::binary);
    for (std::int64_t i = 0; i < 3'000'000; ++i) {
      const double x = double(i * 7919 % 1'000'003) + 0.1;
      file.write(reinterpret_cast<const char*>(&x), sizeof x);
    }
    make_link_quick(true);
  }
  void TearDown() override {
    make_link_quick(false), limit_memory(0);
    drop_kept_slots(0);
    EXPECT_EQ(things_alive(), 0);
    std::remove(name_.c_str());
  }

  ran onefold(const char* command, const char* device, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"onefold", command,    name_, "--dtype",  "f64",
                                      "--json",  "--format", "raw", "--device", device};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  std::string name_ = testing::TempDir() + "program_auto_" + std::to_string(::getpid()) + ".bin";
};

TEST_F(program_auto, results_are_the_same_and_the_device_is_told) {
  for (const char* command : {"sum", "sum,max,logsumexp", "stats"}) {
    const ran wanted = onefold(command, "cpu"), got = onefold(command, "auto");
    EXPECT_EQ(got.results, wanted.results) << command;
    EXPECT_EQ(wanted.device, "cpu") << command;
    EXPECT_EQ(got.device, "cuda") << command;
    EXPECT_EQ(got.outcome + got.warning, "") << command;
  }
}

TEST_F(program_auto, one_warning_where_the_device_is_full) {
  for (const char* command : {"sum", "sum,max,logsumexp", "stats"}) {
    const ran wanted = onefold(command, "cpu");
    drop_kept_slots(0), limit_memory(1000);
    const ran got = onefold(command, "auto");
    limit_memory(0);
    EXPECT_EQ(got.results, wanted.results) << command;
    EXPECT_EQ(got.device, "cpu") << command;
    EXPECT_NE(got.warning.find("the CPU reduced the data"), std::string::npos) << got.warning;
    EXPECT_EQ(got.outcome, "onefold: warning: " + got.warning + "\n") << command;
  }
}

TEST_F(program_auto, one_warning_for_arrays_in_memory) {
  const std::vector<std::string> rows = {"--shape", "3000,1000", "--axis", "1"};
  const ran wanted = onefold("max", "cpu", rows);
  EXPECT_EQ(onefold("max", "auto", rows).device, "cuda");
  drop_kept_slots(0), limit_memory(1000);
  const ran got = onefold("max", "auto", rows);
  EXPECT_EQ(got.results, wanted.results);
  EXPECT_EQ(got.device, "cpu");
  EXPECT_EQ(got.outcome, "onefold: warning: " + got.warning + "\n");
}

// Of an engine that was asked for by name nothing is taken over in silence.
struct refusal {
  int exit_code;
  const char* says;
  std::vector<std::string> words;
};

TEST_F(program_auto, errors_of_a_device_asked_for_name_the_remedy) {
  const std::string text =
      testing::TempDir() + "program_auto_" + std::to_string(::getpid()) + ".txt";
  std::ofstream(text) << "1 2 3\n";
  constexpr int no_device = 1;  // of the machine, not of the request
  const auto expect_told = [](const refusal& refusal) {
    const failed got = fail(refusal.words);
    EXPECT_EQ(got.exit_code, refusal.exit_code) << got.says;
    EXPECT_NE(got.says.find(refusal.says), std::string::npos) << got.says;
    EXPECT_NE(got.says.find("; "), std::string::npos) << got.says;
  };
  const std::vector<std::string> as_f64 = {"--format", "raw", "--dtype", "f64", "--device", "cuda"};
  const auto raw = [&](const char* command, const std::string& file) {
    std::vector<std::string> words = {"onefold", command, file};
    words.insert(words.end(), as_f64.begin(), as_f64.end());
    return words;
  };
  expect_told(
      {exit_code(status_code::io_error), "there is no such file", raw("sum", text + ".none")});
  expect_told({exit_code(status_code::unsupported),
               "leave --device out",
               {"onefold", "sum", text, "--device", "cuda"}});
  expect_told({exit_code(status_code::unsupported), "it takes integers", raw("bit_and", name_)});
  expect_told(
      {no_device,
       "there is no CUDA device 3",
       {"onefold", "sum", name_, "--format", "raw", "--dtype", "f64", "--device", "cuda:3"}});
  drop_kept_slots(0), limit_memory(1000);
  expect_told({exit_code(status_code::out_of_memory), "use the CPU", raw("sum", name_)});
  expect_told({exit_code(status_code::out_of_memory), "use the CPU", raw("stats", name_)});
  limit_memory(0), have_devices(0);
  expect_told({no_device, "no CUDA device", raw("sum", name_)});
  have_devices(1);
  std::remove(text.c_str());
}

TEST_F(program_auto, without_a_device_nothing_is_said) {
  have_devices(0);
  const ran got = onefold("sum", "auto");
  have_devices(1);
  EXPECT_EQ(got.device, "cpu");
  EXPECT_EQ(got.outcome + got.warning, "");
}

}  // namespace
}  // namespace onefold::cuda::test
