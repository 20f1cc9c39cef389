// SPDX-License-Identifier: Apache-2.0
// The exception of the program: the commands throw it, main catches it and prints it once.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "messages.hpp"
#include "onefold/status.hpp"

namespace onefold::program {

class failure : public std::exception {
 public:
  explicit failure(status why, std::string input = {})
      : why_(std::move(why)), input_(std::move(input)),
        exit_code_(onefold::exit_code(why_.code())) {}

  /// For the few failures whose exit code differs from that of their status.
  failure with_exit_code(int code) && {
    exit_code_ = code;
    return std::move(*this);
  }

  const char* what() const noexcept override { return why_.message().c_str(); }
  const status& why() const noexcept { return why_; }
  /// The input that caused it; empty if none did.
  const std::string& input() const noexcept { return input_; }
  int exit_code() const noexcept { return exit_code_; }

 private:
  status why_;
  std::string input_;
  int exit_code_;
};

/// Throws if `done` is not ok.
inline void require(status done, const std::string& input = {}) {
  if (!done) throw failure(std::move(done), input);
}

/// The value of `got`; throws its status if there is none.
template <class T>
T require(result<T> got, const std::string& input = {}) {
  if (!got) throw failure(got.why(), input);
  return std::move(*got);
}

/// The same for a status of the library, which knows neither file names nor options.
inline void require_about(const std::string& input, const status& done) {
  if (!done) throw failure(messages::about(input, done), input);
}
template <class T>
T require_about(const std::string& input, result<T> got) {
  require_about(input, got.ok() ? status{} : got.why());
  return std::move(*got);
}

}  // namespace onefold::program
