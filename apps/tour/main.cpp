// SPDX-License-Identifier: Apache-2.0
// `make run`: a tour of onefold on files that it writes and on this machine.
#include <cstdio>
#include <exception>

#include "apps/tour/terminal.hpp"
#include "apps/tour/tour.hpp"

namespace onefold::tour {

bool show_ladder(const std::filesystem::path& programs) {
  print_act("2. The ladder: the textbook's kernels, run and counted without a GPU");
  const auto ladder = programs / "onefold-ladder";
  if (!std::filesystem::exists(ladder)) {
    std::printf("  %s is not built (-DONEFOLD_LADDER=ON builds it)\n", ladder.c_str());
    return true;
  }
  const auto said = run(quoted(ladder.string()) + " run");
  std::printf("%s\n", said.text.c_str());
  return said.ok;
}

namespace {

void show_next_steps() {
  std::printf("\nNext:\n"
              "  make run ARGS=\"sum FILE.npy\"                       your own array\n"
              "  build/release/onefold ladder explain reduce/strided  one kernel, in pictures\n"
              "  build/release/onefold doctor                         what this machine offers\n");
}

bool show_all() {
  const auto programs = std::filesystem::canonical("/proc/self/exe").parent_path();
  const auto files = write_samples(programs.parent_path() / "tour");
  bool held = show_answers(files, programs);
  held &= show_ladder(programs);
  show_speed();
  show_next_steps();
  return held;
}

}  // namespace
}  // namespace onefold::tour

int main() {
  try {
    return onefold::tour::show_all() ? 0 : 1;
  } catch (const std::exception& why) {
    std::fprintf(stderr, "onefold-tour: %s\n", why.what());
    return 1;
  }
}
