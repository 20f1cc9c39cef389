// SPDX-License-Identifier: Apache-2.0
// The parser of safetensors headers.
#include "io/safetensors.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages.hpp"
#include "onefold/array_view.hpp"

namespace onefold::program {
namespace {

using nlohmann::json;

// The types of the format, of the reference's version 0.8. A file with another one is malformed, as
// it is there: the size of its elements is not known.
struct element_type {
  std::string_view name;
  unsigned bits;
  std::optional<dtype> type;  // none: a type that this program does not read
};
constexpr element_type types[] = {
    {"BOOL", 8, dtype::boolean}, {"I8", 8, dtype::i8},
    {"I16", 16, dtype::i16},     {"I32", 32, dtype::i32},
    {"I64", 64, dtype::i64},     {"U8", 8, dtype::u8},
    {"U16", 16, dtype::u16},     {"U32", 32, dtype::u32},
    {"U64", 64, dtype::u64},     {"F16", 16, dtype::f16},
    {"BF16", 16, dtype::bf16},   {"F32", 32, dtype::f32},
    {"F64", 64, dtype::f64},     {"F4", 4, {}},
    {"F6_E2M3", 6, {}},          {"F6_E3M2", 6, {}},
    {"F8_E4M3", 8, {}},          {"F8_E4M3FNUZ", 8, {}},
    {"F8_E5M2", 8, {}},          {"F8_E5M2FNUZ", 8, {}},
    {"F8_E8M0", 8, {}},          {"C64", 64, {}},
};

const element_type* find_type(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(types), std::end(types),
                   [&](const element_type& each) { return each.name == name; });
  return found == std::end(types) ? nullptr : found;
}

// The events of the SAX parser. Each returns false, with a reason in why(), at the first one that
// the grammar does not have there.
class header_events {
 public:
  explicit header_events(const std::string& name) : name_(name) {}

  const status& why() const { return why_; }
  std::vector<tensor>& tensors() { return tensors_; }

  bool null() { return unexpected("null"); }
  bool boolean(bool) { return unexpected("true or false"); }
  bool number_integer(json::number_integer_t) { return unexpected("a negative number"); }
  bool number_float(json::number_float_t, const std::string&) {
    return unexpected("a number that is no integer below 2^64");
  }
  bool binary(json::binary_t&) { return unexpected("binary data"); }

  bool number_unsigned(json::number_unsigned_t value) {
    if (depth_ != list_depth) return unexpected("a number");
    if (field_ == shape) {
      if (value > std::uint64_t(INT64_MAX)) return fail("has an extent of 2^63 or more");
      if (tensors_.back().shape.size() == std::size_t(max_rank))
        return fail(fmt::format("has more than {} axes", max_rank));
      tensors_.back().shape.push_back(std::int64_t(value));
      return true;
    }
    if (offset_count_ == 2) return fail("has more than two data_offsets");
    (offset_count_++ == 0 ? tensors_.back().begin : tensors_.back().end) = value;
    return true;
  }

  bool string(std::string& text) {
    if (in_metadata_ && depth_ == entry_depth) return true;
    if (depth_ != entry_depth || field_ != type) return unexpected("a string");
    const element_type* const known = find_type(text);
    if (known == nullptr)
      return fail(
          fmt::format("is of '{}', a type that the format does not have", messages::excerpt(text)));
    tensors_.back().type_name = text;
    tensors_.back().type = known->type;
    return true;
  }

  bool start_object(std::size_t) {
    if (depth_ > file_depth) return unexpected("an object");
    ++depth_;
    return true;
  }

  bool key(std::string& word) {
    if (depth_ == file_depth) return open_entry(word);
    if (in_metadata_) return true;
    const auto* known = std::find(std::begin(field_names), std::end(field_names), word);
    if (known == std::end(field_names))
      return fail(fmt::format("has a key '{}', and only dtype, shape and data_offsets exist",
                              messages::excerpt(word)));
    field_ = field(known - field_names);
    if (seen_[field_]) return fail(fmt::format("has {} twice", word));
    seen_[field_] = true;
    return true;
  }

  bool end_object() {
    const bool entry = depth_-- == entry_depth && !in_metadata_;
    if (!entry) return in_metadata_ = false, true;
    for (int which = 0; which < fields; ++which)
      if (!seen_[which]) return fail(fmt::format("has no {}", field_names[which]));
    return true;
  }

  bool start_array(std::size_t) {
    const bool list = depth_ == entry_depth && !in_metadata_ && field_ != type;
    if (!list) return unexpected("a list");
    ++depth_;
    return true;
  }

  bool end_array() {
    --depth_;
    return field_ == shape || offset_count_ == 2 || fail("has fewer than two data_offsets");
  }

  bool parse_error(std::size_t at, const std::string&, const json::exception&) {
    // The parser counts from 1, the bytes of the file from 0.
    why_ = messages::safetensors_no_json({name_, safetensors_length_bytes + (at > 0 ? at - 1 : 0)});
    return false;
  }

 private:
  enum field { type, shape, offsets, fields };
  static constexpr std::string_view field_names[fields] = {"dtype", "shape", "data_offsets"};
  // The depths inside the file's object, a tensor's object, and a list in it.
  enum { file_depth = 1, entry_depth, list_depth };

