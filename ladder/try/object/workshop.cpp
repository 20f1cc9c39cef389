// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/object/workshop.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace onefold::ladder::learner {

workshop::workshop() {
  std::error_code none;
  const std::filesystem::path root = std::filesystem::temp_directory_path(none);
  std::string form = (root / "onefold-try-XXXXXX").string();
  if (mkdtemp(form.data()) == nullptr) {
    throw std::runtime_error(
        fmt::format("cannot make a folder like {}: {}; set TMPDIR to a folder that takes files",
                    form, std::strerror(errno)));
  }
  folder_ = form;
}

workshop::~workshop() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void workshop::write(const std::string& name, std::string_view text) const {
  const std::filesystem::path file = folder_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) {
    throw std::runtime_error(fmt::format(
        "cannot write {}: is the disk full? set TMPDIR to a folder with room", file.string()));
  }
}

}  // namespace onefold::ladder::learner
