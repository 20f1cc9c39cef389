// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/source/source.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw std::invalid_argument(fmt::format("{}: {}", file, why));
}

void check_kind(const std::string& file) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (status.type() == std::filesystem::file_type::not_found) refuse(file, "no such file");
  if (failure) refuse(file, failure.message());
  if (is_directory(status)) refuse(file, "is a folder; name the .cu file in it");
  if (!is_regular_file(status)) refuse(file, "is no regular file; copy the kernel to one");
  const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
  if (!failure && bytes > max_source_bytes) {
    refuse(file, fmt::format("has {} bytes, and a kernel file at most {}; keep the kernel and "
                             "leave out the rest",
                             bytes, max_source_bytes));
  }
}

}  // namespace

std::string read_source(const std::string& file) {
  check_kind(file);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file, fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string text(max_source_bytes, '\0');  // it may have grown since its size was judged
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  const std::size_t nul = text.find('\0');
  if (nul != std::string::npos) {
    refuse(file, fmt::format("is no text: byte {} is zero; name the .cu source", nul));
  }
  return text;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code neither_is_there;
  return std::filesystem::equivalent(a, b, neither_is_there);
}

}  // namespace onefold::ladder::learner
