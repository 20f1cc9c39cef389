// SPDX-License-Identifier: Apache-2.0
#include "conformance/vectors.hpp"

#include <cstring>
#include <type_traits>

#include "conformance/number_text.hpp"

namespace onefold::conformance {
namespace {

// Takes the next word off the line; "" at its end.
std::string_view next_word(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size() < line.size() ? word.size() + 1 : line.size());
  return word;
}

std::optional<std::int64_t> parse_count(std::string_view word) {
  const auto count = parse_element<std::int64_t>(word);
  return count && *count >= 0 ? count : std::nullopt;
}

// The elements of one view: words `value` or `value*count`.
template <class T>
bool read_view(std::string_view& line, std::int64_t items, std::vector<std::byte>& bytes) {
  while (items > 0) {
    const std::string_view word = next_word(line);
    const auto star = word.find('*');
    const auto value = parse_element<T>(word.substr(0, star));
    const auto count = star == word.npos ? 1 : parse_count(word.substr(star + 1)).value_or(0);
    if (!value || count < 1 || count > items) return false;
    const std::size_t at = bytes.size();
    bytes.resize(at + std::size_t(count) * sizeof(T));
    for (std::int64_t i = 0; i < count; ++i)
      std::memcpy(bytes.data() + at + std::size_t(i) * sizeof(T), &*value, sizeof(T));
    items -= count;
  }
  return true;
}

bool read_views(std::string_view line, test_vector& into) {
  into.views.resize(std::size_t(inputs_of(into.op)));
  for (auto& view : into.views) {
    const bool good = with_type(
        into.input, [&]<class T>(detail::tag<T>) { return read_view<T>(line, into.items, view); });
    if (!good) return false;
  }
  return line.empty();
}

array_view as_view(const test_vector& vector, std::size_t which) {
  const auto stride = std::int64_t(size_bytes(vector.input));
  return {vector.views[which].data(), vector.input, {{vector.items, stride}}};
}

}  // namespace

std::optional<test_vector> parse(std::string_view line) {
  test_vector read;
  const auto op = parse_op(next_word(line));
  const auto input = parse_dtype(next_word(line));
  const auto output = parse_dtype(next_word(line));
  read.rule = next_word(line);
  read.number = next_word(line);
  read.expected = next_word(line);
  const auto items = parse_count(next_word(line));
  if (!op || !input || !output || !items) return {};
  read.op = *op, read.input = *input, read.output = *output, read.items = *items;
  if (!read_views(line, read)) return {};
  return read;
}

std::string text(const void* value, dtype type) {
  return with_type(type, [&]<class T>(detail::tag<T>) {
    T typed;
    std::memcpy(&typed, value, sizeof typed);
    if constexpr (is_floating(dtype_of<T>))
      return hexadecimal(widened(typed));
    else
      return std::to_string(typed);
  });
}

std::string answer(const executor& where, const test_vector& vector) {
  alignas(8) std::byte place[8] = {};
  const output_view output(place, vector.output);
  const status done =
      vector.views.size() == 2
          ? reduce(where, vector.op, {as_view(vector, 0), as_view(vector, 1)}, output)
          : reduce(where, vector.op, {as_view(vector, 0)}, output);
  return done ? text(place, vector.output) : std::string(name(done.code()));
}

}  // namespace onefold::conformance
