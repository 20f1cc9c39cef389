// SPDX-License-Identifier: Apache-2.0
#include "ladder/try/main/program_rewrite.hpp"

#include "ladder/try/source/kernels_in.hpp"
#include "ladder/try/source/rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace onefold::ladder::learner {
namespace {

using token_list = std::vector<token>;

/// Text [begin, end) of the file becomes `text`; what is replaced has no line end.
struct replacement {
  std::size_t begin, end;
  std::string text;
};

bool is_three(const token_list& tokens, std::size_t at, std::string_view sign) {
  return at + 2 < tokens.size() && tokens[at].is(sign) && tokens[at + 1].is(sign) &&
         tokens[at + 2].is(sign) && tokens[at + 2].begin == tokens[at].begin + 2;
}

std::size_t find_three(const token_list& tokens, std::size_t at, std::string_view sign) {
  while (at < tokens.size() && !is_three(tokens, at, sign)) ++at;
  return at;
}

/// The kernel of a launch as the program writes it: book::sum<int, 256>.
struct launched_name {
  std::size_t first, last;  ///< tokens
  std::string_view word;    ///< "sum"
  std::size_t template_arguments = 0;
};

/// The index of the < that the > at `close` ends, or 0.
std::size_t opening_angle(const token_list& tokens, std::size_t close) {
  int angles = 0, inner = 0;
  for (std::size_t at = close + 1; at-- > 0;) {
    inner += tokens[at].is(")") - tokens[at].is("(");
    if (inner == 0) angles += tokens[at].is(">") - tokens[at].is("<");
    if (angles == 0 && inner == 0) return at;
  }
  return 0;
}

launched_name name_before(const token_list& tokens, std::size_t launch) {
  launched_name name{launch - 1, launch, {}, 0};
  if (tokens[launch - 1].is(">")) {
    const std::size_t open = opening_angle(tokens, launch - 1);
    name.template_arguments = split_at_commas(tokens, open + 1, launch - 1).size();
    name.first = open == 0 ? 0 : open - 1;
  }
  name.word = tokens[name.first].text;
  while (name.first >= 3 && tokens[name.first - 1].is(":") && tokens[name.first - 2].is(":")) {
    name.first -= 3;
  }
  return name;
}

/// Whether the name alone says which function is meant, so that its address can be taken.
bool names_one_function(const launched_name& name, const std::vector<kernel_source>& kernels) {
  const auto same = [&name](const kernel_source& k) { return k.name == name.word; };
  if (std::count_if(kernels.begin(), kernels.end(), same) != 1) return false;
  const kernel_source& kernel = *std::find_if(kernels.begin(), kernels.end(), same);
  return !kernel.is_template || name.template_arguments == kernel.template_parameters.size();
}

std::string as_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c == '\n' ? ' ' : c;
  }
  return literal + '"';
}

class launch_rewriter {
 public:
  launch_rewriter(std::string_view text, const std::vector<kernel_source>& kernels)
      : text_(text), kernels_(kernels) {}

  /// `offset`: where the text of the tokens begins in the file.
  void add_launches(const token_list& tokens, std::size_t offset) {
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (tokens[at].kind == token_kind::directive) add_macro(tokens[at], offset);
      if (at != 0 && is_three(tokens, at, "<")) add_launch(tokens, at, offset);
    }
  }

  std::vector<replacement> replacements;

 private:
  void add_launch(const token_list& tokens, std::size_t at, std::size_t offset) {
    const std::size_t close = find_three(tokens, at + 3, ">");
    if (close == tokens.size()) return;
    const launched_name name = name_before(tokens, at);
    const std::size_t begin = offset + tokens[name.first].begin;
    const std::size_t end = offset + tokens[name.last - 1].end();
    const std::string literal = as_literal(text_.substr(begin, end - begin));
    const bool direct = names_one_function(name, kernels_);
    replacements.push_back({begin, begin,
                            fmt::format("::onefold::ladder::learner::prepared({}, {}", literal,
                                        direct ? "" : "[=](auto... onefold_values) { ")});
    replacements.push_back({offset + tokens[at].begin, offset + tokens[at + 2].end(),
                            direct ? ").shaped(" : "(onefold_values...); }).shaped("});
    replacements.push_back({offset + tokens[close].begin, offset + tokens[close + 2].end(), ")"});
  }

  /// #define NAME ... kernel<<<grid, block>>>(...)
  void add_macro(const token& directive, std::size_t offset) {
    constexpr std::string_view word = "define";
    const std::size_t define = directive.text.find(word);
    if (define == std::string_view::npos || directive.text.find("<<<") == std::string_view::npos)
      return;
    const std::size_t body = define + word.size();
    add_launches(tokens_of(directive.text.substr(body)), offset + directive.begin + body);
  }

  std::string_view text_;
  const std::vector<kernel_source>& kernels_;
};

