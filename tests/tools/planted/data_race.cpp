// SPDX-License-Identifier: Apache-2.0
// A planted bug: two threads add to one plain integer. ThreadSanitizer has to find it.
#include <thread>

static int total = 0;

int main() {
  const auto add = [] {
    for (int i = 0; i < 1000; ++i) ++total;
  };
  std::jthread first(add), second(add);
}
