// SPDX-License-Identifier: Apache-2.0
// Any bytes as a safetensors file: the parser ends, reads nothing outside them, and the tensors
// that it accepts cover the data.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "io/safetensors.hpp"

namespace {

using namespace onefold;
using namespace onefold::program;

const std::string input = "fuzz.safetensors";

void expect(bool holds) {
  if (!holds) std::abort();
}

void check_refusal(const status& why) {
  expect(why.code() == status_code::malformed);
  expect(why.message().rfind("fuzz.safetensors: ", 0) == 0);
}

void check(const result<std::vector<tensor>>& found, std::uint64_t data_bytes) {
  if (!found) return check_refusal(found.why());
  std::set<std::string> names;
  std::uint64_t next = 0;
  for (const tensor& each : *found) {
    expect(names.insert(each.name).second);
    expect(each.begin == next && each.end >= each.begin);
    next = each.end;
    if (each.type) expect(each.described().data_bytes() == each.end - each.begin);
    expect(each.shape.size() <= std::size_t(max_rank));
  }
  expect(next == data_bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file(reinterpret_cast<const char*>(data), size);
  const auto bytes = std::as_bytes(std::span(file));
  const auto length = parse_safetensors_length(bytes, size, input);
  if (length) {
    const std::size_t rest = size - safetensors_length_bytes - std::size_t(*length);
    check(parse_safetensors_header(file.substr(safetensors_length_bytes, *length), rest, input),
          rest);
  } else {
    check_refusal(length.why());
  }
  // The grammar by itself, with as many bytes of data as the first one says.
  const std::uint64_t data_bytes = size > 0 ? data[0] - std::uint8_t('{') : 0;
  check(parse_safetensors_header(file, data_bytes, input), data_bytes);
  return 0;
}
