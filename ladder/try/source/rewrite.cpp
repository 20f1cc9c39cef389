// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/source/rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace onefold::ladder::learner {
namespace {

struct edit {
  std::size_t begin, end;
  std::string text;
};

bool is_three(const std::vector<token>& tokens, std::size_t at, std::string_view sign) {
  return at + 2 < tokens.size() && tokens[at].is(sign) && tokens[at + 1].is(sign) &&
         tokens[at + 2].is(sign) && tokens[at + 2].begin == tokens[at].begin + 2;
}

/// First token of the name before <<<: a::b<int, 256>.
std::size_t start_of_name(const std::vector<token>& tokens, std::size_t launch) {
  std::size_t at = launch;
  int angles = 0, brackets = 0;
  do {
    if (at == 0) return 0;
    --at;
    brackets += tokens[at].is(")");
    brackets -= tokens[at].is("(");
    if (brackets == 0) angles += tokens[at].is(">") - tokens[at].is("<");
  } while (angles != 0 || brackets != 0 || tokens[at].is("<"));
  while (at >= 3 && tokens[at - 1].is(":") && tokens[at - 2].is(":")) at -= 3;
  return at;
}

/// From the kernel's name to the bracket that closes the arguments.
edit blank_launch(const std::vector<token>& tokens, std::size_t launch) {
  std::size_t at = launch + 3;
  while (at < tokens.size() && !is_three(tokens, at, ">")) ++at;
  at = std::min(at + 3, tokens.size());
  if (at < tokens.size() && tokens[at].is("(")) at = behind_bracket(tokens, at);
  return {tokens[start_of_name(tokens, launch)].begin, tokens[at - 1].end(), "((void)0)"};
}

struct shared_words {
  bool is_extern = false, is_shared = false;
  std::string type;
};

shared_words words_of(const std::vector<token>& tokens, std::size_t first, std::size_t last) {
  shared_words found;
  for (std::size_t i = first; i < last; ++i) {
    const token& t = tokens[i];
    found.is_extern |= t.is("extern");
    found.is_shared |= t.is("__shared__");
    if (t.is("extern") || t.is("__shared__")) continue;
    if (t.is("__align__") || t.is("alignas")) {
      i = behind_bracket(tokens, i + 1) - 1;
      continue;
    }
    const bool words = t.kind == token_kind::word && tokens[i - (i != 0)].kind == token_kind::word;
    if (words && !found.type.empty()) found.type += ' ';
    found.type += t.text;
  }
  return found;
}

bool ends_statement(const token& t) {
  return t.is(";") || t.is("{") || t.is("}") || t.kind == token_kind::directive;
}

/// A declaration  ... __shared__ ... name[];
struct unsized_array {
  shared_words words;
  std::size_t name, semicolon;  ///< tokens
};

/// The one that begins at `first`, if it is one.
std::optional<unsized_array> unsized_array_at(const std::vector<token>& tokens, std::size_t first) {
  std::size_t semicolon = first;
  while (semicolon < tokens.size() && !ends_statement(tokens[semicolon])) ++semicolon;
  if (semicolon == tokens.size() || semicolon < first + 5 || !tokens[semicolon].is(";")) return {};
  if (!tokens[semicolon - 1].is("]") || !tokens[semicolon - 2].is("[")) return {};
  const shared_words words = words_of(tokens, first, semicolon - 3);
  if (!words.is_shared || words.type.empty()) return {};
  return unsized_array{words, semicolon - 3, semicolon};
}

std::optional<edit> shared_array(const std::vector<token>& tokens, std::size_t first,
                                 bool in_body) {
  const auto array = unsized_array_at(tokens, first);
  if (!array || !array->words.is_extern) return {};
  const char* const form =
      in_body ? "{0}* const {1} = static_cast<{0}*>(::onefold::simt::dynamic_shared_memory());"
              : "static onefold_dynamic_shared<{0}> {1};";
  return edit{tokens[first].begin, tokens[array->semicolon].end(),
              fmt::format(fmt::runtime(form), array->words.type, tokens[array->name].text)};
}

bool begins_statement(const std::vector<token>& tokens, std::size_t at) {
  return at == 0 || ends_statement(tokens[at - 1]);
}

/// Whether the __device__ at `at` belongs to a variable: a function has a ( before all of these.
bool declares_variable(const std::vector<token>& tokens, std::size_t at) {
  for (std::size_t i = at + 1; i < tokens.size(); ++i) {
    const token& t = tokens[i];
    const bool aligned = t.is("__align__") || t.is("alignas") || t.is("__attribute__");
    if (aligned && i + 1 < tokens.size()) {
      i = behind_bracket(tokens, i + 1) - 1;
      continue;
    }
    if (t.is("=") || t.is("[") || t.is("{") || t.is(";")) return true;
    if (t.is("(")) return false;
  }
  return false;
}

/// nvcc takes `static __shared__ float part[32];` though __shared__ says static already.
bool is_static_twice(const std::vector<token>& tokens, std::size_t at) {
  if (!tokens[at].is("static")) return false;
  const auto is_storage = [](const token& t) { return t.is("__shared__") || t.is("__constant__"); };
  return (at != 0 && is_storage(tokens[at - 1])) ||
         (at + 1 < tokens.size() && is_storage(tokens[at + 1]));
}

std::vector<edit> edits_of(const std::vector<token>& tokens) {
  std::vector<edit> edits;
  scopes around(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    around.pass(i);
    if (begins_statement(tokens, i)) {
      if (auto array = shared_array(tokens, i, around.in_body())) edits.push_back(*array);
    }
    if (is_static_twice(tokens, i)) edits.push_back({tokens[i].begin, tokens[i].end(), ""});
    if (tokens[i].is("__device__") && !around.in_body() && declares_variable(tokens, i)) {
      edits.push_back({tokens[i].end(), tokens[i].end(), " ONEFOLD_DEVICE_VARIABLE"});
    }
    if (is_three(tokens, i, "<")) edits.push_back(blank_launch(tokens, i));
  }
  return edits;
}

}  // namespace

std::optional<token> unsized_shared_array(const std::vector<token>& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!begins_statement(tokens, i)) continue;
    const auto array = unsized_array_at(tokens, i);
    if (array && !array->words.is_extern) return tokens[array->name];
  }
  return {};
}

std::string rewritten(std::string_view text, const std::vector<token>& tokens) {
  std::string result;
  std::size_t done = 0;
  for (const edit& e : edits_of(tokens)) {
    if (e.begin < done) continue;
    const std::string_view replaced = text.substr(e.begin, e.end - e.begin);
    result += text.substr(done, e.begin - done);
    result += e.text;
    result.append(static_cast<std::size_t>(std::count(replaced.begin(), replaced.end(), '\n')),
                  '\n');
    done = e.end;
  }
  result += text.substr(done);
  return result;
}

}  // namespace onefold::ladder::learner
