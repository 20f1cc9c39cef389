// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/launch/records_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

[[noreturn]] void refuse(std::string why) {
  throw std::invalid_argument(std::move(why));
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool contains(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

enum class field_kind : unsigned char { index, count, sum, squares, maximum, minimum, other };

/// What the name of a field says that it is.
field_kind kind_of(const component& part) {
  const std::string name = lower(*part.part == '\0' || *part.part == '[' ? part.field : part.part);
  const auto starts = [&name](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&name](std::string_view word) { return name.starts_with(word); });
  };
  const auto is = [&name](std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), name) != words.end();
  };
  const bool integer = !is_floating(part.type) && size_bytes(part.type) > 1;
  const bool index = contains(name, "idx") || contains(name, "index") || contains(name, "loc") ||
                     starts({"ind", "pos", "arg", "where"}) || is({"i", "id", "at"});
  if (index && integer) return field_kind::index;
  if (contains(name, "count") || starts({"cnt", "num"}) || is({"n"})) return field_kind::count;
  if (contains(name, "sq") || is({"sum2", "s2", "ss"})) return field_kind::squares;
  if (contains(name, "sum") || starts({"total", "acc"}) || is({"s"})) return field_kind::sum;
  if (contains(name, "max") || is({"hi", "high"})) return field_kind::maximum;
  if (contains(name, "min") || is({"lo", "low"})) return field_kind::minimum;
  return field_kind::other;
}

bool has_index(const element_layout& layout) {
  return std::any_of(layout.parts.begin(), layout.parts.end(),
                     [](const component& part) { return kind_of(part) == field_kind::index; });
}

/// A value and its index, and nothing else.
bool is_pair(const element_layout& layout) {
  return layout.width() == 2 && has_index(layout) &&
         (kind_of(layout.parts[0]) != field_kind::index ||
          kind_of(layout.parts[1]) != field_kind::index);
}

bool says_its_fields(const element_layout& layout) {
  return std::none_of(layout.parts.begin(), layout.parts.end(),
                      [](const component& part) { return kind_of(part) == field_kind::other; });
}

std::optional<reduction> extremum_in(const std::string& text) {
  const bool most = contains(text, "max") || contains(text, "largest") || contains(text, "best");
  const bool least = contains(text, "min") || contains(text, "smallest");
  if (most == least) return {};
  return most ? reduction::maximum : reduction::minimum;
}

std::string fields_text(const element_layout& layout) {
  std::string text;
  for (const component& part : layout.parts) {
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", name_of(part));
  }
  return text;
}

/// The number of an element that is compared: its only one, or the only one that is no index.
std::size_t compared_number(const element_layout& input) {
  if (input.width() == 1) return 0;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < input.width(); ++i) {
    if (kind_of(input.parts[i]) != field_kind::index) others.push_back(i);
  }
  if (others.size() == 1) return others[0];
  refuse(fmt::format("an element has {}, and which of them is compared is not known; use --expect "
                     "FILE.npy",
                     fields_text(input)));
}

record_rule position_rule(const record_kernel& k, reduction op) {
  const element_layout input = layout_of(k.input), output = layout_of(k.output);
  const std::size_t from = compared_number(input);
  if (output.width() == 1) {
    return {{number_meaning::position, op, output.parts[0].type, from}};
  }
  if (!has_index(output)) {
    refuse(fmt::format("'{}' has {}, and no integer among them has a name like 'index'; use "
                       "--expect FILE.npy",
                       k.declared, fields_text(output)));
  }
  record_rule rule;
  for (const component& part : output.parts) {
    const bool index = kind_of(part) == field_kind::index;
    rule.push_back({index ? number_meaning::position : number_meaning::value, op, part.type, from});
  }
  return rule;
}

record_number number_by_name(const record_kernel& k, const component& part, std::size_t from,
                             bool merges) {
  const std::string name = name_of(part);
  switch (kind_of(part)) {
  case field_kind::sum:
    return {number_meaning::value, reduction::sum, part.type, from};
  case field_kind::count:
    return {merges ? number_meaning::value : number_meaning::count, reduction::sum, part.type,
            from};
  case field_kind::squares:
    return {merges ? number_meaning::value : number_meaning::squares, reduction::sum, part.type,
            from};
  case field_kind::maximum:
    return {number_meaning::value, reduction::maximum, part.type, from};
  case field_kind::minimum:
    return {number_meaning::value, reduction::minimum, part.type, from};
  case field_kind::index:
    if (const auto op = extremum_in(lower(name)); op && !merges) {
      return {number_meaning::position, *op, part.type, from};
    }
    break;
  case field_kind::other:
    break;
  }
  refuse(fmt::format("the name of '{}' in '{}' does not say what it is: a sum, count, squares, "
                     "max, min, or the index of one; use --expect FILE.npy",
                     name, k.declared));
}

record_rule rule_by_names(const record_kernel& k) {
  const element_layout output = layout_of(k.output);
  const bool merges = same_elements(k.input, k.output);
  if (!merges && is_struct(k.input)) {
    refuse(
        fmt::format("elements and '{}' are different structs; use --expect FILE.npy", k.declared));
  }
  record_rule rule;
  for (std::size_t i = 0; i < output.width(); ++i) {
    rule.push_back(number_by_name(k, output.parts[i], merges ? i : 0, merges));
  }
  return rule;
}

