// SPDX-License-Identifier: Apache-2.0
// A planted bug: one read past the end of a heap array. AddressSanitizer has to find it.
#include <vector>

int main(int argc, char**) {
  const std::vector<int> items(8, 1);
  return items.data()[7 + argc];
}
