// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tells the lines that the executor writes from those that a learner's code writes to the same file
// descriptor: each begins with a token, which the process receives only after the constructors of
// the loaded object have run.

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace onefold::ladder::learner {

class transcript_seal {
 public:
  /// Puts a random token into a pipe. Fails: std::runtime_error when there is none to be had.
  transcript_seal();
  transcript_seal(const transcript_seal&) = delete;
  transcript_seal& operator=(const transcript_seal&) = delete;
  ~transcript_seal();

  /// In the child, before the object is loaded.
  void forget() {
    token_.assign(token_.size(), 0);
    token_.clear();
  }
  /// In the child: takes the token from the pipe where it was forgotten.
  const std::string& token() const;

  /// In the parent: the whole lines without their tokens; nothing if one begins otherwise.
  std::optional<std::vector<std::string>> lines_of(const std::string& output) const;

 private:
  mutable std::string token_;
  std::array<int, 2> ends_{};
};

}  // namespace onefold::ladder::learner