record_rule field_by_field(const record_kernel& k, reduction op) {
  const element_layout output = layout_of(k.output);
  record_rule rule;
  for (std::size_t i = 0; i < output.width(); ++i) {
    rule.push_back({number_meaning::value, op, output.parts[i].type, i});
  }
  return rule;
}

bool has_one_type(const element_layout& layout) {
  return std::all_of(layout.parts.begin(), layout.parts.end(),
                     [&](const component& c) { return c.type == layout.parts[0].type; });
}

record_rule fold_rule(const record_kernel& k, reduction op) {
  const element_layout input = layout_of(k.input), output = layout_of(k.output);
  if (same_elements(k.input, k.output) && output.width() > 1) return field_by_field(k, op);
  if (is_struct(k.output)) {
    refuse(fmt::format("'{}' has {}, and not all of them can be the {}; use --expect fields, "
                       "argmax, argmin or FILE.npy",
                       k.declared, fields_text(output), to_string(op)));
  }
  if (is_struct(k.input) && !has_one_type(input)) {
    refuse(fmt::format("an element has {}, and '{}' is one number; use --expect FILE.npy",
                       fields_text(input), k.declared));
  }
  return {};
}

}  // namespace

record_question guessed_question(const record_kernel& k) {
  const element_layout input = layout_of(k.input), output = layout_of(k.output);
  const bool index_of_pair = is_struct(k.input) && is_pair(input) && !is_struct(k.output);
  if ((is_struct(k.output) && is_pair(output)) || index_of_pair) {
    std::string names = lower(k.name);
    auto op = extremum_in(names);
    if (!op && is_struct(k.output)) op = extremum_in(lower(k.output.struct_name));
    if (!op && is_struct(k.output)) op = extremum_in(lower(fields_text(output)));
    if (op) return {expectation::position, *op};
  } else if (is_struct(k.output) && says_its_fields(output)) {
    return {expectation::fields, reduction::sum};
  } else if (same_elements(k.input, k.output)) {
    return {expectation::fold, reduction::sum};
  } else if (!is_struct(k.output) && has_one_type(input)) {
    return {expectation::fold, reduction::sum};
  }
  refuse(fmt::format("what '{}' gets cannot be guessed; say it with --expect argmax, argmin, "
                     "fields, sum, or FILE.npy",
                     k.declared));
}

record_rule rule_of(const record_kernel& k, const record_question& q) {
  if (q.expectation == expectation::position) return position_rule(k, q.op);
  const bool structs = is_struct(k.input) || is_struct(k.output);
  if (q.expectation == expectation::fields) {
    if (is_struct(k.output)) return rule_by_names(k);
    refuse(fmt::format("--expect fields: '{}' is no struct", k.declared));
  }
  if (q.expectation == expectation::fold) return fold_rule(k, q.op);
  const bool moves = q.expectation == expectation::transpose || q.expectation == expectation::pairs;
  if (!structs || q.expectation == expectation::file ||
      (moves && same_elements(k.input, k.output))) {
    return {};
  }
  refuse(fmt::format("{} is not of structs; use --expect sum, argmax, argmin, fields or FILE.npy",
                     sentence(q.expectation, q.op)));
}

std::vector<input_part> parts_of_input(const parameter& input) {
  std::vector<input_part> parts;
  if (!is_struct(input)) return parts;
  for (const component& part : layout_of(input).parts) {
    parts.push_back({part.type, kind_of(part) == field_kind::index});
  }
  return parts;
}

std::string assumption(const parameter& input, expectation expectation) {
  if (!is_struct(input)) return "";
  std::string indices, others;
  std::size_t number = 0;
  for (const component& part : layout_of(input).parts) {
    const bool index = kind_of(part) == field_kind::index;
    std::string& list = index ? indices : others;
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ", name_of(part));
    if (expectation == expectation::file && !index) {
      const bool small = is_floating(part.type) && part.type != scalar::float64;
      list += fmt::format(" is {}{}", number == 0 ? "i" : fmt::format("i + {}", number),
                          small ? " mod 7" : "");
    }
    ++number;
  }
  std::string text;
  if (!indices.empty()) text = fmt::format("{} of element i is i", indices);
  if (expectation == expectation::file && !others.empty()) {
    return fmt::format("of element i {}{}{}", others, text.empty() ? "" : "; ", text);
  }
  if (others.empty()) return text;
  return fmt::format("{}{}{} {}", text, text.empty() ? "" : "; ", others,
                     others.find(',') == std::string::npos ? "varies" : "vary");
}

std::string sentence_of(const record_kernel& k, const record_question& q, const record_rule& rule) {
  const std::string plain = sentence(q.expectation, q.op);
  if (rule.empty()) return plain;
  if (q.expectation == expectation::fold) return plain + ", field by field";
  if (q.expectation == expectation::position) {
    const char* const noun = q.op == reduction::minimum ? "minimum" : "maximum";
    return rule.size() == 1 ? fmt::format("the index of the {}", noun) : plain;
  }
  const element_layout output = layout_of(k.output);
  std::string text;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    constexpr std::array<const char*, 4> words = {"", "count", "sum of squares", "index of the "};
    std::string word = words[static_cast<std::size_t>(rule[i].meaning)];
    const bool named =
        rule[i].meaning == number_meaning::value || rule[i].meaning == number_meaning::position;
    if (named) word += to_string(rule[i].op);
    text += fmt::format("{}'{}' the {}", i == 0 ? "" : ", ", name_of(output.parts[i]), word);
  }
  return text;
}

}  // namespace onefold::ladder::learner
