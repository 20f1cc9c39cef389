// SPDX-License-Identifier: Apache-2.0
// The parser of .npy headers.
#include "io/npy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "messages.hpp"

namespace onefold::program {
namespace {

constexpr char magic[] = "\x93NUMPY";
constexpr std::size_t magic_length = sizeof magic - 1;

std::uint32_t little_endian(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}

// NumPy's codes of the supported element types; bfloat16 has none.
constexpr std::pair<std::string_view, dtype> codes[] = {
    {"b1", dtype::boolean}, {"i1", dtype::i8},  {"i2", dtype::i16}, {"i4", dtype::i32},
    {"i8", dtype::i64},     {"u1", dtype::u8},  {"u2", dtype::u16}, {"u4", dtype::u32},
    {"u8", dtype::u64},     {"f2", dtype::f16}, {"f4", dtype::f32}, {"f8", dtype::f64},
};

std::optional<dtype> find_code(std::string_view code) {
  for (const auto& [known, type] : codes)
    if (known == code) return type;
  return std::nullopt;
}

constexpr bool blank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}
constexpr bool digit(char c) {
  return c >= '0' && c <= '9';
}

class dictionary {
 public:
  dictionary(std::string_view text, std::uint64_t first_byte, const std::string& name,
             bool two_bytes_are_bf16)
      : text_(text), first_byte_(first_byte), name_(name), two_bytes_are_bf16_(two_bytes_are_bf16) {
  }

  result<layout> parse() {
    if (expect('{') && entries() && nothing_follows() && complete()) return found_;
    return why_;
  }

 private:
  enum key { descr, fortran_order, shape, keys };
  static constexpr std::string_view key_names[keys] = {"descr", "fortran_order", "shape"};

  bool entries() {
    while (!take('}')) {
      if (!entry()) return false;
      if (!take(',')) return expect('}');
    }
    return true;
  }

  bool entry() {
    const std::size_t start = at_after_blanks();
    std::string_view word;
    if (!quoted(word, "a quoted key")) return false;
    const auto* known = std::find(std::begin(key_names), std::end(key_names), word);
    if (known == std::end(key_names)) return fail(messages::npy_unknown_key(here(start), word));
    const auto which = key(known - key_names);
    if (seen_[which]) return fail(messages::npy_repeated_key(here(start), word));
    seen_[which] = true;
    return expect(':') && value(which);
  }

  bool value(key which) {
    switch (which) {
    case descr:
      return element_type();
    case fortran_order:
      return order();
    default:
      return extents();
    }
  }

  bool element_type() {
    const std::size_t start = at_after_blanks();
    if (start < text_.size() && (text_[start] == '[' || text_[start] == '('))
      return fail(messages::npy_structured(here(start)));
    std::string_view code;
    if (!quoted(code, "a quoted element type")) return false;
    std::string_view bare = code;
    if (!bare.empty() && std::string_view("<>|=").find(bare[0]) != std::string_view::npos)
      bare.remove_prefix(1);
    const bool bf16 = two_bytes_are_bf16_ && bare == "V2";
    if (two_bytes_are_bf16_ && !bf16) return fail(messages::raw_options_without_raw(name_, "npy"));
    const auto type = bf16 ? std::optional(dtype::bf16) : find_code(bare);
    if (!type) return fail(messages::npy_element_type(here(start), code));
    found_.type = *type;
    found_.big_endian = code[0] == '>' && onefold::size_bytes(*type) > 1;
    return true;
  }

  bool order() {
    const std::size_t start = at_after_blanks();
    for (const bool column_major : {true, false}) {
      const std::string_view word = column_major ? "True" : "False";
      if (text_.substr(start, word.size()) != word) continue;
      at_ = start + word.size();
      found_.column_major = column_major;
      return true;
    }
    return fail(messages::npy_expected(here(start), "True or False"));
  }

  bool extents() {
    if (!expect('(')) return false;
    bool comma = true;
    while (!take(')')) {
      if (!comma) return fail(messages::npy_expected(here(at_after_blanks()), "',' or ')'"));
      if (!extent()) return false;
      comma = take(',');
    }
    // (3) is a number in Python, not a shape.
    if (found_.shape.size() == 1 && !comma)
      return fail(messages::npy_expected(here(at_ - 1), "',' before ')'"));
    return true;
  }

  bool extent() {
    const std::size_t start = at_after_blanks();
    std::size_t end = start;
    std::uint64_t value = 0;
    for (; end < text_.size() && digit(text_[end]); ++end) {
      value = value * 10 + std::uint64_t(text_[end] - '0');
      if (value > std::uint64_t(INT64_MAX))
        return fail(messages::npy_extent_too_large(here(start)));
    }
    if (end == start) return fail(messages::npy_expected(here(start), "an extent (0, 1, 2, …)"));
    if (end - start > 1 && text_[start] == '0')
      return fail(messages::npy_expected(here(start), "an extent without leading zeros"));
    if (found_.shape.size() == std::size_t(max_rank))
      return fail(messages::npy_rank(here(start), max_rank));
    // Python 2 wrote 2L.
    at_ = end + (end < text_.size() && text_[end] == 'L' ? 1 : 0);
    found_.shape.push_back(std::int64_t(value));
    return true;
  }

