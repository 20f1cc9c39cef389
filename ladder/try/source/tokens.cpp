// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/source/tokens.hpp"

#include <algorithm>
#include <cctype>

namespace onefold::ladder::learner {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

class lexer {
 public:
  explicit lexer(std::string_view text) : text_(text) {}

  std::vector<token> all() {
    while (at_ < text_.size()) next();
    return std::move(tokens_);
  }

 private:
  bool here(std::string_view text) const { return text_.substr(at_).starts_with(text); }

  void next() {
    const char c = text_[at_];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      fresh_line_ |= c == '\n';
      ++at_;
    } else if (here("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (here("/*")) {
      at_ = behind(text_.find("*/", at_ + 2), 2);
    } else {
      take(c);
      fresh_line_ = false;
    }
  }

  void take(char c) {
    if (c == '#' && fresh_line_) return add(token_kind::directive, end_of_directive());
    if (c == '"' || c == '\'') return add(token_kind::literal, end_of_literal(at_));
    if (!is_word(c)) return add(token_kind::sign, at_ + 1);
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const bool raw = end < text_.size() && text_[end] == '"' && text_[end - 1] == 'R';
    add(raw ? token_kind::literal : token_kind::word, raw ? end_of_raw(end) : end);
  }

  void add(token_kind kind, std::size_t end) {
    tokens_.push_back({kind, at_, text_.substr(at_, end - at_)});
    at_ = end;
  }

  std::size_t behind(std::size_t found, std::size_t length) const {
    return found == std::string_view::npos ? text_.size() : found + length;
  }

  std::size_t end_of_directive() const {
    std::size_t end = at_;
    while (end < text_.size() && (text_[end] != '\n' || text_[end - 1] == '\\')) ++end;
    return end;
  }

  std::size_t end_of_literal(std::size_t from) const {
    std::size_t end = from + 1;
    while (end < text_.size() && text_[end] != text_[from] && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    return std::min(end + 1, text_.size());
  }

  /// R"tag( ... )tag"
  std::size_t end_of_raw(std::size_t quote) const {
    const std::size_t open = std::min(text_.find('(', quote), text_.size());
    std::string close(")");
    close.append(text_.substr(quote + 1, open - quote - 1)).append("\"");
    return behind(text_.find(close, open), close.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool fresh_line_ = true;
  std::vector<token> tokens_;
};

bool opens(const token& t) {
  return t.is("(") || t.is("[") || t.is("{");
}

bool closes(const token& t) {
  return t.is(")") || t.is("]") || t.is("}");
}

}  // namespace

std::vector<token> tokens_of(std::string_view text) {
  return lexer(text).all();
}

unsigned line_of(std::string_view text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return 1 + static_cast<unsigned>(std::count(text.begin(), end, '\n'));
}

std::size_t behind_bracket(const std::vector<token>& tokens, std::size_t open) {
  const bool angle = tokens[open].is("<");
  int depth = 0, inner = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const token& t = tokens[i];
    if (opens(t)) ++(angle ? inner : depth);
    if (closes(t)) --(angle ? inner : depth);
    if (angle && inner == 0 && t.is("<")) ++depth;
    if (angle && inner == 0 && t.is(">")) --depth;
    if (depth == 0) return i + 1;
  }
  return tokens.size();
}

std::vector<std::vector<token>> split_at_commas(const std::vector<token>& tokens, std::size_t first,
                                                std::size_t last) {
  std::vector<std::vector<token>> parts;
  int depth = 0;
  for (std::size_t i = first; i < last; ++i) {
    const token& t = tokens[i];
    depth += opens(t) || t.is("<");
    depth -= closes(t) || t.is(">");
    if (parts.empty()) parts.emplace_back();
    if (depth == 0 && t.is(",")) {
      parts.emplace_back();
    } else {
      parts.back().push_back(t);
    }
  }
  return parts;
}

void scopes::pass(std::size_t index) {
  const token& t = tokens_[index];
  if (t.is("{")) open(index);
  if (t.is("}") && !names_.empty()) {
    bodies_ -= names_.back() == "{";
    names_.pop_back();
  }
  if (t.is("{") || t.is("}") || t.is(";") || t.kind == token_kind::directive) header_ = index + 1;
}

void scopes::open(std::size_t index) {
  const auto first = tokens_.begin() + static_cast<std::ptrdiff_t>(header_);
  const auto last = tokens_.begin() + static_cast<std::ptrdiff_t>(index);
  const auto word = std::find_if(first, last, [](const token& t) { return t.is("namespace"); });
  const bool linkage = last - first == 2 && first->is("extern");
  if (word == last && !linkage) {
    names_.emplace_back("{");
    ++bodies_;
    return;
  }
  std::string name;
  for (auto t = word == last ? last : word + 1; t != last; ++t) name += t->text;
  names_.push_back(name.empty() ? "" : name + "::");
}

std::string scopes::qualifier() const {
  std::string text;
  for (const std::string& name : names_) text += name == "{" ? "" : name;
  return text;
}

}  // namespace onefold::ladder::learner
