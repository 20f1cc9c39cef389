// SPDX-License-Identifier: Apache-2.0
#pragma once
// A learner's file as tokens: enough of a C++ lexer to find kernels, launches and shared arrays
// without being fooled by comments, strings or macros.

#include <string>
#include <string_view>
#include <vector>

namespace onefold::ladder::learner {

enum class token_kind : unsigned char {
  word,       ///< identifiers, keywords and numbers
  literal,    ///< strings and characters
  sign,       ///< one character of punctuation
  directive,  ///< a whole preprocessor line with its continuations
};

struct token {
  token_kind kind;
  std::size_t begin;  ///< offset in the text
  std::string_view text;

  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view other) const { return text == other; }
};

/// Comments and blanks are left out. Unterminated literals and comments end with the text.
std::vector<token> tokens_of(std::string_view text);

/// The line of an offset, from 1.
unsigned line_of(std::string_view text, std::size_t offset);

/// The index behind the bracket that closes the one at `open` (one of ( [ { <), or the number of
/// tokens. Between < and >, only < and > outside other brackets count.
std::size_t behind_bracket(const std::vector<token>& tokens, std::size_t open);

/// Splits [first, last) at commas outside every bracket.
std::vector<std::vector<token>> split_at_commas(const std::vector<token>& tokens, std::size_t first,
                                                std::size_t last);

/// Which braces are open around a token: namespaces by name, everything else as a body.
class scopes {
 public:
  explicit scopes(const std::vector<token>& tokens) : tokens_(tokens) {}

  /// To be called for every index in turn.
  void pass(std::size_t index);

  bool in_body() const { return bodies_ != 0; }
  /// "a::b::" for the open namespaces.
  std::string qualifier() const;

 private:
  void open(std::size_t index);

  const std::vector<token>& tokens_;
  std::size_t header_ = 0;  ///< first token behind the last ; { or }
  std::vector<std::string> names_;
  unsigned bodies_ = 0;
};

}  // namespace onefold::ladder::learner