  bool nothing_follows() {
    const std::size_t start = at_after_blanks();
    return start == text_.size() || fail(messages::npy_expected(here(start), "the header's end"));
  }

  bool complete() {
    for (int which = 0; which < keys; ++which)
      if (!seen_[which])
        return fail(messages::npy_missing_key(here(text_.size()), key_names[which]));
    found_.items = count_items(found_.shape, onefold::size_bytes(found_.type));
    if (!found_.items) return fail(messages::npy_too_large(here(0)));
    found_.data_offset = first_byte_ + text_.size();
    return true;
  }

  // A string in either kind of quotes. No key and no type has an escape or an inner quote.
  bool quoted(std::string_view& word, std::string_view expected) {
    const std::size_t start = at_after_blanks();
    if (start == text_.size() || (text_[start] != '\'' && text_[start] != '"'))
      return fail(messages::npy_expected(here(start), expected));
    const std::size_t end = text_.find(text_[start], start + 1);
    if (end == std::string_view::npos)
      return fail(messages::npy_expected(here(text_.size()), "a closing quote"));
    word = text_.substr(start + 1, end - start - 1);
    at_ = end + 1;
    return true;
  }

  std::size_t at_after_blanks() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
    return at_;
  }

  bool take(char wanted) {
    const std::size_t start = at_after_blanks();
    if (start == text_.size() || text_[start] != wanted) return false;
    at_ = start + 1;
    return true;
  }

  bool expect(char wanted) {
    if (take(wanted)) return true;
    const char name[] = {'\'', wanted, '\'', 0};
    return fail(messages::npy_expected(here(at_), name));
  }

  messages::place here(std::size_t at) const { return {name_, first_byte_ + at}; }

  bool fail(status why) {
    why_ = std::move(why);
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t first_byte_;
  const std::string& name_;
  bool two_bytes_are_bf16_;
  bool seen_[keys] = {};
  layout found_;
  status why_;
};

}  // namespace

result<npy_preamble> parse_npy_preamble(std::span<const std::byte> bytes, const std::string& name) {
  const std::size_t known = std::min(bytes.size(), magic_length);
  if (bytes.empty()) return messages::npy_empty(name);
  if (std::memcmp(bytes.data(), magic, known) != 0) return messages::npy_bad_magic(name);
  if (bytes.size() < npy_magic_bytes) return messages::npy_short(name, bytes.size());
  const int major = std::to_integer<int>(bytes[6]), minor = std::to_integer<int>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) return messages::npy_version({name, 6}, major, minor);
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (bytes.size() < npy_magic_bytes + length_bytes) return messages::npy_short(name, bytes.size());
  const std::uint32_t length = little_endian(bytes.subspan(npy_magic_bytes, length_bytes));
  if (length > npy_header_cap_bytes)
    return messages::npy_header_too_long({name, npy_magic_bytes}, length, npy_header_cap_bytes);
  return npy_preamble{npy_magic_bytes + length_bytes, length};
}

result<layout> parse_npy_dictionary(std::string_view text, std::uint64_t first_byte,
                                    const std::string& name, bool two_bytes_are_bf16) {
  return dictionary(text, first_byte, name, two_bytes_are_bf16).parse();
}

result<layout> read_npy_header(source& input, bool two_bytes_are_bf16) {
  std::array<std::byte, npy_preamble_bytes> front;
  // Version 1 has ten bytes before the dictionary, and a stream cannot be read twice.
  auto got = input.fill(std::span(front).first(10));
  if (!got) return got.why();
  std::size_t known = *got;
  if (known == 10 && std::to_integer<int>(front[6]) > 1) {
    got = input.fill(std::span(front).subspan(10));
    if (!got) return got.why();
    known += *got;
  }
  const auto preamble = parse_npy_preamble(std::span(front).first(known), input.name());
  if (!preamble) return preamble.why();
  const std::uint64_t data_offset = preamble->size_bytes + preamble->header_bytes;
  if (input.size_bytes() && *input.size_bytes() < data_offset)
    return messages::npy_header_past_end({input.name(), npy_magic_bytes}, preamble->header_bytes,
                                         *input.size_bytes());
  std::string text(preamble->header_bytes, '\0');
  got = input.fill(std::as_writable_bytes(std::span(text)));
  if (!got) return got.why();
  if (*got < text.size()) return messages::npy_short(input.name(), preamble->size_bytes + *got);
  auto found = parse_npy_dictionary(text, preamble->size_bytes, input.name(), two_bytes_are_bf16);
  if (!found) return found.why();
  if (input.size_bytes() && *input.size_bytes() - data_offset < *found->data_bytes())
    return messages::data_truncated(input.name(), data_offset, *found->data_bytes(),
                                    *input.size_bytes() - data_offset);
  return found;
}

}  // namespace onefold::program
