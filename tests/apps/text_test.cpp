// SPDX-License-Identifier: Apache-2.0
// The text reader: what it reads, what it refuses and where, and that no cut of the stream
// matters. ONEFOLD_TEST_SEED repeats a run.
#include "io/text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <charconv>
#include <random>
#include <string>
#include <vector>

#include "support/random.hpp"

namespace onefold::program {
namespace {

using test::seed;

/// What a reading gave, in full: everything that may not depend on how the stream was cut.
struct outcome {
  status_code code = status_code::ok;
  std::string message;
  std::string sum;
  std::int64_t count = 0;
  std::int64_t missing = 0;
  bool integers = true;
  std::vector<std::uint64_t> binary64;

  bool operator==(const outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const outcome& o) {
  return out << name(o.code) << " '" << o.message << "' sum " << o.sum << " count " << o.count
             << " missing " << o.missing << " integers " << o.integers << " and "
             << o.binary64.size() << " binary64";
}

struct reading {
  bool as_binary64 = false;
  bool skip_missing = false;
};

/// Reads the text in chunks whose sizes `next_size` says.
template <class NextSize>
outcome read_in(std::string_view text, reading how, NextSize next_size) {
  outcome out;
  text_options options;
  options.skip_missing = how.skip_missing;
  if (how.as_binary64)
    options.binary64_blocks = [&](std::span<const double> block) {
      for (const double x : block) out.binary64.push_back(std::bit_cast<std::uint64_t>(x));
      return status();
    };
  text_reader reader("in", options);
  status fed;
  while (!text.empty() && fed) {
    const std::size_t size = std::min<std::size_t>(next_size(), text.size());
    const std::vector<char> chunk(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(size));
    fed = reader.feed(chunk);  // a chunk of its own: sanitizers see a byte too far
    text.remove_prefix(size);
  }
  const status ended = reader.end();
  EXPECT_TRUE(fed || ended.message() == fed.message()) << ended.message();
  out.code = ended.code();
  out.message = ended.message();
  if (!ended) return out.binary64.clear(), out;
  out.sum = reader.sum().to_string();
  out.count = reader.count();
  out.missing = reader.missing_count();
  out.integers = reader.sum().all_integers();
  return out;
}

outcome read(std::string_view text, reading how = {}) {
  return read_in(text, how, [&] { return text.size(); });
}

void expect_same_for_every_cut(std::string_view text, reading how) {
  const auto whole = read(text, how);
  for (std::size_t cut = 1; cut < text.size(); ++cut) {
    bool first = true;
    EXPECT_EQ(read_in(text, how, [&] { return std::exchange(first, false) ? cut : text.size(); }),
              whole)
        << "cut at " << cut << " of '" << text << "'";
  }
  for (const std::size_t size : {1, 2, 3, 7, 81})
    EXPECT_EQ(read_in(text, how, [&] { return size; }), whole) << size << " '" << text << "'";
}

std::string refusal(std::string_view text) {
  const auto got = read(text);
  EXPECT_EQ(got.code, status_code::malformed) << text;
  return got.message;
}

bool begins(const std::string& text, std::string_view with) {
  return text.starts_with(with);
}

/// A file of numbers as files have them, and now and then one that is odd.
class file_maker {
 public:
  explicit file_maker(std::uint64_t from) : random_(from) {}
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  std::string digits(std::size_t count) {
    std::string out;
    while (out.size() < count) out += static_cast<char>('0' + below(10));
    return out;
  }
  std::string number() {
    std::string out = below(4) == 0 ? "-" : below(30) == 0 ? "+" : "";
    out += digits(below(10) == 0 ? below(25) : 1 + below(7));
    if (below(2) == 0) out += "." + digits(below(10) == 0 ? below(25) : 1 + below(5));
    if (below(12) == 0) out += "e" + std::to_string(static_cast<int>(below(700)) - 350);
    if (below(200) == 0) out = below(2) == 0 ? "-0" : "1.5e1";
    const bool legal = out.find_first_of("0123456789") < out.find('e');
    return legal ? out : "0";
  }
  std::string blanks() {
    constexpr std::string_view all[] = {"\n", "\n", "\n", "\n", "\r\n", " ", "\t", " \n ", "   "};
    return std::string(all[below(std::size(all))]);
  }

