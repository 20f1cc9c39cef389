// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/object/compiler.hpp"

#include "ladder/try/object/child.hpp"
#include "ladder/try/object/embedded.hpp"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

using words = std::vector<std::string>;

// A kernel compiles in about a second; a template that unfolds for ever does not.
constexpr double limit_s = 60;

struct host_compiler {
  words command;
  bool is_clang = false;
};

words split(std::string_view text) {
  std::istringstream stream{std::string(text)};
  words list;
  for (std::string word; stream >> word;) list.push_back(word);
  return list;
}

words operator+(words a, const words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// $CXX alone if it is set, else the first of g++ and clang++ that there is.
host_compiler find_compiler(const std::string& folder) {
  const char* const chosen = std::getenv("CXX");
  const bool set = chosen != nullptr && !split(chosen).empty();
  std::vector<words> candidates = {{"g++"}, {"clang++"}};
  if (set) candidates = {split(chosen)};
  for (const words& command : candidates) {
    const child_result answer = run_command(command + words{"--version"}, folder, limit_s);
    if (answer.exit_code != 0) continue;
    return {command, answer.output.find("clang") != std::string::npos};
  }
  throw std::runtime_error(set ? std::string("CXX is '") + chosen +
                                     "', which does not run; unset it or name a C++ compiler"
                               : "no C++ compiler: neither g++ nor clang++ runs; apt install g++");
}

words flags(const host_compiler& compiler) {
  const words common = {
      "-x", "c++", "-std=c++20", "-w", "-fPIC", "-fvisibility=hidden", "-fdiagnostics-color=never"};
  // What one object defines stays its own: the program may have kernels of the same names.
  return compiler.is_clang
             ? common + words{"-ferror-limit=3"} + split(kernel_flags_clang)
             : common + words{"-fmax-errors=3", "-fno-gnu-unique"} + split(kernel_flags_gcc);
}

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos;) {
    text.erase(at, part.size());
  }
  return text;
}

}  // namespace

compiled compile(const workshop& place, const std::string& unit, const std::string& beside) {
  const host_compiler compiler = find_compiler(place.folder());
  for (const embedded_file& header : embedded_headers()) {
    place.write("include/" + std::string(header.name), header.text);
  }
  place.write("unit.cpp", unit);
  compiled result;
  result.object = place.path("kernel.so");
  const words compiling = compiler.command + flags(compiler) +
                          words{"-I" + place.path("include"),
                                "-I" + place.path("include/ladder/try/device"),
                                "-iquote",
                                beside,
                                "-c",
                                place.path("unit.cpp"),
                                "-o",
                                place.path("kernel.o")};
  const words linking =
      compiler.command + words{"-shared", place.path("kernel.o"), "-o", result.object};
  for (const words& command : {compiling, linking}) {
    const child_result answer = run_command(command, place.folder(), limit_s);
    result.good = answer.exit_code == 0;
    result.interrupted = answer.interrupted;
    result.message = without(answer.output, place.folder() + "/include/");
    if (answer.out_of_time) result.message += "the compiler did not end within a minute\n";
    if (!result.good) break;
  }
  return result;
}

}  // namespace onefold::ladder::learner
