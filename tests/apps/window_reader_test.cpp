// SPDX-License-Identifier: Apache-2.0
#include "io/window_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace onefold::program {
namespace {

class window_reader_test : public ::testing::Test {
 public:
  window_reader_test() {
    std::string pattern = ::testing::TempDir() + "onefold-window-XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~window_reader_test() override {
    std::remove(path().c_str());
    ::rmdir(folder_.c_str());
  }
  window_reader_test(const window_reader_test&) = delete;
  window_reader_test& operator=(const window_reader_test&) = delete;

 protected:
  std::string path() const { return folder_ + "/data"; }
  void write(const std::string& data) const { std::ofstream(path(), std::ios::binary) << data; }
  source open() const { return source::open(path()).value(); }

 private:
  std::string folder_;
};

std::string counted(std::size_t size) {
  std::string data(size, 0);
  for (std::size_t i = 0; i < size; ++i) data[i] = char(i * 7 + i / 251);
  return data;
}

// All windows together; all but the last must have the size that was asked for.
std::string read_all(window_reader& reader, std::size_t window_bytes) {
  std::string all;
  while (true) {
    const auto window = reader.next().value();
    if (window.empty()) return all;
    EXPECT_EQ(all.size() % window_bytes, 0u);
    all.append(reinterpret_cast<const char*>(window.data()), window.size());
  }
}

TEST_F(window_reader_test, windows_of_any_size_give_the_same_bytes) {
  for (const std::size_t size : {0, 1, 63, 64, 65, 128, 1000}) {
    const std::string data = counted(size);
    write(data);
    for (const std::size_t window_bytes : {1, 7, 64, 1000, 4096}) {
      source file = open();
      window_reader reader(file, {window_bytes, size, true, {}});
      EXPECT_EQ(read_all(reader, window_bytes), data);
      EXPECT_TRUE(reader.next().value().empty());
      source again = open();
      window_reader unlimited(again, {window_bytes, std::nullopt, true, {}});
      EXPECT_EQ(read_all(unlimited, window_bytes), data);
    }
  }
}

TEST_F(window_reader_test, a_limit_is_where_the_reader_ends) {
  write(counted(1000));
  source file = open();
  window_reader reader(file, {64, 300, true, {}});
  EXPECT_EQ(read_all(reader, 64), counted(1000).substr(0, 300));
}

TEST_F(window_reader_test, every_window_is_prepared_once) {
  write(std::string(1000, 'a'));
  source file = open();
  window_reader reader(file, {64, 1000, true, [](std::span<std::byte> bytes) {
                                for (std::byte& each : bytes) each = std::byte(int(each) + 1);
                              }});
  EXPECT_EQ(read_all(reader, 64), std::string(1000, 'b'));
}

TEST_F(window_reader_test, a_file_shorter_than_its_limit_is_an_io_error_for_ever) {
  write(counted(100));
  for (const std::size_t window_bytes : {7, 4096}) {
    source file = open();
    window_reader reader(file, {window_bytes, 101, true, {}});
    auto window = reader.next();
    while (window.ok() && !window->empty()) window = reader.next();
    EXPECT_EQ(window.why().code(), status_code::io_error);
    EXPECT_EQ(reader.next().why().code(), status_code::io_error);
  }
}

TEST_F(window_reader_test, a_reader_of_a_silent_pipe_stops_when_it_is_dropped) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  source pipe = open();
  const int writer = ::open(path().c_str(), O_WRONLY);
  const auto start = std::chrono::steady_clock::now();
  { window_reader reader(pipe, {64, std::nullopt, true, {}}); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  ::close(writer);
}

TEST_F(window_reader_test, a_pipe_is_passed_on_as_it_comes_where_that_is_wanted) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  source pipe = open();
  const int writer = ::open(path().c_str(), O_WRONLY);
  window_reader reader(pipe, {64, std::nullopt, false, {}});
  for (const std::string piece : {"abc", "defg"}) {
    ASSERT_EQ(::write(writer, piece.data(), piece.size()), ssize_t(piece.size()));
    const auto window = reader.next().value();
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(window.data()), window.size()), piece);
  }
  ::close(writer);
  EXPECT_TRUE(reader.next().value().empty());
}

}  // namespace
}  // namespace onefold::program
