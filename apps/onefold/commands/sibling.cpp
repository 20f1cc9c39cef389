// SPDX-License-Identifier: Apache-2.0
// `onefold ladder` and `onefold tour`: starts the other programs of the installation.
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <fstream>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "failure.hpp"
#include "messages.hpp"

namespace onefold::program {
namespace {

std::string sibling_of(command command) {
  return command == command::ladder ? "onefold-ladder" : "onefold-tour";
}

/// "onefold ladder", as the user typed it: the sibling names its commands so.
std::string name_as_typed(command command) {
  std::string program;
  std::getline(std::ifstream("/proc/self/cmdline"), program, '\0');
  return program + (command == command::ladder ? " ladder" : " tour");
}

}  // namespace

std::string path_beside_this_program(const std::string& name) {
  char self[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0) return name;
  const std::string path(self, std::size_t(length));
  return path.substr(0, path.rfind('/') + 1) + name;
}

bool has_sibling(command command) {
  return ::access(path_beside_this_program(sibling_of(command)).c_str(), X_OK) == 0;
}

void run_sibling(const request& request) {
  std::string path = path_beside_this_program(sibling_of(request.command));
  std::vector<std::string> words = request.words;
  std::string name = name_as_typed(request.command);
  std::vector<char*> argv{name.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(path.c_str(), argv.data());
  const int why = errno;
  throw failure(why == ENOENT ? messages::no_sibling(path) : messages::cannot_start(path, why));
}

}  // namespace onefold::program
