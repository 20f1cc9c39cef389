// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/source/structs_in.hpp"

#include <algorithm>
#include <set>

namespace onefold::ladder::learner {
namespace {

using token_list = std::vector<token>;
using word_set = std::set<std::string, std::less<>>;

bool is_one_of(const token& t, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), t.text) != words.end();
}

void add_words(word_set& words, const token_list& tokens, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < std::min(last, tokens.size()); ++i) {
    if (tokens[i].kind == token_kind::word) words.emplace(tokens[i].text);
  }
}

/// A definition of a name, and the tokens that it consists of.
struct definition {
  std::string name;
  std::size_t first = 0, last = 0;
};

/// struct name {, struct __align__(8) name {, typedef struct { ... } name;
class struct_head {
 public:
  struct_head(const token_list& tokens, std::size_t keyword) : at_(keyword + 1) {
    const bool is_typedef = keyword > 0 && tokens[keyword - 1].is("typedef");
    while (at_ < tokens.size() && !tokens[at_].is("{")) {
      if (is_one_of(tokens[at_], {"__align__", "alignas", "__attribute__"})) {
        at_ = at_ + 1 < tokens.size() ? behind_bracket(tokens, at_ + 1) : tokens.size();
        continue;
      }
      // A base, a declaration, or a specialisation is no struct whose fields are all here.
      if (tokens[at_].kind != token_kind::word) return;
      if (!tokens[at_].is("final")) found_.name = tokens[at_].text;
      ++at_;
    }
    if (at_ >= tokens.size()) return;
    found_.first = at_;
    found_.last = behind_bracket(tokens, at_);
    const bool alias =
        is_typedef && found_.last < tokens.size() && tokens[found_.last].kind == token_kind::word;
    if (alias) found_.name = tokens[found_.last].text;
    good_ = !found_.name.empty();
  }

  bool good() const { return good_; }
  const definition& found() const { return found_; }

 private:
  std::size_t at_;
  definition found_;
  bool good_ = false;
};

/// The last word before a default value, the bounds of an array or the width of a bit field.
struct_field field_in(const token_list& part) {
  const auto stop = std::find_if(part.begin(), part.end(), [](const token& t) {
    return is_one_of(t, {"=", "[", "{", ":"});
  });
  for (auto t = stop; t != part.begin();) {
    --t;
    if (t->kind == token_kind::word) return {std::string(t->text), t->begin};
  }
  return {};
}

/// The fields that a body declares, in order: no functions, static members, aliases or types.
std::vector<struct_field> fields_in(const token_list& tokens, std::size_t brace) {
  std::vector<struct_field> fields;
  const std::size_t last = behind_bracket(tokens, brace) - 1;
  for (std::size_t i = brace + 1; i < last;) {
    if (is_one_of(tokens[i], {"public", "private", "protected"})) {
      i += 2;
      continue;
    }
    std::size_t end = i;
    bool function = false;
    while (end < last && !tokens[end].is(";") && !(function && tokens[end].is("}"))) {
      function |=
          tokens[end].is("(") && !(end > i && is_one_of(tokens[end - 1], {"__align__", "alignas"}));
      end = tokens[end].is("{") ? behind_bracket(tokens, end) - (function ? 1 : 0) : end + 1;
    }
    const bool other = is_one_of(
        tokens[i], {"static", "using", "typedef", "friend", "enum", "struct", "template"});
    for (const token_list& part : split_at_commas(tokens, i, end)) {
      struct_field field = function || other ? struct_field{} : field_in(part);
      if (!field.name.empty()) fields.push_back(std::move(field));
    }
    i = end + 1;
  }
  return fields;
}

/// template <class T, int N> before the keyword.
void read_template(const token_list& tokens, std::size_t keyword, struct_source& s) {
  std::size_t first = keyword;
  while (first > 0 && !is_one_of(tokens[first - 1], {";", "}", "{"}) &&
         tokens[first - 1].kind != token_kind::directive) {
    --first;
  }
  if (first + 1 >= keyword || !tokens[first].is("template")) return;
  const std::size_t behind = behind_bracket(tokens, first + 1);
  for (const token_list& part : split_at_commas(tokens, first + 2, behind - 1)) {
    std::string head, name;
    for (const token& t : part) {
      if (t.is("=")) break;
      head += (head.empty() ? "" : " ") + std::string(t.text);
      name = t.text;
    }
    s.template_head += (s.template_head.empty() ? "" : ", ") + head;
    s.template_arguments += (s.template_arguments.empty() ? "<" : ", ") + name;
  }
  s.template_arguments += ">";
}

/// using name = ...; and typedef ... name;
std::vector<definition> aliases_in(const token_list& tokens) {
  std::vector<definition> found;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!is_one_of(tokens[i], {"using", "typedef"})) continue;
    std::size_t end = i;
    while (end < tokens.size() && !tokens[end].is(";")) {
      end = tokens[end].is("{") ? behind_bracket(tokens, end) : end + 1;
    }
    const std::size_t name = tokens[i].is("using") ? i + 1 : end - 1;
    if (name < tokens.size()) found.push_back({std::string(tokens[name].text), i, end});
  }
  return found;
}

/// The structs outside functions, each with its definition.
struct struct_list {
  std::vector<struct_source> structs;
  std::vector<definition> definitions;
};

struct_list all_structs(const token_list& tokens) {
  struct_list all;
  scopes around(tokens);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    around.pass(i);
    if (!is_one_of(tokens[i], {"struct", "class"}) || around.in_body()) continue;
    const struct_head head(tokens, i);
    if (!head.good()) continue;
    const definition& d = head.found();
    struct_source s{around.qualifier() + d.name, fields_in(tokens, d.first), "", ""};
    read_template(tokens, i, s);
    all.structs.push_back(std::move(s));
    all.definitions.push_back(d);
  }
  return all;
}

/// Words of the kernel, and of every definition that one of them leads to.
word_set words_that_lead_to(const token_list& tokens, const kernel_source& kernel,
                            const std::string& instance, const std::vector<definition>& structs) {
  word_set words;
  const token_list first = tokens_of(instance);
  add_words(words, first, 0, first.size());
  add_words(words, tokens, kernel.first, kernel.last);
  std::vector<definition> definitions = aliases_in(tokens);
  definitions.insert(definitions.end(), structs.begin(), structs.end());
  for (std::size_t before = 0; before != words.size();) {
    before = words.size();
    for (const definition& d : definitions) {
      if (words.contains(d.name)) add_words(words, tokens, d.first, d.last);
    }
  }
  return words;
}

}  // namespace

std::vector<struct_source> structs_of(const token_list& tokens, const kernel_source& kernel,
                                      const std::string& instance) {
  const struct_list all = all_structs(tokens);
  const word_set wanted = words_that_lead_to(tokens, kernel, instance, all.definitions);
  std::vector<struct_source> found;
  for (std::size_t i = 0; i < all.structs.size(); ++i) {
    const struct_source& s = all.structs[i];
    const bool again = std::any_of(found.begin(), found.end(), [&](const struct_source& other) {
      return other.name == s.name;
    });
    if (!again && wanted.contains(all.definitions[i].name)) found.push_back(s);
  }
  return found;
}

}  // namespace onefold::ladder::learner
