// SPDX-License-Identifier: Apache-2.0
// Loads the module of MPI.
#include "ranks/ranks.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <new>
#include <string>
#include <string_view>

#include "commands/commands.hpp"
#include "onefold/version.hpp"
#include "report/fnv1a.hpp"

namespace onefold::program {
namespace {

constexpr const char* module_name = "onefold_mpi.so";

// In a build tree it is next to the program.
std::string module_path() {
  std::string path = path_beside_this_program(module_name);
  if (::access(path.c_str(), F_OK) == 0) return path;
  return path_beside_this_program(ONEFOLD_MODULE_FOLDER "/" + std::string(module_name));
}

}  // namespace

std::unique_ptr<ranks> join_ranks() {
  const std::string path = module_path();
  if (::access(path.c_str(), F_OK) != 0) throw failure(messages::ranks_module(path));
  // RTLD_GLOBAL: MPI loads parts of its own, which look for its symbols.
  void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (module == nullptr) throw failure(messages::ranks_no_mpi(::dlerror()));
  using joining = ranks* (*)(const char* version);
  const auto join = reinterpret_cast<joining>(::dlsym(module, "onefold_join_ranks"));
  std::unique_ptr<ranks> all(join == nullptr ? nullptr : join(ONEFOLD_VERSION_STRING));
  if (!all) throw failure(messages::ranks_other_version(path));
  return all;
}

bool asks_for_ranks(int argc, char** argv) noexcept {
  // These pass their words on.
  if (argc < 2 || std::string_view(argv[1]) == "ladder" || std::string_view(argv[1]) == "tour")
    return false;
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i)
    if (std::string_view(argv[i]) == "--ranks") return true;
  return false;
}

void check_same_words(ranks& all, int argc, char** argv) {
  fnv1a hash;
  for (int i = 1; i < argc; ++i) hash.add(std::string_view(argv[i])), hash.add("\n");
  if (!require(all.same(std::int64_t(hash.digest())))) throw failure(messages::ranks_words());
}

status thrown_status() {
  try {
    throw;
  } catch (const failure& why) {
    return why.why();
  } catch (const error& why) {
    return why.why();
  } catch (const std::bad_alloc&) {
    return messages::out_of_memory();
  } catch (const std::exception& unexpected) {
    return messages::internal(unexpected.what());
  }
}

}  // namespace onefold::program