 private:
  std::mt19937_64 random_;
};

TEST(text, reads_numbers_between_blanks) {
  EXPECT_EQ(read("0.1 0.2\n").sum, "0.3");
  EXPECT_EQ(read("1\r\n2\r\n\t3 \v\f4").sum, "10");
  EXPECT_EQ(read("").sum, "0");
  EXPECT_EQ(read(" \t ").count, 0);
  EXPECT_EQ(read("-0\n-0.0\n").sum, "-0");
  EXPECT_EQ(read("1e400 -1e400 +5. .5e0").sum, "5.5");
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "7\n8")
                .sum,
            "15");
  EXPECT_EQ(read("\xEF\xBB\xBF").count, 0);
  EXPECT_EQ(read("NaN 1").sum, "nan");
  EXPECT_EQ(read("Infinity 1").sum, "inf");
  EXPECT_EQ(read("7").sum, "7");
}

/// The numbers with space around them for the fast reader, which leaves the first and last bytes.
std::string amid_blanks(const std::string& numbers) {
  return "   " + numbers + std::string(200, ' ');
}

TEST(text, distinguishes_integers_from_numbers_with_a_point) {
  EXPECT_TRUE(read(amid_blanks("1 -2 99999999999999999999")).integers);
  for (const std::string text : {"1.0", "1e0", "15e1", "1.5e1", "1.", "100e-2", "nan"}) {
    EXPECT_FALSE(read(text).integers) << text;
    EXPECT_FALSE(read(amid_blanks(text)).integers) << text;
  }
}

TEST(text, distinguishes_zero_from_minus_zero) {
  for (const std::string text : {"-0", "-0.00", "-0e5 -0000000000000.0"}) {
    EXPECT_EQ(read(text).sum, "-0") << text;
    EXPECT_EQ(read(amid_blanks(text)).sum, "-0") << text;
    EXPECT_EQ(read(amid_blanks(text + " 0")).sum, "0") << text;
  }
}

TEST(text, says_what_is_wrong_and_where) {
  EXPECT_EQ(refusal("1,2\n"),
            "in:1:2: ',' is not part of a number; a decimal comma: tr ',' '.', one "
            "between thousands: tr -d ',', one between numbers: tr ',' '\\n', a "
            "column of a table: mlr --icsv --onidx --implicit-csv-header cut -f 2");
  EXPECT_TRUE(begins(refusal("1\n22;3"), "in:2:3: ';' is not part of a number"));
  EXPECT_TRUE(begins(refusal("1\r\n  0x1p3\n"), "in:2:4: '0x1p3' is hexadecimal"));
  EXPECT_TRUE(begins(refusal("3 1_000"), "in:1:4: '_' is not part of a number"));
  EXPECT_TRUE(begins(refusal("1\n2\n5 1e \n"), "in:3:5: '1e' ends before its last digit"));
  EXPECT_TRUE(begins(refusal("-."), "in:1:3: '-.' ends before its last digit"));
  EXPECT_TRUE(begins(refusal("12 price"), "in:1:4: 'p' in 'price' is not part of a number"));
  EXPECT_TRUE(begins(refusal("1.2.3"), "in:1:4: '.' in '1.2.3'"));
  EXPECT_TRUE(begins(refusal(std::string("1\0", 2)), "in:1:2: the byte 0x00 is not part"));
  EXPECT_TRUE(
      begins(refusal("\xFF\xFE"), "in:1:1: the byte 0xff is not part of a number; if this"));
  EXPECT_TRUE(begins(refusal("1e100001"), "in:1:1: an exponent lies beyond"));
  EXPECT_TRUE(begins(refusal("\xEF\xBB\xBFx"), "in:1:1: 'x'"));
}

TEST(text, counts_lines_over_chunks) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i) + (i % 3 ? "\n" : " \r\n\n");
  text += "1 2 3 four 5\n" + text;
  for (const std::size_t size : {1, 5, 1000, 1 << 20}) {
    const auto got = read_in(text, {false, true}, [&] { return size; });
    EXPECT_TRUE(begins(got.message, "in:4001:7: 'f' in 'four'")) << got.message;
  }
}

