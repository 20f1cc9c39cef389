// SPDX-License-Identifier: Apache-2.0
// A planted bug: a signed sum past the largest value. UndefinedBehaviorSanitizer has to find it.
#include <limits>

int main(int argc, char**) {
  volatile int total = std::numeric_limits<int>::max();
  total = total + argc;
  return total == 0;
}