  bool open_entry(const std::string& word) {
    in_metadata_ = word == "__metadata__";
    if (in_metadata_) {
      if (metadata_seen_) return fail_file("__metadata__ is there twice");
      return metadata_seen_ = true;
    }
    tensors_.emplace_back().name = word;
    std::fill(std::begin(seen_), std::end(seen_), false);
    offset_count_ = 0;
    return true;
  }

  bool unexpected(std::string_view found) {
    if (in_metadata_)
      return fail_file(fmt::format("__metadata__ holds strings, and {} is there", found));
    if (depth_ == file_depth) return fail(fmt::format("is {}, not an object", found));
    return fail(fmt::format("has {} in {}", found, field_names[field_]));
  }
  bool fail(std::string_view problem) {
    why_ = messages::safetensors_tensor(name_, tensors_.back().name, problem);
    return false;
  }
  bool fail_file(std::string_view problem) {
    why_ = messages::safetensors_header(name_, problem);
    return false;
  }

  const std::string& name_;
  std::vector<tensor> tensors_;
  int depth_ = 0;
  bool in_metadata_ = false, metadata_seen_ = false;
  field field_ = type;
  bool seen_[fields] = {};
  int offset_count_ = 0;
  status why_;
};

status check_names(const std::vector<tensor>& tensors, const std::string& name) {
  std::vector<std::string_view> names;
  names.reserve(tensors.size());
  for (const tensor& each : tensors) names.push_back(each.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return {};
  return messages::safetensors_tensor(name, *twice, "is there twice");
}

// The tensors in the order of their data: each begins where the one before it ends.
status check_places(const std::vector<tensor>& tensors, std::uint64_t data_bytes,
                    const std::string& name) {
  std::uint64_t next = 0;
  const auto wrong = [&](const tensor& which, const std::string& problem) {
    return messages::safetensors_tensor(name, which.name, problem);
  };
  for (const tensor& each : tensors) {
    if (each.end < each.begin)
      return wrong(each, fmt::format("ends at byte {} of the data, before its begin {}", each.end,
                                     each.begin));
    if (each.begin != next)
      return wrong(each, fmt::format("begins at byte {} of the data, and the tensor before it "
                                     "ends at byte {}",
                                     each.begin, next));
    const unsigned bits = find_type(each.type_name)->bits;
    const auto items = count_items(each.shape, (bits + 7) / 8);
    if (!items) return wrong(each, "has a shape of 2^63 bytes or more");
    const auto count = std::uint64_t(*items);
    if (count * bits % 8 != 0)  // also where the product wraps
      return wrong(each,
                   fmt::format("has {} elements of {} bits, which end inside a byte", count, bits));
    const std::uint64_t needed = count / 8 * bits + count % 8 * bits / 8;
    if (needed != each.end - each.begin)
      return wrong(
          each, fmt::format("has {} bytes, and its shape needs {}", each.end - each.begin, needed));
    next = each.end;
  }
  if (next != data_bytes) return messages::safetensors_data(name, next, data_bytes);
  return {};
}

}  // namespace

layout tensor::described() const {
  layout made;
  made.type = *type;
  made.shape = shape;
  made.items = count_items(shape, size_bytes(*type));
  return made;
}

result<std::uint64_t> parse_safetensors_length(std::span<const std::byte> bytes,
                                               std::uint64_t file_bytes, const std::string& name) {
  if (bytes.size() < safetensors_length_bytes)
    return messages::safetensors_short(name, bytes.size());
  std::uint64_t length = 0;
  for (std::size_t i = safetensors_length_bytes; i-- > 0;)
    length = length << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  if (length > safetensors_header_cap_bytes)
    return messages::safetensors_header_too_long(name, length, safetensors_header_cap_bytes);
  if (length + safetensors_length_bytes > file_bytes)
    return messages::safetensors_header_past_end(name, length, file_bytes);
  return length;
}

result<std::vector<tensor>>
parse_safetensors_header(std::string_view text, std::uint64_t data_bytes, const std::string& name) {
  // JSON permits blanks and a byte order mark in front, and the format does not.
  if (text.empty() || text.front() != '{')
    return messages::safetensors_no_json({name, safetensors_length_bytes});
  // The parser takes a zero byte for the end of the text.
  if (const auto zero = text.find('\0'); zero != text.npos)
    return messages::safetensors_no_json({name, safetensors_length_bytes + zero});
  header_events events(name);
  if (!json::sax_parse(text.begin(), text.end(), &events)) return events.why();
  std::vector<tensor> tensors = std::move(events.tensors());
  if (auto fine = check_names(tensors, name); !fine) return fine;
  std::stable_sort(tensors.begin(), tensors.end(), [](const tensor& a, const tensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  if (auto fine = check_places(tensors, data_bytes, name); !fine) return fine;
  return tensors;
}

result<std::vector<tensor>> read_safetensors_header(source& input) {
  const auto size = input.size_bytes();
  if (!size) return messages::safetensors_stream(input.name());
  std::array<std::byte, safetensors_length_bytes> front;
  auto got = input.fill(front);
  if (!got) return got.why();
  const auto length = parse_safetensors_length(std::span(front).first(*got), *size, input.name());
  if (!length) return length.why();
  std::string text(*length, '\0');
  got = input.fill(std::as_writable_bytes(std::span(text)));
  if (!got) return got.why();
  if (*got < text.size()) return messages::became_shorter(input.name());
  return parse_safetensors_header(text, *size - safetensors_length_bytes - *length, input.name());
}

}  // namespace onefold::program
