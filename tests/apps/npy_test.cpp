// SPDX-License-Identifier: Apache-2.0
#include "io/npy.hpp"

#include <random>

#include <gtest/gtest.h>

#include "apps/npy_writer.hpp"

namespace onefold::program {
namespace {

using testing::bytes_of;
using testing::npy_dictionary;
using testing::write_npy_header;

const std::string input = "in.npy";

layout random_layout(std::mt19937_64& random) {
  layout made;
  do made.type = all_dtypes[random() % std::size(all_dtypes)];
  while (made.type == dtype::bf16);
  made.big_endian = size_bytes(made.type) > 1 && random() % 2 == 0;
  made.column_major = random() % 2 == 0;
  const std::size_t rank = random() % 9;
  for (std::size_t i = 0; i < rank; ++i) made.shape.push_back(std::int64_t(random() % 100));
  made.items = count_items(made.shape, size_bytes(made.type));
  return made;
}

TEST(npy_header, that_is_written_is_read_back) {
  std::mt19937_64 random(20240607);
  for (int round = 0; round < 5000; ++round) {
    layout written = random_layout(random);
    const int major = 1 + int(random() % 3);
    const std::string header = write_npy_header(written, major);
    const auto preamble = parse_npy_preamble(bytes_of(header), input);
    ASSERT_TRUE(preamble.ok()) << header;
    ASSERT_EQ(preamble->size_bytes + preamble->header_bytes, header.size());
    ASSERT_EQ(header.size() % 64, 0u);
    const auto read =
        parse_npy_dictionary(header.substr(preamble->size_bytes), preamble->size_bytes, input);
    ASSERT_TRUE(read.ok()) << header << read.why().message();
    written.data_offset = header.size();
    ASSERT_EQ(*read, written) << header;
  }
}

TEST(npy_header, cut_short_is_refused) {
  const std::string header = write_npy_header({dtype::f64, false, false, {2, 3}, 6, 0});
  for (std::size_t size = 0; size < 10; ++size)
    EXPECT_FALSE(parse_npy_preamble(bytes_of(header).first(size), input).ok()) << size;
  const std::string text = npy_dictionary({dtype::f64, false, false, {2, 3}, 6, 0});
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto read = parse_npy_dictionary(text.substr(0, size), 10, input);
    ASSERT_FALSE(read.ok()) << size;
    EXPECT_EQ(read.why().code(), status_code::malformed);
  }
}

// Every byte of a good header replaced by every other byte: it is refused, or it says a layout
// that is written and read back as itself.
TEST(npy_header, with_a_wrong_byte_is_never_misread) {
  const std::string text = npy_dictionary({dtype::f64, false, true, {20, 31}, 620, 0});
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string spoilt = text;
      spoilt[at] = char(byte);
      const auto read = parse_npy_dictionary(spoilt, 10, input);
      if (!read.ok()) continue;
      const auto again = parse_npy_dictionary(npy_dictionary(*read), 10, input);
      ASSERT_TRUE(again.ok()) << spoilt;
      EXPECT_EQ(again->shape, read->shape);
      EXPECT_EQ(again->type, read->type);
    }
  }
}

TEST(npy_header, that_is_wrong_has_its_byte_named) {
  const auto read = parse_npy_dictionary("{'descr': '<f8', 'shape': (-1,)}", 10, input);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.why().message().rfind("in.npy: byte 37: ", 0), 0u) << read.why().message();
}

TEST(npy_header, has_sixty_four_axes_at_most) {
  std::string shape;
  for (int i = 0; i < 64; ++i) shape += "1,";
  const auto text = [](const std::string& extents) {
    return "{'descr': '<f8', 'fortran_order': False, 'shape': (" + extents + ")}";
  };
  EXPECT_TRUE(parse_npy_dictionary(text(shape), 10, input).ok());
  EXPECT_FALSE(parse_npy_dictionary(text(shape + "1,"), 10, input).ok());
}

}  // namespace
}  // namespace onefold::program