/// The index of the word `main` where the program defines it, or the number of tokens.
std::size_t find_main(const token_list& tokens) {
  scopes around(tokens);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    around.pass(i);
    if (around.in_body() || !tokens[i].is("main") || !tokens[i + 1].is("(")) continue;
    std::size_t open = behind_bracket(tokens, i + 1);
    while (open < tokens.size() && !tokens[open].is("{") && !tokens[open].is(";")) ++open;
    if (open < tokens.size() && tokens[open].is("{")) return i;
  }
  return tokens.size();
}

/// A function of another name than main must return; main need not.
void add_return(const token_list& tokens, std::vector<replacement>& replacements) {
  std::size_t open = find_main(tokens);
  while (open < tokens.size() && !tokens[open].is("{")) ++open;
  if (open >= tokens.size()) return;
  const std::size_t behind = behind_bracket(tokens, open);
  if (!tokens[behind - 1].is("}")) return;
  const std::size_t at = tokens[behind - 1].begin;
  replacements.push_back({at, at, "return 0; "});
}

void refuse_launches_in_kernels(std::string_view text, const std::string& file,
                                const token_list& tokens,
                                const std::vector<kernel_source>& kernels) {
  for (const kernel_source& k : kernels) {
    const std::size_t at = find_three(tokens, k.first, "<");
    if (at >= k.last) continue;
    throw std::invalid_argument(
        fmt::format("{}:{}: a kernel that launches kernels is not supported; launch from main",
                    file, line_of(text, tokens[at].begin)));
  }
}

std::string replaced(const std::string& text, std::vector<replacement> replacements) {
  std::stable_sort(replacements.begin(), replacements.end(),
                   [](const replacement& a, const replacement& b) { return a.begin < b.begin; });
  std::string result;
  std::size_t done = 0;
  for (const replacement& r : replacements) {
    if (r.begin < done) continue;
    result += text.substr(done, r.begin - done) + r.text;
    done = r.end;
  }
  return result + text.substr(done);
}

bool allocates(const token& t) {
  return t.is("cudaMalloc") || t.is("cudaMallocManaged") || t.is("cudaMallocAsync") ||
         t.is("cudaMallocHost") || t.is("cudaHostAlloc");
}

/// "in" of (&in, bytes), of ((void**)&in, bytes) and of (&data.in, bytes).
std::string pointer_name(const token_list& tokens, std::size_t open) {
  const auto parts = split_at_commas(tokens, open + 1, behind_bracket(tokens, open) - 1);
  if (parts.empty()) return "";
  std::string name;
  for (const token& t : parts.front()) {
    if (t.kind == token_kind::word) name = t.text;
  }
  return name;
}

}  // namespace

std::string program_rewritten(const std::string& text, const std::string& file) {
  const token_list tokens = tokens_of(text);
  const std::vector<kernel_source> kernels = kernels_in(tokens);
  refuse_launches_in_kernels(text, file, tokens, kernels);
  launch_rewriter launches(text, kernels);
  launches.add_launches(tokens, 0);
  add_return(tokens, launches.replacements);
  const std::string launched = replaced(text, std::move(launches.replacements));
  return rewritten(launched, tokens_of(launched));
}

bool defines_main(const token_list& tokens) {
  return find_main(tokens) < tokens.size();
}

std::map<unsigned, std::string> buffer_names(std::string_view text, const token_list& tokens) {
  std::map<unsigned, std::string> names;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!allocates(tokens[i]) || !tokens[i + 1].is("(")) continue;
    std::string& name = names[line_of(text, tokens[i].begin)];
    // Of two on a line neither is named.
    name = name.empty() ? pointer_name(tokens, i + 1) : "device memory";
  }
  return names;
}

std::string program_unit(const std::string& file, const std::string& text) {
  return fmt::format("#define ONEFOLD_WHOLE_PROGRAM\n"
                     "#include \"ladder/try/device/prelude.hpp\"\n"
                     "#line 1 {}\n{}\n"
                     "extern \"C\" __attribute__((visibility(\"default\"))) int {}(int count, "
                     "char** words) {{ return ::onefold::ladder::learner::run_main("
                     "&::onefold_learner_main, count, words); }}\n",
                     as_literal(file), text, program_symbol);
}

}  // namespace onefold::ladder::learner