TEST(text, treats_missing_values_as_asked) {
  const auto refused = read("1\n 2 NA");
  EXPECT_EQ(refused.code, status_code::missing_value);
  EXPECT_TRUE(begins(refused.message, "in:2:4: 'NA' is a missing value")) << refused.message;
  for (const bool as_binary64 : {false, true}) {
    const auto got = read("1 NA 2 n/a null None - #N/A #na <NA> \\N 3", {as_binary64, true});
    EXPECT_EQ(got.code, status_code::ok);
    EXPECT_EQ(got.count, 3);
    EXPECT_EQ(got.missing, 9);
  }
}

TEST(text, has_a_missing_value_in_an_empty_line) {
  const std::string says =
      "an empty line is a missing value; leave such values out with --missing skip, or write nan, "
      "or delete the line if it is no row";
  const std::pair<std::string, int> lines[] = {
      {"1\n\n5\n", 2},   {"\n1", 1},        {"1\n2\n\n", 3},     {"\n", 1},
      {"1\n \t \n2", 2}, {"1\r\n\r\n2", 2}, {"1 2\n\v\f\n3", 2}, {"\xEF\xBB\xBF\n1", 1}};
  for (const auto& [text, line] : lines) {
    const auto refused = read(text);
    EXPECT_EQ(refused.code, status_code::missing_value) << text;
    EXPECT_EQ(refused.message, "in:" + std::to_string(line) + ":1: " + says) << text;
    for (const bool as_binary64 : {false, true})
      EXPECT_EQ(read(text, {as_binary64, true}).missing, 1) << text;
  }
  EXPECT_EQ(read("\n\n \n5\n\n", {false, true}).missing, 4);
  for (const std::string text :
       {"1\n", "1", "1\n  ", "1 \n\t", "1\r\n", "", " ", "1\r\r2 ", "1 \v 2"})
    EXPECT_EQ(read(text).code, status_code::ok) << text;
}

/// The positions at which the reader reports missing cells.
std::vector<std::int64_t> missing_positions(std::string_view text, bool as_binary64,
                                            std::size_t size) {
  missing_cells missing;
  text_options options;
  options.skip_missing = true;
  options.missing = &missing;
  if (as_binary64) options.binary64_blocks = [](std::span<const double>) { return status(); };
  text_reader reader("in", options);
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size())))
    EXPECT_TRUE(reader.feed(text.substr(0, size)));
  EXPECT_TRUE(reader.end());
  EXPECT_EQ(reader.missing_count(), missing.size());
  return missing.positions();
}

TEST(text, has_the_rows_of_missing_cells_for_every_cut) {
  file_maker make(seed());
  const std::string_view empty[] = {"\n", "\r\n", " \n", "\t\v\n"};
  for (int file = 0; file < 60; ++file) {
    // More than one block of numbers in some files.
    const auto rows = file % 20 == 0 ? std::size_t(9000) + make.below(9000) : make.below(300);
    std::string text;
    std::vector<std::int64_t> missing;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto kind = make.below(4);
      if (kind < 2) missing.push_back(std::int64_t(row));
      if (kind == 0) text += empty[make.below(std::size(empty))];
      if (kind == 1) text += "NA\n";
      if (kind > 1) text += make.number() + (make.below(9) == 0 ? " \n" : "\n");
    }
    for (const bool as_binary64 : {false, true})
      for (const std::size_t size : {text.size() + 1, std::size_t(1), 1 + make.below(200)})
        EXPECT_EQ(missing_positions(text, as_binary64, size), missing)
            << "ONEFOLD_TEST_SEED=" << seed() << " cut " << size;
    if (testing::Test::HasFailure()) return;
  }
}

