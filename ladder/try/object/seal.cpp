// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/object/seal.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <random>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

constexpr std::size_t token_bytes = 32;

}  // namespace

transcript_seal::transcript_seal() {
  std::random_device random;
  while (token_.size() < token_bytes) token_ += fmt::format("{:08x}", random());
  if (pipe2(ends_.data(), O_CLOEXEC) != 0 || write(ends_[1], token_.data(), token_bytes) < 0) {
    throw std::runtime_error("no pipe: too many files are open");
  }
}

transcript_seal::~transcript_seal() {
  for (const int end : ends_) close(end);
}

const std::string& transcript_seal::token() const {
  if (!token_.empty()) return token_;
  token_.resize(token_bytes);
  if (read(ends_[0], token_.data(), token_bytes) < 0) token_.clear();
  return token_;
}

std::optional<std::vector<std::string>> transcript_seal::lines_of(const std::string& output) const {
  std::vector<std::string> lines;
  std::size_t at = 0, end = 0;
  // A last line without an end is that of a process which was ended.
  for (; (end = output.find('\n', at)) != std::string::npos; at = end + 1) {
    if (output.compare(at, token_bytes, token_) != 0) return {};
    lines.push_back(output.substr(at + token_bytes, end - at - token_bytes));
  }
  return lines;
}

}  // namespace onefold::ladder::learner
