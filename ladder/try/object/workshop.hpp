// SPDX-License-Identifier: Apache-2.0
#pragma once
// The private folder in which a learner's file is compiled. It goes when the object goes, on every
// way out: an interrupt is held back until then (interrupts.hpp).

#include <filesystem>
#include <string>
#include <string_view>

namespace onefold::ladder::learner {

class workshop {
 public:
  /// Fails: std::runtime_error naming the folder that could not be made, and the remedy.
  workshop();
  workshop(const workshop&) = delete;
  workshop& operator=(const workshop&) = delete;
  ~workshop();

  /// Makes the folders on the way, too.
  void write(const std::string& name, std::string_view text) const;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string folder() const { return folder_.string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace onefold::ladder::learner