TEST(text, bounds_one_number) {
  const std::string most(1 << 20, '8');
  EXPECT_EQ(read(most).sum, most);
  EXPECT_EQ(read("-0." + most.substr(1) + "e-7 ").count, 1);
  EXPECT_TRUE(begins(refusal(" " + most + "8"), "in:1:2: a number has more than 1048576 digits"));
  EXPECT_TRUE(begins(refusal(most + most), "in:1:1: a number has more than 1048576 digits"));
  const auto pieces = read_in(" " + most + most, {}, [] { return 4096; });
  EXPECT_TRUE(begins(pieces.message, "in:1:2: a number has more than 1048576 digits"));
}

TEST(text, passes_on_the_error_of_the_receiver_of_blocks) {
  text_options options;
  options.binary64_blocks = [](std::span<const double>) {
    return status(status_code::cancelled, "enough");
  };
  text_reader reader("in", options);
  const std::string one = "1 ";
  EXPECT_TRUE(reader.feed(one));
  EXPECT_EQ(reader.end().message(), "enough");
  EXPECT_EQ(reader.feed(one).code(), status_code::cancelled);
}

TEST(text, gives_the_same_for_every_cut) {
  for (const auto* text :
       {"0.1 0.2\n",
        "1\r\n2\r\n",
        "\xEF\xBB\xBF"
        "7\n8",
        "\xEF\xBB",
        "\xEF\xBB\xBF",
        "-0 -0.0",
        "",
        "  12345678901234567890.5e-3\t-99999999999999999999999\n\n1e400 inf",
        "123.45\n-0.001\n99999999\n123456789012345678\n1234567890123456789\n9999999999999999999\n"
        "0.000000000000000001\n1.7976931348623157e308\n5e-324 1e-400 +3 4. .5 6e+02 -7E-2\n",
        "1\n2\n3 4,5",
        "1 NA 2",
        "1\n\n2\r\n \r\n3\n\n",
        "\n\n \n",
        "\xEF\xBB\xBF\n7",
        "-\n\n- 1\n",
        "nan -nan NAN",
        "1 2 3 1e",
        "1\n-",
        "0x1p3",
        "1 1e999999",
        "\xEF 1"})
    for (const reading how : {reading{false, false}, {true, false}, {false, true}, {true, true}})
      expect_same_for_every_cut(text, how);
}

double nearest(std::string_view text) {
  if (text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec == std::errc()) return value;
  decimal_sum alone;
  EXPECT_TRUE(alone.add(text));
  return alone.value();
}

TEST(text, agrees_with_numbers_read_one_by_one) {
  file_maker make(seed());
  for (int file = 0; file < 2000; ++file) {
    std::string text;
    decimal_sum sum;
    std::vector<std::uint64_t> binary64;
    for (auto n = make.below(800); n > 0; --n) {
      const auto number = make.number();
      EXPECT_TRUE(sum.add(number)) << number;
      binary64.push_back(std::bit_cast<std::uint64_t>(nearest(number)));
      text += number + make.blanks();
    }
    const auto sizes = 1 + make.below(2000);
    const auto cut = [&] { return 1 + make.below(sizes); };
    const auto got = read_in(text, {}, cut);
    EXPECT_EQ(got.sum, sum.to_string()) << "ONEFOLD_TEST_SEED=" << seed();
    EXPECT_EQ(got.count, sum.count());
    EXPECT_EQ(got.integers, sum.all_integers());
    EXPECT_EQ(read_in(text, {true, false}, cut).binary64, binary64)
        << "ONEFOLD_TEST_SEED=" << seed();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(text, passes_on_totals_that_fill_64_bits) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "9223372036854775807\n-999999999.999999999\n";
  EXPECT_EQ(read(amid_blanks(text)).sum, "922337203585477580700.0000001");
}

TEST(text, does_not_depend_on_the_callers_rounding_mode) {
  const std::string text = "0.1 0.3 123.456 -7.7e20 3.3333333333333333333 1e-310 ";
  for (const bool as_binary64 : {false, true}) {
    const auto expected = read(text, {as_binary64, false});
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      const auto got = read(text, {as_binary64, false});
      EXPECT_EQ(std::fegetround(), mode);
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(got, expected);
    }
  }
}

}  // namespace
}  // namespace onefold::program
