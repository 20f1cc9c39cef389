// SPDX-License-Identifier: Apache-2.0
// Any bytes as a .npy file: the parser ends, reads nothing outside them, and whatever it accepts
// is written again to a header that it reads as the same layout.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "apps/npy_writer.hpp"
#include "io/npy.hpp"

namespace {

using namespace onefold;
using namespace onefold::program;

const std::string input = "fuzz.npy";

void expect(bool holds) {
  if (!holds) std::abort();
}

// A refusal is `malformed` and names a byte.
void check_refusal(const status& why) {
  expect(why.code() == status_code::malformed);
  expect(why.message().rfind("fuzz.npy: byte ", 0) == 0);
}

result<layout> parse(const std::string& file) {
  const auto preamble = parse_npy_preamble(testing::bytes_of(file), input);
  if (!preamble) return preamble.why();
  expect(preamble->header_bytes <= npy_header_cap_bytes);
  const std::string text =
      file.substr(std::min(preamble->size_bytes, file.size()), preamble->header_bytes);
  return parse_npy_dictionary(text, preamble->size_bytes, input);
}

void check_layout(const layout& found) {
  expect(found.type != dtype::bf16);
  expect(found.shape.size() <= std::size_t(max_rank));
  expect(found.items && found.items == count_items(found.shape, size_bytes(found.type)));
  const array_view view = view_of(found, nullptr);
  expect(view.rank() == int(found.shape.size()));
}

void check_round_trip(layout found) {
  const std::string header = testing::write_npy_header(found, 2);
  const auto again = parse(header);
  expect(again.ok());
  found.data_offset = header.size();
  expect(*again == found);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file(reinterpret_cast<const char*>(data), size);
  const auto found = parse(file);
  if (found) {
    check_layout(*found);
    check_round_trip(*found);
  } else {
    check_refusal(found.why());
  }
  // The grammar by itself: the fuzzer need not find the magic first.
  const auto bare = parse_npy_dictionary(file, 0, input);
  if (bare)
    check_round_trip(*bare);
  else
    check_refusal(bare.why());
  return 0;
}
