// SPDX-License-Identifier: Apache-2.0
// A planted bug: a read past the end, behind four bytes that only a guided fuzzer finds.
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 4 && data[0] == 'f' && data[1] == 'o' && data[2] == 'l' && data[3] == 'd') {
    const volatile std::uint8_t beyond = data[size];
    return beyond & 0;
  }
  return 0;
}
