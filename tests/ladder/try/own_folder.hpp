// SPDX-License-Identifier: Apache-2.0
#pragma once
// A temporary folder of a test's own, in which everything that is left behind is found.

#include <cstdlib>
#include <filesystem>
#include <string>

namespace onefold::ladder::test {

/// The number of files and folders in a folder, at any depth.
inline std::size_t entries_in(const std::filesystem::path& folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    ++count;
  }
  return count;
}

class own_folder {
 public:
  own_folder() {
    std::string form = (std::filesystem::temp_directory_path() / "onefold-test-XXXXXX").string();
    path_ = mkdtemp(form.data());
  }
  own_folder(const own_folder&) = delete;
  own_folder& operator=(const own_folder&) = delete;
  ~own_folder() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Such a folder as the place for the temporary files of this process and its children.
class own_tmpdir : public own_folder {
 public:
  own_tmpdir() { setenv("TMPDIR", path().c_str(), 1); }
  ~own_tmpdir() { unsetenv("TMPDIR"); }
};

}  // namespace onefold::ladder::test
