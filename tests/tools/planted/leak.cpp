// SPDX-License-Identifier: Apache-2.0
// A planted bug: memory that nobody owns at exit. LeakSanitizer has to find it.
#include <cstdlib>

// noinline: an address that stays in a register of main() would still count as reachable.
__attribute__((noinline)) static void lose(std::size_t size_bytes) {
  void* volatile lost = std::malloc(size_bytes);
  lost = nullptr;
}

int main(int argc, char**) {
  for (int i = 0; i < 16; ++i) lose(static_cast<std::size_t>(argc) * 64);
}
